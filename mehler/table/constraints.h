#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mehler/core/interval.h"

namespace mehler {

/// What a schema says about values of several columns at once. Public like the rest of it; names
/// are those of the schema's columns, and Schema checks that they fit.

/// "at_least": the column is another one plus a difference within bounds: of numbers the
/// difference itself, of dates days, of datetimes seconds.
struct AtLeast {
  std::string column;
  Interval bounds;
  bool operator==(const AtLeast&) const = default;
};

/// "determined_by": each value of another column, as tables write it, has one value of this one;
/// nothing stands for a missing value.
struct DeterminedBy {
  std::string column;
  std::vector<std::pair<std::string, std::optional<std::string>>> map;
  bool operator==(const DeterminedBy&) const = default;
};

/// A part of a date or a time that can be a column of its own.
enum class DatePart { kYear, kMonth, kDay, kWeekday, kHour, kMinute };

/// "year", "month" and so on.
std::string_view date_part_name(DatePart part);
std::optional<DatePart> date_part_from_name(std::string_view name);
std::vector<std::string> date_part_names();
/// Of microseconds since 1970: weekdays are 1 (Monday) to 7.
double date_part(DatePart part, double microseconds);

/// Rules of one column.
struct ColumnRules {
  std::optional<AtLeast> at_least;
  /// An expression over other columns (expression.h).
  std::optional<std::string> derived;
  std::optional<DeterminedBy> determined_by;
  /// Columns "NAME_hour" and so on, which Schema adds.
  std::vector<DatePart> parts;
  bool operator==(const ColumnRules&) const = default;
};

/// Values of one column, of which any belongs to a combination: one of a list (as the schema file
/// writes them), missing ones, or all numbers in a range.
struct ValueSet {
  std::string column;
  std::vector<std::string> values;
  bool missing = false;
  /// Bounds of the range in the units of the column's bounds, and whether they belong to it.
  std::optional<double> low;
  std::optional<double> high;
  bool low_belongs = true;
  bool high_belongs = true;
  bool operator==(const ValueSet&) const = default;
};

/// A combination that never occurs: no record has all of it.
struct NeverRule {
  std::vector<ValueSet> sets;  ///< of different columns
  bool operator==(const NeverRule&) const = default;
};

/// Columns that add up to another column, or to a number.
struct SumRule {
  std::vector<std::string> parts;
  std::optional<std::string> total_column;
  double total = 0.0;  ///< where there is no column
  bool operator==(const SumRule&) const = default;
};

/// Rules of the whole table.
struct TableRules {
  std::vector<NeverRule> never;
  std::vector<SumRule> sums;
  bool empty() const { return never.empty() && sums.empty(); }
  bool operator==(const TableRules&) const = default;
};

}  // namespace mehler
