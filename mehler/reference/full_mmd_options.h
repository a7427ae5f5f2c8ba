#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mehler/core/options.h"
#include "mehler/encoding/encoder.h"
#include "mehler/generator/neural/training_options.h"

namespace mehler {

/// How a network is trained with the Gaussian kernel between mini-batches.
struct FullMmdOptions {
  /// Of the kernel of whole records, where the declared bounds are -1 and 1. Nothing: the median
  /// distance of two records.
  std::optional<double> length_scale = {};
  /// Epochs, learning rate and its decay, batch, network and class rates; an epoch is one pass over
  /// the records. The rest is not read.
  TrainingOptions training = {};
  /// Whether the batch was asked for; else it is at most the number of records.
  bool batch_is_given = false;
  /// Whether the epochs were asked for; else those of a small table are so many that there are
  /// enough steps.
  bool epochs_are_given = false;

  /// The options that parse() reads.
  static std::vector<Option> list();
  /// Throws Error(kInvalidArgument) for a value that an option does not take, or outside its range.
  static FullMmdOptions parse(const OptionValues& values, std::uint64_t seed);

  /// Throws Error(kInvalidArgument) for options that do not fit the encoder's records: among others
  /// a length scale so short that single precision would not tell distances from rounding errors.
  void validate(const Encoder& encoder) const;

  /// Those of training for a table with this many batches: epochs, and a decay of the learning rate
  /// that ends where that of the default epochs does, unless they were asked for.
  TrainingOptions training_of(std::size_t batches) const;

  /// DP-MERF's network for the encoder's records; of narrow tables layers of 200, as elsewhere.
  NetworkDesign design(const Encoder& encoder) const;
};

}  // namespace mehler
