#include "mehler/table/schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <unordered_set>

#include "mehler/core/error.h"
#include "mehler/core/near_names.h"

namespace mehler {
namespace {

/// Whole numbers up to here are exact in a double; bounds of integers, dates and times stay within
/// it.
constexpr double kLargestExactInteger = 9007199254740992.0;  // 2^53
constexpr std::size_t kMaxCategories = 1'000'000;
constexpr int kMaxDecimals = 12;

[[noreturn]] void fail(const Column& column, const std::string& what) {
  throw Error(ErrorCode::kInvalidSchema,
              fmt::format("in the schema, column '{}' {}", column.name, what));
}

void check_bounds(const Column& column) {
  if (!column.is_number()) {
    if (column.bounds.has_value()) {
      fail(column, fmt::format("has bounds, but its kind is {}; remove them or choose the kind "
                               "numeric, integer, date or datetime",
                               kind_name(column.kind)));
    }
    return;
  }
  if (!column.bounds.has_value()) {
    return;
  }
  const auto [low, high] = *column.bounds;
  if (!std::isfinite(low) || !std::isfinite(high)) {
    fail(column, "has a bound that is not a finite number; write two finite numbers");
  }
  if (!(low < high)) {
    fail(column,
         fmt::format(
             "has the bounds [{}, {}], but the first must be smaller than the second; "
             "{}",
             column.format_value(low), column.format_value(high),
             low == high ? "widen them, or ignore a column that never changes" : "swap them"));
  }
  if (!std::isfinite(high - low)) {
    fail(column, "has bounds so far apart that their distance is not a finite number; narrow them");
  }
  if (column.kind != ColumnKind::kNumeric) {
    if (std::trunc(low) != low || std::trunc(high) != high) {
      fail(column, fmt::format("is of kind {}, but its bounds are not whole numbers; round them or "
                               "use the kind numeric",
                               kind_name(column.kind)));
    }
    if (std::fabs(low) > kLargestExactInteger || std::fabs(high) > kLargestExactInteger) {
      fail(column,
           "has bounds beyond 2^53, the largest whole number that is handled exactly; "
           "narrow them, or make it an identifier");
    }
  }
}

void check_step(const Column& column) {
  if ((column.step || column.decimals) && !column.is_number()) {
    fail(column, "has a step or decimals, but is no number; remove them");
  }
  if (column.decimals) {
    if (column.kind != ColumnKind::kNumeric) {
      fail(column, "has decimals, which only numeric columns have; remove them or give a step");
    }
    if (column.step) {
      fail(column, "has both a step and decimals; keep one");
    }
    if (*column.decimals < 0 || *column.decimals > kMaxDecimals) {
      fail(column,
           fmt::format("has {} decimals; allowed are 0 to {}", *column.decimals, kMaxDecimals));
    }
  }
  if (column.step) {
    const double step = *column.step;
    if (!(step > 0.0) || !std::isfinite(step)) {
      fail(column, "has a step that is not a positive number; write one greater than 0");
    }
    if (column.kind != ColumnKind::kNumeric && std::trunc(step) != step) {
      fail(column, fmt::format("is of kind {}, but its step is not a whole number of {}; round it",
                               kind_name(column.kind),
                               column.kind == ColumnKind::kDatetime ? "microseconds" : "units"));
    }
    if (column.bounds && step > column.bounds->width()) {
      fail(column, "has a step larger than the distance of its bounds; make it smaller");
    }
    if (column.bounds && column.bounds->width() / step > kLargestExactInteger) {
      fail(column,
           "has a step too small for the distance of its bounds (more than 2^53 steps); make "
           "it larger");
    }
  }
}

void check_categories(const Column& column) {
  const bool listed =
      column.kind == ColumnKind::kCategorical || column.kind == ColumnKind::kOrdinal;
  if (!listed) {
    if (column.categories || column.other) {
      fail(column, fmt::format("has categories or an 'other', but its kind is {}; remove them or "
                               "choose the kind categorical or ordinal",
                               kind_name(column.kind)));
    }
    return;
  }
  if (!column.categories) {
    return;
  }
  if (column.categories->empty()) {
    fail(column, "has an empty list of categories; list at least one, or make the column ignored");
  }
  if (column.categories->size() > kMaxCategories) {
    fail(column,
         fmt::format("has {} categories; at most {} are allowed: group the rare ones, or make "
                     "it an identifier",
                     column.categories->size(), kMaxCategories));
  }
  std::unordered_set<std::string> seen;
  for (const std::string& category : *column.categories) {
    if (!seen.insert(category).second) {
      fail(column, fmt::format("lists the category '{}' twice; remove one", category));
    }
  }
}

void check_privacy_unit(const Schema& schema) {
  if (!schema.privacy_unit()) {
    return;
  }
  const PrivacyUnit& unit = *schema.privacy_unit();
  const Column* column = schema.find(unit.column);
  if (column == nullptr) {
    throw Error(ErrorCode::kInvalidSchema,
                fmt::format("the privacy unit's column '{}' is not among the schema's columns{}",
                            unit.column, suggest_names(unit.column, schema.column_names())));
  }
  if (column->kind != ColumnKind::kIdentifier) {
    fail(*column, fmt::format("is the privacy unit, but its kind is {}; make it an identifier",
                              kind_name(column->kind)));
  }
  if (unit.max_rows < 1 || unit.max_rows > 1'000'000) {
    throw Error(
        ErrorCode::kInvalidSchema,
        fmt::format("the privacy unit's max_rows is {}; allowed are 1 to 1000000", unit.max_rows));
  }
  if (schema.relation() != NeighbourRelation::kAddRemoveOne) {
    throw Error(
        ErrorCode::kInvalidSchema,
        "a privacy unit needs the relation 'add-remove-one': people have different numbers of "
        "records, so exchanging one person changes the number of records, which 'replace-one' "
        "makes public; change the relation or remove the privacy unit");
  }
}

}  // namespace

std::string_view relation_name(NeighbourRelation relation) {
  return relation == NeighbourRelation::kAddRemoveOne ? "add-remove-one" : "replace-one";
}

Schema::Schema(std::vector<Column> columns, std::optional<std::string> target,
               NeighbourRelation relation, std::optional<PrivacyUnit> privacy_unit,
               SchemaProvenance provenance)
    : columns_(std::move(columns)),
      target_(std::move(target)),
      relation_(relation),
      privacy_unit_(std::move(privacy_unit)),
      provenance_(provenance) {
  if (columns_.empty()) {
    throw Error(ErrorCode::kInvalidSchema, "the schema has no columns; list at least one");
  }
  std::unordered_set<std::string> seen;
  for (Column& column : columns_) {
    if (!column.is_used()) {
      // Nothing but its name matters; what was declared before it was set aside may stay in the
      // file.
      Column name_and_kind;
      name_and_kind.name = column.name;
      name_and_kind.kind = column.kind;
      column = name_and_kind;
    } else if (!column.step && !column.decimals) {
      column.step = default_step(column.kind);
    }
    if (column.name.empty()) {
      throw Error(ErrorCode::kInvalidSchema,
                  "the schema has a column without a name; name every column as the table does");
    }
    if (!seen.insert(column.name).second) {
      fail(column, "is listed twice; remove one of the two");
    }
    check_bounds(column);
    check_step(column);
    check_categories(column);
  }
  if (target_) {
    const Column* column = find(*target_);
    if (column == nullptr) {
      throw Error(ErrorCode::kInvalidSchema,
                  fmt::format("the target '{}' is not among the schema's columns{}", *target_,
                              suggest_names(*target_, column_names())));
    }
    if (!column->is_used()) {
      fail(*column, fmt::format("is the target, but its kind is {}; give it the kind it has",
                                kind_name(column->kind)));
    }
  }
  check_privacy_unit(*this);
}

std::vector<std::string> Schema::column_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) {
    names.push_back(column.name);
  }
  return names;
}

const Column* Schema::find(std::string_view name) const {
  for (const Column& column : columns_) {
    if (column.name == name) {
      return &column;
    }
  }
  return nullptr;
}

const Column* Schema::label() const {
  const Column* column = target_ ? find(*target_) : nullptr;
  return column != nullptr && column->is_category() ? column : nullptr;
}

void Schema::require_declared() const {
  std::vector<std::string> bounds;
  std::vector<std::string> categories;
  bool any_used = false;
  for (const Column& column : columns_) {
    any_used |= column.is_used();
    if (column.is_undeclared()) {
      (column.is_number() ? bounds : categories).push_back("'" + column.name + "'");
    }
  }
  if (!any_used) {
    throw Error(
        ErrorCode::kInvalidSchema,
        "every column of the schema is ignored or an identifier; give at least one column a "
        "kind that can be synthesised");
  }
  if (!bounds.empty() || !categories.empty()) {
    std::string what;
    if (!bounds.empty()) {
      what += fmt::format("bounds of {}", fmt::join(bounds, ", "));
    }
    if (!categories.empty()) {
      what += fmt::format("{}categories of {}", what.empty() ? "" : " and ",
                          fmt::join(categories, ", "));
    }
    throw Error(
        ErrorCode::kInvalidSchema,
        fmt::format("the schema leaves undeclared the {}; write them from public knowledge (a "
                    "code book, a law, a form), not from the records; or set the kind to "
                    "ignored",
                    what));
  }
}

}  // namespace mehler
