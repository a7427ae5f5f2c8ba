#include "mehler/table/schema_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/column_view.h"
#include "mehler/table/draft_hints.h"
#include "mehler/table/image_field.h"
#include "mehler/table/type_in_table.h"

namespace mehler {
namespace {

constexpr int kMostDraftedDecimals = 6;
constexpr double kLargestDraftedInteger = 0x1p53;  // in a double

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
    case ColumnType::kDuration:
    case ColumnType::kTimeOfDay:
      return ColumnKind::kNumeric;  // of seconds
    case ColumnType::kBytes:        // images, if they have a shape
    case ColumnType::kNull:
    case ColumnType::kUnsupported:
      break;
  }
  return std::nullopt;
}

/// Whether a type is what a kind suggests.
bool is_usual(ColumnKind kind, StoredType type) {
  switch (type) {
    case StoredType::kInt64:
      return kind == ColumnKind::kInteger;
    case StoredType::kFloat64:
      return kind == ColumnKind::kNumeric;
    case StoredType::kBoolean:
      return kind == ColumnKind::kBoolean;
    case StoredType::kText:
      return kind == ColumnKind::kCategorical;
    default:
      return false;
  }
}

/// The type that a column has in the table, where it is not what its kind suggests, and what
/// follows from it: decimals, and of times of day and durations, which are numbers of seconds,
/// their kind and bounds.
void draft_type(const ArrowSchema& child, ColumnType type, Column& column) {
  const TypeInTable stored = type_in_table(child);
  column.timezone = stored.timezone;
  const bool keeps_dictionary = child.dictionary == nullptr || type == ColumnType::kText;
  if (!keeps_dictionary || is_usual(column.kind, stored.type)) {
    return;
  }
  column.type = stored.type;
  column.decimal_digits = stored.decimal_digits;
  if (stored.type == StoredType::kDecimal) {
    column.decimals = stored.decimal_digits.scale;
  }
  if (type != ColumnType::kTimeOfDay && type != ColumnType::kDuration) {
    return;
  }
  const TimeStorage& times = *time_storage(stored.type);
  if (times.decimals == 0) {
    column.kind = ColumnKind::kInteger;
  } else {
    column.decimals = times.decimals;
  }
  if (type == ColumnType::kTimeOfDay) {  // known from the type, not from the records
    column.bounds = Interval{0.0, 86'400.0 - 1.0 / static_cast<double>(times.per_second)};
  }
}

/// What of the type a synthetic table will not have; empty if nothing.
std::string lost_type(const ArrowSchema& child, ColumnType type, const Column& column) {
  if ((type == ColumnType::kDecimal && column.type != StoredType::kDecimal) ||
      std::string_view(child.format) == "e") {
    return "comes back as floating-point numbers of 64 bits";
  }
  return child.dictionary != nullptr && type != ColumnType::kText
             ? "is a dictionary of values that are no texts; it comes back without the dictionary"
             : "";
}

Column draft_column(const ArrowSchema& child, std::vector<std::string>& notes) {
  Column column;
  column.name = child.name;
  const ColumnType type = column_type(child);
  const auto kind = kind_of_type(type);
  const auto note = [&](std::string_view what) {
    notes.push_back(fmt::format("column '{}' {}", shown(column.name), what));
  };
  if (column.name == kNamelessColumn || column.name.starts_with("__index_level_")) {
    note("looks like the row index that data frames write; it is drafted as ignored");
    column.kind = ColumnKind::kIgnored;
    return column;
  }
  if (const auto shape = image_shape_of(child)) {
    column.kind = ColumnKind::kImage;
    column.shape = shape;
    note(fmt::format("holds images of {} x {} pixels in {}; check its shape", shape->rows,
                     shape->columns, shape->channels == 1 ? "grey" : "colour"));
    return column;
  }
  if (!kind) {
    const std::string_view hint = image_hint(child);
    note(hint.empty() ? fmt::format("holds {} and is drafted as ignored", type_words(type))
                      : fmt::format("is drafted as ignored: {}", hint));
    column.kind = ColumnKind::kIgnored;
    return column;
  }
  column.kind = *kind;
  column.missing = (child.flags & ARROW_FLAG_NULLABLE) != 0;
  draft_type(child, type, column);
  if (column.type == StoredType::kDictionary && (child.flags & ARROW_FLAG_DICTIONARY_ORDERED)) {
    column.kind = ColumnKind::kOrdinal;
  }
  if (const std::string lost = lost_type(child, type, column); !lost.empty()) {
    note(lost);
  }
  return column;
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

/// Bounds for a column that never changes. Types that have a largest value of their own may not
/// hold the next one.
Interval widened(double value, Column& column, std::vector<std::string>& notes) {
  const bool has_digits =
      column.type == StoredType::kDecimal || time_storage(column.type) != nullptr;
  const double step =
      column.step.value_or(has_digits && column.decimals ? std::pow(10.0, -*column.decimals) : 1.0);
  const bool goes_down = has_digits && value > 0.0;
  const auto range = integer_range(column.type);
  if (range && value + step > static_cast<double>(range->second)) {
    column.type = StoredType::kUsual;
  }
  notes.push_back(fmt::format("column '{}' never changes; its {} bound was drafted one step {}",
                              shown(column.name), goes_down ? "lower" : "upper",
                              goes_down ? "lower" : "higher"));
  if (!goes_down) {
    return {value, value + step};
  }
  // As a number with the column's decimals is written, so that it is a multiple of their unit.
  const double power = column.decimals ? std::pow(10.0, *column.decimals) : 1.0;
  return {std::round((value - step) * power) / power, value};
}

/// Adds the values of a dictionary that are not among the levels yet, in its order.
void add_levels(const ColumnView& dictionary, std::vector<std::string>& levels) {
  for (std::size_t i = 0; i < dictionary.rows(); ++i) {
    if (!(dictionary.may_miss() && dictionary.is_missing(i)) &&
        std::find(levels.begin(), levels.end(), dictionary.text(i)) == levels.end() &&
        levels.size() <= PublicSchemaReader::kMaxCategories) {
      levels.emplace_back(dictionary.text(i));
    }
  }
}

std::vector<std::string> sorted_categories(const std::set<std::string>& categories) {
  std::vector<std::string> sorted(categories.begin(), categories.end());
  std::stable_sort(sorted.begin(), sorted.end(), category_less);
  return sorted;
}

/// Of columns that have such a name; another kind that was drafted for them is likely wrong.
bool may_be_identifier(const Column& column, const std::optional<std::string>& target) {
  const bool is_plain = column.kind == ColumnKind::kInteger ||
                        column.kind == ColumnKind::kNumeric ||
                        column.kind == ColumnKind::kCategorical;
  return is_plain && column.type != StoredType::kDictionary && column.name != target &&
         time_storage(column.type) == nullptr && names_an_identifier(column.name);
}

Column as_identifier(const Column& column, std::vector<std::string>& notes) {
  notes.push_back(
      fmt::format("column '{}' is drafted as an identifier because of its name, and is not "
                  "synthesised; if it is a code with few values, make its kind categorical",
                  shown(column.name)));
  Column identifier;
  identifier.name = column.name;
  identifier.kind = ColumnKind::kIdentifier;
  return identifier;
}

enum class Identifiers { kByName, kNone };

/// What the labels of images of that name are usually called: "y_train" of "x_train",
/// "train_labels" of "train_images".
std::string label_beside(std::string images) {
  const std::size_t place = images.find("image");
  if (place != std::string::npos) {
    return images.replace(place, std::string_view("image").size(), "label");
  }
  if (images.starts_with('x') || images.starts_with('X')) {
    images[0] = 'y';
  }
  return images;
}

/// The label of an image set by its usual names, which is what it is for; nothing if there is none.
std::optional<std::string> label_of_images(const std::vector<Column>& columns) {
  std::vector<std::string> names = {"label", "labels", "y", "class", "target"};
  for (const Column& column : columns) {
    if (column.is_image()) {
      names.insert(names.begin(), label_beside(column.name));
    }
  }
  for (const std::string& name : names) {
    if (std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
          return column.name == name && column.is_used() && !column.is_image();
        })) {
      return name;
    }
  }
  return std::nullopt;
}

/// Whole numbers that are labels of images are classes.
void draft_as_classes(Column& label) {
  if (label.kind == ColumnKind::kInteger) {
    label.kind = ColumnKind::kCategorical;
    label.step.reset();
    label.type = label.type == StoredType::kUsual ? StoredType::kInt64 : label.type;
  }
}

SchemaDraft draft_with(const ArrowSchema& stream_schema, std::optional<std::string> target,
                       TypesFrom types, Identifiers identifiers) {
  std::vector<Column> columns;
  std::vector<std::string> notes;
  for (std::int64_t i = 0; i < stream_schema.n_children; ++i) {
    columns.push_back(draft_column(*stream_schema.children[i], notes));
    if (identifiers == Identifiers::kByName && may_be_identifier(columns.back(), target)) {
      columns.back() = as_identifier(columns.back(), notes);
    }
  }
  const bool has_images = std::any_of(columns.begin(), columns.end(),
                                      [](const Column& column) { return column.is_image(); });
  if (has_images && !target) {
    target = label_of_images(columns);
    notes.push_back(
        target ? fmt::format("the target is drafted as '{}', the label of the images", *target)
               : "the images have no label, and the table no target; if there are "
                 "labels, give them too (docs/guide/images.md)");
  }
  if (target) {
    std::vector<std::string> names;
    for (const Column& column : columns) {
      names.push_back(column.name);
    }
    const auto place = std::find(names.begin(), names.end(), *target);
    if (place == names.end()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the target '{}' is not a column of the table{}", shown(*target),
                              suggest_names(*target, names)));
    }
    Column& column = columns[static_cast<std::size_t>(place - names.begin())];
    if (has_images) {
      draft_as_classes(column);
    }
    if (column.is_number()) {
      notes.push_back(
          fmt::format("the target '{}' is drafted as a number; if it is a class, make its kind "
                      "categorical and list its categories",
                      *target));
    }
  }
  const bool is_guessed =
      types == TypesFrom::kRecords ||
      std::any_of(stream_schema.children, stream_schema.children + stream_schema.n_children,
                  [](const ArrowSchema* child) { return image_shape_is_guessed(*child); });
  const SchemaProvenance provenance =
      is_guessed ? SchemaProvenance::kKindsGuessed : SchemaProvenance::kDeclared;
  return {Schema(std::move(columns), target, NeighbourRelation::kAddRemoveOne, std::nullopt,
                 provenance),
          std::move(notes)};
}

}  // namespace

SchemaDraft draft_schema(const ArrowSchema& stream_schema, const std::optional<std::string>& target,
                         TypesFrom types) {
  return draft_with(stream_schema, target, types, Identifiers::kByName);
}

void PublicSchemaReader::read(RecordStream stream, const Context& context) {
  // Whether a column is an identifier is seen from its values.
  const SchemaDraft draft =
      draft_with(stream.schema(), target_, TypesFrom::kFile, Identifiers::kNone);
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
      if (column.is_used()) {
        read_column(column, ColumnView(stream.schema(), batch.value(), i), facts_[column.name]);
      }
    }
  }
}

void PublicSchemaReader::read_column(const Column& column, const ColumnView& view,
                                     Facts& facts) const {
  std::vector<double> numbers;
  if (column.is_number()) {
    numbers.resize(view.rows());
    view.copy_numbers(numbers.data());
  }
  if (column.kind == ColumnKind::kOrdinal) {
    add_levels(*view.dictionary(), facts.order);
  }
  const bool lists_values = column.kind == ColumnKind::kCategorical ||
                            column.kind == ColumnKind::kOrdinal ||
                            (column.kind == ColumnKind::kInteger &&
                             (column.name == target_ || may_be_identifier(column, target_)));
  for (std::size_t row = 0; row < view.rows(); ++row) {
    if ((view.may_miss() && view.is_missing(row)) ||
        (column.is_number() && std::isnan(numbers[row]))) {
      facts.missing = true;
      continue;
    }
    ++facts.values;
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

SchemaDraft PublicSchemaReader::finish() const {
  if (!draft_) {
    throw Error(ErrorCode::kInvalidTable, "the table has no parts to read a schema from");
  }
  std::vector<std::string> notes = draft_->notes;
  std::vector<Column> columns = draft_->schema.columns();
  for (Column& column : columns) {
    const auto place = facts_.find(column.name);
    if (place != facts_.end() && !column.is_image()) {
      column = finished(column, place->second, notes);
    }
  }
  return {Schema(std::move(columns), draft_->schema.target(), NeighbourRelation::kAddRemoveOne,
                 std::nullopt, SchemaProvenance::kReadFromPublicData),
          std::move(notes)};
}

Column PublicSchemaReader::finished(Column column, const Facts& facts,
                                    std::vector<std::string>& notes) const {
  const auto set_aside = [&](ColumnKind kind, const std::string& why) {
    notes.push_back(fmt::format("column '{}' {}", shown(column.name), why));
    Column unused;
    unused.name = column.name;
    unused.kind = kind;
    return unused;
  };
  column.missing = facts.missing;
  const bool are_unique = facts.categories.size() == facts.values && facts.values > 1;
  if (may_be_identifier(column, target_) && (facts.too_many_categories || are_unique)) {
    return as_identifier(column, notes);
  }
  if (column.kind == ColumnKind::kInteger && column.name == target_ &&
      facts.categories.size() <= kMaxTargetClasses && !facts.categories.empty()) {
    column.kind = ColumnKind::kCategorical;
    column.step.reset();
    column.type = column.type == StoredType::kUsual ? StoredType::kInt64 : column.type;
    std::erase_if(notes, [](const std::string& note) { return note.starts_with("the target"); });
  }
  if (column.is_number()) {
    if (!facts.any) {
      return set_aside(ColumnKind::kIgnored, "has no finite values; it is drafted as ignored");
    }
    if (column.kind == ColumnKind::kInteger &&
        std::max(-facts.low, facts.high) >= kLargestDraftedInteger) {
      return set_aside(ColumnKind::kIdentifier,
                       "holds whole numbers beyond 2^53; it is drafted as an identifier, which is "
                       "not synthesised");
    }
    if (column.kind == ColumnKind::kDatetime) {
      column.step = facts.step;
    }
    column.bounds = facts.low == facts.high ? widened(facts.low, column, notes)
                                            : Interval{facts.low, facts.high};
    if (column.kind == ColumnKind::kNumeric && !column.decimals &&
        facts.decimals <= kMostDraftedDecimals) {
      column.decimals = facts.decimals;
    }
    return column;
  }
  if (column.kind == ColumnKind::kBoolean) {
    return column;
  }
  if (facts.categories.empty()) {
    return set_aside(ColumnKind::kIgnored, "has no values; it is drafted as ignored");
  }
  if (facts.too_many_categories) {
    return set_aside(ColumnKind::kIdentifier,
                     fmt::format("has more than {} different texts; it is drafted as an "
                                 "identifier, which is not synthesised",
                                 kMaxCategories));
  }
  column.categories =
      column.kind == ColumnKind::kOrdinal ? facts.order : sorted_categories(facts.categories);
  return column;
}

}  // namespace mehler
