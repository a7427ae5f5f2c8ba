#include "mehler/table/schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/column_checks.h"
#include "mehler/table/column_rules.h"
#include "mehler/table/constraint_checks.h"
#include "mehler/table/spelled_out_rules.h"
#include "mehler/table/spelling_checks.h"

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

/// Methods for images model one in each record.
void check_images(const std::vector<Column>& columns) {
  const Column* first = nullptr;
  for (const Column& column : columns) {
    if (column.is_image() && first != nullptr) {
      refuse_column(column, fmt::format("is a second image, beside '{}'; a record has one: give "
                                        "one of the two the kind ignored",
                                        shown(first->name)));
    }
    first = column.is_image() ? &column : first;
  }
}

/// "bounds of 'a' and categories of 'b', 'c'": of the columns that are such; empty if none is.
std::string domains_of(const std::vector<Column>& columns, const auto& is_such) {
  std::vector<std::string> bounds;
  std::vector<std::string> categories;
  for (const Column& column : columns) {
    if (is_such(column)) {
      (column.is_number() ? bounds : categories).push_back("'" + shown(column.name) + "'");
    }
  }
  std::string what;
  if (!bounds.empty()) {
    what += fmt::format("bounds of {}", fmt::join(bounds, ", "));
  }
  if (!categories.empty()) {
    what +=
        fmt::format("{}categories of {}", what.empty() ? "" : " and ", fmt::join(categories, ", "));
  }
  return what;
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
  complete_and_check();
}

void Schema::complete_and_check() {
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
      if (column.kind == ColumnKind::kIdentifier) {
        name_and_kind.make = column.make;
      }
      column = name_and_kind;
    } else if (!column.step && !column.decimals) {
      column.step = default_step(column);
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
  check_images(columns_);
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
    if (column->is_image()) {
      refuse_column(*column,
                    "is the target, but holds images; the target is a class or a number, such as "
                    "the label of an image");
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

const Column* Schema::image() const {
  for (const Column& column : columns_) {
    if (column.is_image()) {
      return &column;
    }
  }
  return nullptr;
}

void Schema::refuse_images(std::string_view who) const {
  if (const Column* column = image()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} has no use for images, but the schema's column '{}' holds them; "
                            "choose what is made for images (docs/guide/images.md), or give the "
                            "column the kind ignored to go on without it",
                            who, shown(column->name)));
  }
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

Schema Schema::in_dialect(Dialect dialect,
                          const std::map<std::string, ColumnSpelling>& spellings) const {
  check_dialect(dialect, ErrorCode::kInvalidSchema, "the schema's dialect");
  Schema result = *this;
  result.dialect_ = std::move(dialect);
  for (Column& column : result.columns_) {
    const auto place = spellings.find(column.name);
    if (place != spellings.end() && column.is_used()) {
      const bool has_default_step = column.step == default_step(column);
      column.spelling = place->second;
      column.step = has_default_step ? default_step(column) : column.step;
      check_column(column);
    }
    check_column_in_dialect(column, result.dialect_);
  }
  return result;
}

Schema Schema::with_columns(std::vector<Column> columns) const {
  Schema result = *this;
  result.columns_ = std::move(columns);
  const Column* target = target_ ? result.find(*target_) : nullptr;
  if (target == nullptr || !target->is_used()) {
    result.target_.reset();
  }
  result.complete_and_check();
  return result;
}

bool Schema::is_to_be_bought() const {
  return std::any_of(columns_.begin(), columns_.end(),
                     [](const Column& column) { return column.is_to_be_bought(); });
}

void Schema::require_declared_or_bought() const {
  if (std::none_of(columns_.begin(), columns_.end(), [](const Column& column) {
        return column.is_used() && !column.is_computed();
      })) {
    throw Error(
        ErrorCode::kInvalidSchema,
        "every column of the schema is ignored, an identifier or computed from others; give at "
        "least one column a kind that can be synthesised");
  }
  const std::string undeclared = domains_of(columns_, [](const Column& column) {
    return column.is_undeclared() && !column.is_to_be_bought();
  });
  if (!undeclared.empty()) {
    throw Error(
        ErrorCode::kInvalidSchema,
        fmt::format("the schema leaves undeclared the {}; write them from public knowledge (a "
                    "code book, a law, a form), not from the records; or write \"buy\", to find "
                    "them with a part of the privacy budget; or set the kind to ignored",
                    undeclared));
  }
}

void Schema::require_declared() const {
  require_declared_or_bought();
  const std::string to_buy =
      domains_of(columns_, [](const Column& column) { return column.is_to_be_bought(); });
  if (!to_buy.empty()) {
    throw Error(ErrorCode::kInvalidSchema,
                fmt::format("the schema leaves to be bought the {}; 'mehler release' and 'mehler "
                            "synth' buy them: use the schema of the release, or declare them",
                            to_buy));
  }
}

}  // namespace mehler
