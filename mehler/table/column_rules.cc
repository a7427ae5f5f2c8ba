#include "mehler/table/column_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/column_checks.h"
#include "mehler/table/modelled_columns.h"

namespace mehler {
namespace {

/// How many columns can follow one from the other, and how many of them computed.
constexpr std::size_t kLongestChain = 200;
constexpr std::size_t kMostComputed = 16;

/// Brings columns into an order in which each comes after those that it follows from.
class Ordering {
 public:
  explicit Ordering(const Schema& schema) : schema_(schema), visited_(schema.columns().size()) {
    for (std::size_t i = 0; i < visited_.size(); ++i) {
      visit(i);
    }
  }

  std::vector<std::size_t> take() { return std::move(order_); }

 private:
  struct Visited {
    bool is_open = false;
    bool is_done = false;
    std::size_t length = 0;    ///< of the longest chain that ends here
    std::size_t computed = 0;  ///< the most computed columns in one
  };

  void visit(std::size_t place) {
    const Column& column = schema_.columns()[place];
    Visited& here = visited_[place];
    if (here.is_done) {
      return;
    }
    path_.push_back("'" + shown(column.name) + "'");
    if (here.is_open) {
      refuse_column(column, fmt::format("follows from itself: {}; break the circle",
                                        fmt::join(path_, " from ")));
    }
    refuse_long(column, path_.size(), 0);
    here.is_open = true;
    for (const std::string& name : columns_before(column)) {
      if (const Column* other = schema_.find(name)) {
        const auto before = static_cast<std::size_t>(other - schema_.columns().data());
        visit(before);
        here.length = std::max(here.length, visited_[before].length);
        here.computed = std::max(here.computed, visited_[before].computed);
      }
    }
    here.is_done = true;
    ++here.length;
    here.computed += column.is_computed() ? 1 : 0;
    refuse_long(column, here.length, here.computed);
    path_.pop_back();
    if (column.is_used()) {
      order_.push_back(place);
    }
  }

  static void refuse_long(const Column& column, std::size_t length, std::size_t computed) {
    if (length > kLongestChain || computed > kMostComputed) {
      refuse_column(column, fmt::format("is in a chain of columns that follow from one another and "
                                        "has more than {} of them, or {} computed ones; shorten it",
                                        kLongestChain, kMostComputed));
    }
  }

  const Schema& schema_;
  std::vector<Visited> visited_;
  std::vector<std::string> path_;
  std::vector<std::size_t> order_;
};

}  // namespace

const Column& referred(const Schema& schema, const Column& column, const std::string& name,
                       std::string_view rule) {
  const Column* other = schema.find(name);
  if (other == nullptr) {
    refuse_column(column,
                  fmt::format("has '{}' with the column '{}', which is not among the "
                              "schema's columns{}",
                              rule, shown(name), suggest_names(name, schema.column_names())));
  }
  if (!other->is_used()) {
    refuse_column(column, fmt::format("has '{}' with the column '{}', whose kind is {}; choose one "
                                      "that is synthesised",
                                      rule, shown(name), kind_name(other->kind)));
  }
  if (other->is_image()) {
    refuse_column(column, fmt::format("has '{}' with the column '{}', which holds images; choose "
                                      "one of numbers or categories",
                                      rule, shown(name)));
  }
  return *other;
}

bool is_draft(const Schema& schema, const Column& column) {
  if (column.is_undeclared()) {
    return true;
  }
  const std::vector<std::string> before = columns_before(column);
  return std::any_of(before.begin(), before.end(), [&](const std::string& name) {
    const Column* other = schema.find(name);
    return other != nullptr && is_draft(schema, *other);
  });
}

std::vector<std::string> columns_before(const Column& column) {
  std::vector<std::string> names;
  if (column.rules.at_least) {
    names.push_back(column.rules.at_least->column);
  }
  if (column.rules.determined_by) {
    names.push_back(column.rules.determined_by->column);
  }
  if (column.rules.derived) {
    try {
      const std::vector<std::string> more = Expression::names_in(*column.rules.derived);
      names.insert(names.end(), more.begin(), more.end());
    } catch (const Error& error) {
      refuse_column(column, error.what());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::size_t> order_of_columns(const Schema& schema) { return Ordering(schema).take(); }

std::optional<Interval> value_range(const Schema& schema, const Column& column) {
  if (column.rules.at_least) {
    const auto from = value_range(schema, *schema.find(column.rules.at_least->column));
    if (!from) {
      return column.bounds;
    }
    const double unit = difference_unit(column);
    const Interval& more = column.rules.at_least->bounds;
    Interval range{from->low + more.low * unit, from->high + more.high * unit};
    if (column.bounds) {
      range = {std::max(range.low, column.bounds->low), std::min(range.high, column.bounds->high)};
    }
    return range;
  }
  if (column.bounds || !column.is_computed() || is_draft(schema, column)) {
    return column.bounds;
  }
  if (column.rules.derived) {
    return expression_of(schema, column).range();
  }
  Interval range{HUGE_VAL, -HUGE_VAL};
  for (const auto& [key, value] : column.rules.determined_by->map) {
    if (const auto number = value ? column.parse_value(*value) : std::nullopt) {
      range = {std::min(range.low, *number), std::max(range.high, *number)};
    }
  }
  return range.low <= range.high ? std::optional(range) : std::nullopt;
}

Expression expression_of(const Schema& schema, const Column& column) {
  const auto resolve = [&](const std::string& name) {
    const Column& other = referred(schema, column, name, "derived");
    if (other.is_category() && other.kind != ColumnKind::kBoolean) {
      refuse_column(column, fmt::format("has an expression with '{}', whose kind is {}; it must be "
                                        "a number, a date, a time or a boolean: \"determined_by\" "
                                        "looks up categories",
                                        shown(name), kind_name(other.kind)));
    }
    ExpressionInput input;
    input.type = other.kind == ColumnKind::kDate       ? ValueType::kDate
                 : other.kind == ColumnKind::kDatetime ? ValueType::kDatetime
                                                       : ValueType::kNumber;
    // What is not declared yet is taken to fit.
    input.range = other.kind == ColumnKind::kBoolean
                      ? Interval{0.0, 1.0}
                      : value_range(schema, other).value_or(Interval{1.0, 2.0});
    input.missing = other.missing;
    return input;
  };
  try {
    return Expression(*column.rules.derived, resolve);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidArgument) {
      throw;
    }
    refuse_column(column, error.what());
  }
}

}  // namespace mehler
