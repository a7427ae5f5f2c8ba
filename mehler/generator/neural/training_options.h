#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mehler/core/options.h"
#include "mehler/generator/neural/embedding_loss.h"
#include "mehler/record_networks/network_design.h"
#include "mehler/table/schema.h"

namespace mehler {

/// How a generator is trained. Results are the same for a seed, whatever the threads.
struct TrainingOptions {
  std::uint64_t seed = 1;
  std::size_t epochs = 60;
  std::size_t steps_per_epoch = 25;
  std::size_t batch_rows = 2000;
  /// In place of batch_rows: a share of the released number of records.
  std::optional<double> batch_rate;
  double learning_rate = 0.01;
  /// The learning rate falls by this factor after each epoch; by default so that it ends at
  /// kLastLearningRate of what it began with.
  std::optional<double> learning_rate_decay;
  static constexpr double kLastLearningRate = 0.05;
  LossWeights weights;
  /// Each epoch learns from one product block, in turn, as the paper does.
  bool one_product_per_epoch = false;
  /// How often a class of the target is generated, relative to its released count; 1 for classes
  /// that are not named. The paper's undersampling of common classes, without touching records.
  std::map<std::string, double> class_rates;
  /// Of networks that make no images.
  std::vector<std::size_t> hidden = {200, 200};
  std::size_t noise_inputs = 10;
  /// Of those that do; by default NetworkDesign::best_for() says.
  std::optional<ImageNetwork> image_network = {};

  /// The network for a schema.
  NetworkDesign design(const Schema& schema) const;

  /// The largest rate of a class.
  static constexpr double kMaxClassRate = 1e6;

  /// The options that parse() reads.
  static std::vector<Option> list();
  /// Those that have a meaning where there are no products.
  static std::vector<Option> list_without_products();
  /// Throws Error(kInvalidArgument) for a value that an option does not take, or outside its range.
  static TrainingOptions parse(const OptionValues& values, std::uint64_t seed);
  /// These options as parse() reads them; those that stand at "by default" are left out.
  OptionValues values() const;
  /// What to try after these options have led to nothing: a tenth of the learning rate.
  static OptionValues calmer(OptionValues values);

  /// DP-MERF's loss, the distance of mean embeddings, and, of tables without images, its network:
  /// hidden layers of 4 and 2 times as many units as outputs.
  void train_as_dp_merf(const Encoder& encoder);

  /// Throws Error(kInvalidArgument) for a value outside its range.
  void validate() const;
  /// The same, and for a rate of a class that the schema's target does not have, or a network that
  /// cannot make its columns.
  void validate(const Schema& schema) const;
};

}  // namespace mehler
