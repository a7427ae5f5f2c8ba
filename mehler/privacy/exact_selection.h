#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "mehler/accounting/charge.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/exact_bernoulli.h"
#include "mehler/table/schema.h"

namespace mehler {

/// The epsilon of a selection is a multiple of 2^-kSelectionExponent.
inline constexpr int kSelectionExponent = 32;

/// A candidate with probability proportional to exp(epsilon score / (2 sensitivity)), exactly:
/// epsilon = numerator 2^-kSelectionExponent, scores are integers that move by at most
/// `sensitivity` >= 1 between neighbouring tables. A candidate that is drawn evenly is accepted
/// with probability exp(-epsilon (best - score) / (2 sensitivity)). There is at least one score.
template <RandomWords Words>
std::size_t draw_by_scores(Words& words, std::span<const std::int64_t> scores,
                           std::uint64_t sensitivity, std::uint64_t numerator) {
  MEHLER_ASSERT(!scores.empty() && sensitivity >= 1 && sensitivity < (std::uint64_t{1} << 62));
  MEHLER_ASSERT(numerator < (std::uint64_t{1} << 44));
  std::int64_t best = scores[0];
  for (const std::int64_t score : scores) {
    best = score > best ? score : best;
  }
  const uint128 denominator = (uint128{2} * sensitivity) << kSelectionExponent;
  ExactBernoulli<Words> bernoulli(words);
  while (true) {
    const auto chosen = static_cast<std::size_t>(bernoulli.uniform_below(scores.size()));
    const uint128 gap =
        static_cast<std::uint64_t>(best) - static_cast<std::uint64_t>(scores[chosen]);
    if (bernoulli.with_probability_exp(gap * numerator, denominator)) {
      return chosen;
    }
  }
}

/// Throws Error(kInvalidArgument), which names the choice, for an epsilon that none can have.
void require_choosable(const std::string& what, double epsilon);

/// The right to choose once among candidates by their private scores, paid for in advance.
///
/// Privacy: cannot be made without an Accountant, which is charged before there is one; keeps the
/// schema that it was paid for; is consumed by PrivateCounter::choose() and cannot be copied, so
/// that a payment is used once. How long a choice takes depends on the scores; nobody but the
/// holder of the records sees that (docs/design/0024-privbayes.md).
class ExactSelection {
 public:
  /// Pays for a choice among so many candidates with the largest multiple of 2^-kSelectionExponent
  /// that is not above `epsilon`. Throws Error(kInvalidArgument) if that is 0 or epsilon is above
  /// kMaxSelectionEpsilon; Error(kBudgetExceeded).
  ExactSelection(Accountant& accountant, const std::string& what, std::size_t candidates,
                 double epsilon, const Schema& schema);
  ExactSelection(ExactSelection&&) = default;
  ExactSelection(const ExactSelection&) = delete;
  ExactSelection& operator=(const ExactSelection&) = delete;

  /// What was paid for.
  const Selection& charge() const { return charge_; }
  std::uint64_t numerator() const { return numerator_; }

  /// Throws Error(kInvalidArgument) if it was paid for under another schema, which may protect
  /// less.
  void require_schema(const Schema& schema) const;

 private:
  Selection charge_;
  std::uint64_t numerator_ = 0;
  Schema schema_;
};

}  // namespace mehler
