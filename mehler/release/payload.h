#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mehler/accounting/privacy_statement.h"
#include "mehler/accounting/training_plan.h"
#include "mehler/counts/count_set.h"
#include "mehler/features/feature_set.h"
#include "mehler/release/release.h"

namespace mehler {

/// The noisy numbers of one block: sums of features, or counts.
struct NoisyBlock {
  std::size_t rows = 0;                 ///< classes of a labelled block, else 1
  std::size_t columns = 0;              ///< the block's dimension
  std::vector<std::int64_t> grid_sums;  ///< [rows][columns], in multiples of 2^-grid_exponent
  int grid_exponent = kGridExponent;

  /// The noisy sum itself.
  double at(std::size_t row, std::size_t column) const;
};

/// Sums of features, with noise.
struct NoisySums {
  FeatureSet features;
  std::vector<NoisyBlock> blocks;  ///< in the order of features.blocks()

  /// The block of counts (one constant feature); nothing where the only count is public.
  std::optional<std::size_t> count_block() const;
};

/// Counts of records, with noise.
struct NoisyCounts {
  CountSet counts;
  std::vector<NoisyBlock> blocks;  ///< in the order of counts.blocks()
};

/// Weights of networks that were trained on the records, with noise in every step.
struct TrainedWeights {
  /// Says which networks the weights belong to, in the words of the method that made them: a JSON
  /// object.
  std::string networks;
  std::vector<float> values;  ///< finite
  /// The noisy number of records, whose charge comes before those of the training; nothing where
  /// the number is public.
  std::optional<NoisyBlock> count;
  /// Whether `count` has a number for each class of the target instead of one for all.
  bool counts_classes = false;
  /// How they were trained, as far as it was charged for.
  std::optional<TrainingPlan> training;

  /// What `count` counts.
  static CountBlock counted(const Encoder& encoder, bool by_class);
  /// Each class's share of the records by the noisy counts, of which negative ones are none; {1}
  /// where classes are not counted, and equal shares where nothing is left.
  std::vector<double> class_shares() const;
};

/// The sensitivity that a block is charged for, and that a release states: what all records of one
/// privacy unit, or one record without a unit, can change. Records of one person add up by the
/// triangle inequality.
double protected_sensitivity(const FeatureBlock& block, const Schema& schema,
                             SensitivityRule rule = SensitivityRule::kCertified);
double protected_sensitivity(const CountBlock& block, const Schema& schema);
/// The same in the 1-norm, for noise of the Laplace kind; nothing where there can be none.
std::optional<double> protected_absolute_sensitivity(const CountBlock& block, const Schema& schema);

}  // namespace mehler
