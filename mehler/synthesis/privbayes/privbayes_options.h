#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mehler/core/options.h"

namespace mehler {

/// What the method `privbayes` measures (docs/methods/privbayes.md).
struct PrivBayesOptions {
  /// Of numbers, at most.
  static constexpr std::size_t kMostRanges = 256;
  /// Parents of a column, at most.
  static constexpr std::size_t kMostParents = 4;

  /// As the article has it, instead of our own: choices by the dependence of columns, Laplace
  /// noise, its split of the budget. For comparisons.
  bool published = false;
  /// Of the published protocol: how many times larger than its noise a cell must be on average.
  double theta = 1.0;
  /// Nothing: by the number of columns.
  std::optional<std::size_t> parents;
  std::size_t ranges = 16;

  /// Throws Error(kInvalidArgument) for a value outside its range.
  void validate() const;

  /// The options that parse() reads.
  static std::vector<Option> list();
  /// Throws Error(kInvalidArgument) for a value that an option does not take.
  static PrivBayesOptions parse(const OptionValues& values);
};

}  // namespace mehler
