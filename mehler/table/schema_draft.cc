#include "mehler/table/schema_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/near_names.h"
#include "mehler/table/column_view.h"

namespace mehler {
namespace {

constexpr int kMostDraftedDecimals = 6;

std::optional<ColumnKind> kind_of_type(ColumnType type) {
  switch (type) {
    case ColumnType::kBoolean:
      return ColumnKind::kBoolean;
    case ColumnType::kInteger:
      return ColumnKind::kInteger;
    case ColumnType::kFloating:
    case ColumnType::kDecimal:
      return ColumnKind::kNumeric;
    case ColumnType::kText:
      return ColumnKind::kCategorical;
    case ColumnType::kDate:
      return ColumnKind::kDate;
    case ColumnType::kTimestamp:
      return ColumnKind::kDatetime;
    case ColumnType::kNull:
    case ColumnType::kUnsupported:
      break;
  }
  return std::nullopt;
}

/// The fewest decimals, up to kMostDraftedDecimals, that write a number exactly;
/// kMostDraftedDecimals + 1 if more are needed.
int decimals_of(double value) {
  double power = 1.0;
  for (int decimals = 0; decimals <= kMostDraftedDecimals; ++decimals, power *= 10.0) {
    if (std::round(value * power) / power == value) {
      return decimals;
    }
  }
  return kMostDraftedDecimals + 1;
}

/// Whole numbers in their order, before texts in theirs.
bool category_less(const std::string& a, const std::string& b) {
  const auto number_of = [](const std::string& text) -> std::optional<long long> {
    long long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
  };
  const auto number_a = number_of(a);
  const auto number_b = number_of(b);
  if (number_a && number_b) {
    return *number_a < *number_b;
  }
  return number_a.has_value() != number_b.has_value() ? number_a.has_value() : a < b;
}

std::vector<std::string> sorted_categories(const std::set<std::string>& categories) {
  std::vector<std::string> sorted(categories.begin(), categories.end());
  std::stable_sort(sorted.begin(), sorted.end(), category_less);
  return sorted;
}

}  // namespace

SchemaDraft draft_schema(const ArrowSchema& stream_schema,
                         const std::optional<std::string>& target) {
  std::vector<Column> columns;
  std::vector<std::string> notes;
  for (std::int64_t i = 0; i < stream_schema.n_children; ++i) {
    const ArrowSchema& child = *stream_schema.children[i];
    Column column;
    column.name = child.name;
    const auto kind = kind_of_type(column_type(child));
    column.kind = kind.value_or(ColumnKind::kIgnored);
    column.missing = kind.has_value();
    if (!kind) {
      notes.push_back(fmt::format("column '{}' holds {}; it is drafted as ignored", column.name,
                                  type_words(column_type(child))));
    }
    columns.push_back(std::move(column));
  }
  if (target) {
    std::vector<std::string> names;
    for (const Column& column : columns) {
      names.push_back(column.name);
    }
    const auto place = std::find(names.begin(), names.end(), *target);
    if (place == names.end()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the target '{}' is not a column of the table{}", *target,
                              suggest_names(*target, names)));
    }
    const Column& column = columns[static_cast<std::size_t>(place - names.begin())];
    if (column.is_number()) {
      notes.push_back(
          fmt::format("the target '{}' is drafted as a number; if it is a class, make its kind "
                      "categorical and list its categories",
                      *target));
    }
  }
  return {Schema(std::move(columns), target), std::move(notes)};
}

void PublicSchemaReader::read(RecordStream stream, const Context& context) {
  const SchemaDraft draft = draft_schema(stream.schema(), target_);
  if (!draft_) {
    draft_ = draft;
  } else if (draft.schema.column_names() != draft_->schema.column_names()) {
    throw Error(
        ErrorCode::kInvalidTable,
        "the parts of the table do not have the same columns in the same order; make them alike");
  }
  RecordBatch batch;
  while (stream.next(batch)) {
    context.throw_if_cancelled();
    for (std::size_t i = 0; i < draft.schema.columns().size(); ++i) {
      const Column& column = draft.schema.columns()[i];
      if (!column.is_used()) {
        continue;
      }
      Facts& facts = facts_[column.name];
      const ColumnView view(stream.schema(), batch.value(), i);
      std::vector<double> numbers;
      if (column.is_number()) {
        numbers.resize(view.rows());
        view.copy_numbers(numbers.data());
      }
      const bool lists_values = column.kind == ColumnKind::kCategorical ||
                                (column.kind == ColumnKind::kInteger && column.name == target_);
      for (std::size_t row = 0; row < view.rows(); ++row) {
        if (view.may_miss() && view.is_missing(row)) {
          facts.missing = true;
          continue;
        }
        if (lists_values && !facts.too_many_categories) {
          facts.categories.insert(view.type() == ColumnType::kText ? std::string(view.text(row))
                                                                   : view.integer_text(row));
          facts.too_many_categories = facts.categories.size() > kMaxCategories;
        }
        if (column.is_number() && std::isfinite(numbers[row])) {
          facts.low = facts.any ? std::min(facts.low, numbers[row]) : numbers[row];
          facts.high = facts.any ? std::max(facts.high, numbers[row]) : numbers[row];
          facts.any = true;
          if (column.kind == ColumnKind::kDatetime) {
            facts.step = facts.step == 0.0 ? *column.step : facts.step;
            while (facts.step > 1.0 && std::fmod(numbers[row], facts.step) != 0.0) {
              facts.step /= 1000.0;
            }
          }
          if (column.kind == ColumnKind::kNumeric && facts.decimals <= kMostDraftedDecimals) {
            facts.decimals = std::max(facts.decimals, decimals_of(numbers[row]));
          }
        }
      }
    }
  }
}

SchemaDraft PublicSchemaReader::finish() const {
  if (!draft_) {
    throw Error(ErrorCode::kInvalidTable, "the table has no parts to read a schema from");
  }
  std::vector<std::string> notes = draft_->notes;
  std::vector<Column> columns = draft_->schema.columns();
  for (Column& column : columns) {
    const auto place = facts_.find(column.name);
    if (place == facts_.end()) {
      continue;
    }
    const Facts& facts = place->second;
    column.missing = facts.missing;
    const bool is_target = column.name == target_;
    if (column.kind == ColumnKind::kInteger && is_target &&
        facts.categories.size() <= kMaxTargetClasses && !facts.categories.empty()) {
      column.kind = ColumnKind::kCategorical;
      column.step.reset();
      std::erase_if(notes, [](const std::string& note) { return note.starts_with("the target"); });
    }
    if (column.is_number()) {
      if (!facts.any) {
        column.kind = ColumnKind::kIgnored;
        column.step.reset();
        column.missing = false;
        notes.push_back(
            fmt::format("column '{}' has no finite values; it is drafted as ignored", column.name));
        continue;
      }
      if (column.kind == ColumnKind::kDatetime) {
        column.step = facts.step;
      }
      double high = facts.high;
      if (facts.low == facts.high) {
        high = facts.low + column.step.value_or(1.0);
        notes.push_back(fmt::format(
            "column '{}' never changes; its upper bound was drafted one step higher", column.name));
      }
      column.bounds = Interval{facts.low, high};
      if (column.kind == ColumnKind::kNumeric && facts.decimals <= kMostDraftedDecimals) {
        column.decimals = facts.decimals;
      }
    } else if (column.kind == ColumnKind::kCategorical) {
      if (facts.too_many_categories || facts.categories.empty()) {
        column.kind = facts.categories.empty() ? ColumnKind::kIgnored : ColumnKind::kIdentifier;
        column.missing = false;
        notes.push_back(
            facts.categories.empty()
                ? fmt::format("column '{}' has no values; it is drafted as ignored", column.name)
                : fmt::format("column '{}' has more than {} different texts; it is drafted as an "
                              "identifier, "
                              "which is not synthesised",
                              column.name, kMaxCategories));
      } else {
        column.categories = sorted_categories(facts.categories);
      }
    }
  }
  return {Schema(std::move(columns), target_, NeighbourRelation::kAddRemoveOne, std::nullopt,
                 SchemaProvenance::kReadFromPublicData),
          std::move(notes)};
}

}  // namespace mehler
