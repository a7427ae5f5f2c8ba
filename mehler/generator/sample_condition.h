#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mehler {

/// How a column of a sampled record stands to the values of a condition.
enum class ConditionRelation {
  kIn,          ///< is one of the values
  kNotIn,       ///< is none of them; a missing value is none of them either
  kLess,        ///< is below the value; this and the next three are never met by a missing value
  kAtMost,      ///< is the value or below it
  kGreater,     ///< is above it
  kAtLeast,     ///< is the value or above it
  kMissing,     ///< is missing
  kNotMissing,  ///< is there
};

/// What sampled records must be like in one column.
///
/// Values are written as tables write them: a category, "true", "37", "2020-01-31". With kIn and
/// kNotIn an empty value stands for a missing one, or, in a column where none may be missing, for
/// the empty text; where both can be, "\"\"" stands for the empty text.
struct SampleCondition {
  SampleCondition() = default;
  /// The column has this value.
  SampleCondition(std::string column_, std::string value)
      : column(std::move(column_)), values{std::move(value)} {}
  SampleCondition(std::string column_, ConditionRelation relation_,
                  std::vector<std::string> values_ = {})
      : column(std::move(column_)), relation(relation_), values(std::move(values_)) {}

  std::string column;
  ConditionRelation relation = ConditionRelation::kIn;
  /// kIn, kNotIn: at least one. kMissing, kNotMissing: none. The others: one.
  std::vector<std::string> values;

  bool operator==(const SampleCondition&) const = default;
};

/// A condition as people write it:
///
///   COLUMN=VALUE  COLUMN!=VALUE  COLUMN>=VALUE  COLUMN>VALUE  COLUMN<=VALUE  COLUMN<VALUE
///   COLUMN in A,B,C  COLUMN not in A,B  COLUMN is missing  COLUMN is not missing
///
/// Spaces around signs, words and values do not count; the words may be in capitals. The column is
/// the longest of `columns` that the text begins with and that one of these follows; its name may
/// also stand in double quotes, and so may values, "" for a quote within: "a=b"="x, y".
///
/// A name that is not among `columns` is taken up to the first sign or word. Throws
/// Error(kInvalidArgument) for a text that is no such condition.
SampleCondition parse_condition(std::string_view text, std::span<const std::string> columns);

}  // namespace mehler
