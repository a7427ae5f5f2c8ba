#pragma once

#include <cstddef>

#include "mehler/core/context.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"
#include "mehler/synthesis/marginals/triple_choice.h"

namespace mehler {

/// What the method `mehler` measures. The defaults are meant to be kept (docs/methods/mehler.md).
struct MarginalsOptions {
  /// 1: all pairs alike. 2: a second round where the first one shows that it helps most.
  int rounds = 2;
  Triples triples = Triples::kByRule;
  /// How much more the pairs with the target count than others, when the budget is shared.
  double target_weight = 4.0;
  /// Memory for tables of pairs, and for those of triples; the records' codes come on top
  /// (PrivateCounter).
  std::size_t max_bytes = 2'000'000'000;

  /// Throws Error(kInvalidArgument) for a value outside its range.
  void validate() const;
};

/// Turns a private table into a release of noisy counts: of all records, of each column, of values
/// within ranges of numbers, of pairs and of some triples of columns, as orthonormal contrasts.
///
/// Privacy: the records are read once. Each round is charged to the accountant before its noise is
/// drawn; what later rounds measure depends on the noisy results of earlier ones alone, and all of
/// them together spend what is left of the budget, which Gaussian noise composes to exactly
/// (docs/methods/mehler.md, "Privacy").
Release release_marginals(PrivateTable&& table, const MarginalsOptions& options,
                          Accountant& accountant, const Context& context);

}  // namespace mehler
