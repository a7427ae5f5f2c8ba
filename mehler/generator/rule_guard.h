#pragma once

#include <functional>
#include <vector>

#include "mehler/encoding/encoder.h"
#include "mehler/encoding/never_rules.h"
#include "mehler/generator/sample_conditions.h"

namespace mehler {

/// Sees to it that no record that is handed over has a combination which the schema says never
/// occurs, whatever the model. Immutable and thread-safe.
class RuleGuard {
 public:
  explicit RuleGuard(const Encoder& encoder) : encoder_(encoder), never_(encoder.schema()) {}

  /// Whether there is nothing to guard against.
  bool empty() const { return never_.empty(); }
  const NeverRules& never() const { return never_; }

  /// Throws Error(kInvalidArgument) for conditions that ask for such a combination.
  void refuse_contradictions(const std::vector<ColumnCondition>& conditions) const;

  /// The rows of a batch that have none.
  std::vector<std::size_t> lawful_rows(const EncodedBatch& batch) const;

  /// New records for some rows of a batch, in their order; `attempt` counts from 0.
  using Redraw =
      std::function<EncodedBatch(const std::vector<std::size_t>& rows, std::size_t attempt)>;

  /// Replaces the rows that have one: redrawn up to `attempts` times, then copied from rows of the
  /// batch that have none. Throws Error(kInvalidArgument) if there is no such row either.
  void repair(EncodedBatch& batch, std::size_t attempts, const Redraw& redraw) const;

 private:
  const Encoder& encoder_;
  NeverRules never_;
};

}  // namespace mehler
