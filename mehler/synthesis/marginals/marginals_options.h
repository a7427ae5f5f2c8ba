#pragma once

#include <cstddef>
#include <vector>

#include "mehler/core/options.h"

namespace mehler {

/// Whether counts of three columns are measured beside those of pairs.
enum class Triples {
  kByRule,  ///< if there are at most 500, epsilon is at least 3, and pairs stand out of the noise
  kAlways,
  kNever,
};

/// What the method `marginals` measures. The defaults are meant to be kept
/// (docs/methods/marginals.md).
struct MarginalsOptions {
  /// 1: all pairs alike. 2: a second round where the first one shows that it helps most.
  int rounds = 2;
  Triples triples = Triples::kByRule;
  /// How much more the pairs with the target count than others, when the budget is shared.
  double target_weight = 4.0;
  /// Memory for tables of pairs, as much again for tables of triples, and as much again for the
  /// records' codes. Where the codes would take more, the table is read in passes; where it cannot
  /// be, they take what they need (make_count_source()).
  std::size_t max_bytes = 2'000'000'000;

  /// Throws Error(kInvalidArgument) for a value outside its range.
  void validate() const;

  /// The options that parse() reads.
  static std::vector<Option> list();
  /// Throws Error(kInvalidArgument) for a value that an option does not take.
  static MarginalsOptions parse(const OptionValues& values);
};

}  // namespace mehler
