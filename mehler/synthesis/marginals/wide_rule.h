#pragma once

#include <cstddef>
#include <optional>

#include "mehler/encoding/encoder.h"

namespace mehler {

/// What a wide table gets besides counts, or instead of counts of pairs.
enum class WideTreatment {
  kNone,
  kTeacher,  ///< a part of the budget for a classifier of the target, which labels the rows
  kMoments,  ///< columns, moments and a classifier instead of pairs
};

/// How the rule is applied to a table, by public numbers alone.
struct WideRule {
  /// The target, if it has 2 to 30 classes.
  std::optional<std::size_t> class_target;
  /// Columns of more than one value, without the class target.
  std::size_t columns = 0;
  /// Of these, numbers.
  std::size_t numbers = 0;
  /// That are protected together.
  double rows_of_unit = 1.0;

  explicit WideRule(const Encoder& encoder);

  /// `rows` as far as it is known; `mu_squared`: the whole budget.
  WideTreatment treatment(double rows, double mu_squared) const;
};

}  // namespace mehler
