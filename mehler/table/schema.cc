#include "mehler/table/schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_set>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/column_checks.h"
#include "mehler/table/column_rules.h"
#include "mehler/table/constraint_checks.h"
#include "mehler/table/spelled_out_rules.h"

namespace mehler {
namespace {

void check_privacy_unit(const Schema& schema) {
  if (!schema.privacy_unit()) {
    return;
  }
  const PrivacyUnit& unit = *schema.privacy_unit();
  const Column* column = schema.find(unit.column);
  if (column == nullptr) {
    throw Error(ErrorCode::kInvalidSchema,
                fmt::format("the privacy unit's column '{}' is not among the schema's columns{}",
                            shown(unit.column), suggest_names(unit.column, schema.column_names())));
  }
  if (column->kind != ColumnKind::kIdentifier) {
    refuse_column(*column,
                  fmt::format("is the privacy unit, but its kind is {}; make it an identifier",
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
               SchemaProvenance provenance, TableRules rules)
    : columns_(std::move(columns)),
      target_(std::move(target)),
      relation_(relation),
      privacy_unit_(std::move(privacy_unit)),
      provenance_(provenance),
      rules_(std::move(rules)) {
  if (columns_.empty()) {
    throw Error(ErrorCode::kInvalidSchema, "the schema has no columns; list at least one");
  }
  spell_out_rules(columns_, rules_);
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
      refuse_column(column, "is listed twice; remove one of the two");
    }
    check_column(column);
  }
  if (target_) {
    const Column* column = find(*target_);
    if (column == nullptr) {
      throw Error(ErrorCode::kInvalidSchema,
                  fmt::format("the target '{}' is not among the schema's columns{}",
                              shown(*target_), suggest_names(*target_, column_names())));
    }
    if (!column->is_used()) {
      refuse_column(*column,
                    fmt::format("is the target, but its kind is {}; give it the kind it has",
                                kind_name(column->kind)));
    }
    if (column->is_computed()) {
      refuse_column(*column,
                    "is the target, but follows from other columns; make one of those the target");
    }
  }
  check_privacy_unit(*this);
  check_rules(*this);
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

Schema Schema::without_privacy_unit() const {
  Schema result = *this;
  result.privacy_unit_.reset();
  return result;
}

Schema Schema::without_rules() const {
  Schema result = *this;
  result.rules_ = {};
  for (Column& column : result.columns_) {
    if (column.is_computed()) {
      const std::string name = column.name;
      column = Column{};
      column.name = name;
      column.kind = ColumnKind::kIgnored;
    } else if (column.rules.at_least) {
      column.bounds = value_range(*this, column);
      column.transform = NumberTransform::kNone;
      column.transform_scale = 1.0;
    }
    column.rules = {};
  }
  return result;
}

void Schema::require_declared() const {
  std::vector<std::string> bounds;
  std::vector<std::string> categories;
  bool any_used = false;
  for (const Column& column : columns_) {
    any_used |= column.is_used() && !column.is_computed();
    if (column.is_undeclared()) {
      (column.is_number() ? bounds : categories).push_back("'" + shown(column.name) + "'");
    }
  }
  if (!any_used) {
    throw Error(
        ErrorCode::kInvalidSchema,
        "every column of the schema is ignored, an identifier or computed from others; give at "
        "least one column a kind that can be synthesised");
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
