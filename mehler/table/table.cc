#include "mehler/table/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "mehler/core/error.h"
#include "mehler/core/overloaded.h"
#include "mehler/table/image_field.h"

namespace mehler {
namespace {

/// What an exported schema owns: its texts and its children.
struct SchemaStorage {
  std::string format;
  std::string name;
  std::string metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> child_pointers;
  std::unique_ptr<ArrowSchema> dictionary;
};

/// What an exported array owns: its buffers and its children.
struct ArrayStorage {
  std::vector<std::vector<std::uint8_t>> buffers;
  std::vector<const void*> buffer_pointers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> child_pointers;
  std::unique_ptr<ArrowArray> dictionary;
};

template <typename Exported, typename Storage>
void release_exported(Exported* exported) {
  auto* storage = static_cast<Storage*>(exported->private_data);
  for (Exported& child : storage->children) {
    if (child.release != nullptr) {
      child.release(&child);
    }
  }
  if (storage->dictionary != nullptr && storage->dictionary->release != nullptr) {
    storage->dictionary->release(storage->dictionary.get());
  }
  delete storage;
  exported->release = nullptr;
}

void fill_schema(ArrowSchema* schema, std::string format, std::string name,
                 std::vector<ArrowSchema> children,
                 std::unique_ptr<ArrowSchema> dictionary = nullptr) {
  auto storage = std::make_unique<SchemaStorage>();
  storage->format = std::move(format);
  storage->name = std::move(name);
  storage->dictionary = std::move(dictionary);
  storage->children = std::move(children);
  for (ArrowSchema& child : storage->children) {
    storage->child_pointers.push_back(&child);
  }
  *schema = ArrowSchema{};
  schema->format = storage->format.c_str();
  schema->dictionary = storage->dictionary.get();
  schema->name = storage->name.c_str();
  schema->flags = ARROW_FLAG_NULLABLE;
  schema->n_children = static_cast<int64_t>(storage->children.size());
  schema->children = storage->child_pointers.data();
  schema->release = release_exported<ArrowSchema, SchemaStorage>;
  schema->private_data = storage.release();
}

void fill_array(ArrowArray* array, std::size_t rows, std::size_t missing,
                std::vector<std::vector<std::uint8_t>> buffers, std::vector<ArrowArray> children,
                std::unique_ptr<ArrowArray> dictionary = nullptr) {
  auto storage = std::make_unique<ArrayStorage>();
  storage->dictionary = std::move(dictionary);
  storage->buffers = std::move(buffers);
  storage->children = std::move(children);
  for (std::size_t i = 0; i < storage->buffers.size(); ++i) {
    const bool no_validity = i == 0 && missing == 0;
    storage->buffer_pointers.push_back(no_validity ? nullptr : storage->buffers[i].data());
  }
  for (ArrowArray& child : storage->children) {
    storage->child_pointers.push_back(&child);
  }
  *array = ArrowArray{};
  array->length = static_cast<int64_t>(rows);
  array->null_count = static_cast<int64_t>(missing);
  array->n_buffers = static_cast<int64_t>(storage->buffers.size());
  array->n_children = static_cast<int64_t>(storage->children.size());
  array->buffers = storage->buffer_pointers.data();
  array->children = storage->child_pointers.data();
  array->dictionary = storage->dictionary.get();
  array->release = release_exported<ArrowArray, ArrayStorage>;
  array->private_data = storage.release();
}

constexpr const char* kIndexFormat = "i";  // of dictionaries

const char* usual_format(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kNumeric:
      return "g";
    case ColumnKind::kInteger:
      return "l";
    case ColumnKind::kBoolean:
      return "b";
    case ColumnKind::kDate:
      return "tdD";
    case ColumnKind::kDatetime:
      return "tsu:";
    case ColumnKind::kCategorical:
    case ColumnKind::kOrdinal:
    case ColumnKind::kIdentifier:  // made up anew
      return "u";
    default:
      break;
  }
  MEHLER_ASSERT(false && "tables hold no ignored columns");
}

/// "ttm", "tDn", "tsn:UTC": as time_storage() has it.
std::string time_format(const TimeStorage& times, const std::string& timezone) {
  switch (times.meaning) {
    case TimeStorage::Meaning::kTimeOfDay:
      return std::string("tt") + times.unit;
    case TimeStorage::Meaning::kDuration:
      return std::string("tD") + times.unit;
    case TimeStorage::Meaning::kTimestamp:
      break;
  }
  return std::string("ts") + times.unit + ":" + timezone;
}

std::string arrow_format(const TableColumn& column) {
  if (const TimeStorage* times = time_storage(column.type)) {
    return time_format(*times, column.timezone);
  }
  switch (column.type) {
    case StoredType::kInt8:
      return "c";
    case StoredType::kUint8:
      return "C";
    case StoredType::kInt16:
      return "s";
    case StoredType::kUint16:
      return "S";
    case StoredType::kInt32:
      return "i";
    case StoredType::kUint32:
      return "I";
    case StoredType::kInt64:
      return "l";
    case StoredType::kUint64:
      return "L";
    case StoredType::kFloat32:
      return "f";
    case StoredType::kFloat64:
      return "g";
    case StoredType::kText:
      return "u";
    case StoredType::kBoolean:
      return "b";
    case StoredType::kDictionary:
      return kIndexFormat;
    case StoredType::kDecimal:
      return fmt::format("d:{},{}", column.decimal_digits.precision, column.decimal_digits.scale);
    default:
      break;
  }
  return usual_format(column.kind) + column.timezone;
}

template <typename Value>
std::vector<std::uint8_t> bytes_of(const std::vector<Value>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(Value));
  if (!values.empty()) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  return bytes;
}

std::vector<std::uint8_t> bitmap_of(std::size_t rows, const auto& is_set) {
  std::vector<std::uint8_t> bits((rows + 7) / 8);
  for (std::size_t row = 0; row < rows; ++row) {
    if (is_set(row)) {
      bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | (1U << (row % 8)));
    }
  }
  return bits;
}

std::vector<std::vector<std::uint8_t>> text_buffers(const std::vector<std::string>& texts) {
  std::vector<std::int32_t> offsets(texts.size() + 1, 0);
  std::vector<std::uint8_t> bytes;
  for (std::size_t row = 0; row < texts.size(); ++row) {
    bytes.insert(bytes.end(), texts[row].begin(), texts[row].end());
    if (bytes.size() > static_cast<std::size_t>(INT32_MAX)) {
      throw Error(ErrorCode::kInvalidArgument,
                  "a table with more than 2 GiB of text in one column was to be written at once; "
                  "write fewer rows at a time");
    }
    offsets[row + 1] = static_cast<std::int32_t>(bytes.size());
  }
  return {bytes_of(offsets), std::move(bytes)};
}

template <typename To, typename From>
std::vector<std::uint8_t> bytes_as(const std::vector<From>& values) {
  std::vector<To> converted;
  converted.reserve(values.size());
  for (const From& value : values) {
    converted.push_back(static_cast<To>(value));
  }
  return bytes_of(converted);
}

/// Values as the format stores them: of one of Arrow's types of numbers.
template <typename Value>
std::vector<std::uint8_t> number_bytes(const std::string& format,
                                       const std::vector<Value>& values) {
  switch (format[0]) {
    case 'c':
    case 'C':
      return bytes_as<std::int8_t>(values);
    case 's':
    case 'S':
      return bytes_as<std::int16_t>(values);
    case 'i':
    case 'I':
      return bytes_as<std::int32_t>(values);
    case 'f':
      return bytes_as<float>(values);
    case 'g':
      return bytes_as<double>(values);
    case 'b':
      return bitmap_of(values.size(), [&](std::size_t row) { return values[row] != 0; });
    default:
      return format == "tdD" ? bytes_as<std::int32_t>(values) : bytes_as<std::int64_t>(values);
  }
}

/// Whole numbers of 128 bits, in units of the last digit.
template <typename Value>
std::vector<std::uint8_t> decimal_bytes(int scale, const std::vector<Value>& values) {
  const long double power = std::pow(10.0L, scale);
  std::vector<std::uint8_t> bytes(16 * values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    // A double is within a relative 2^-53 of its decimal; the product has 64 bits.
    const long double units = std::round(static_cast<long double>(values[row]) * power);
    const long double high = std::floor(std::ldexp(units, -64));
    const auto high_bits = static_cast<std::int64_t>(high);
    const auto low_bits = static_cast<std::uint64_t>(units - std::ldexp(high, 64));
    std::memcpy(bytes.data() + 16 * row, &low_bits, 8);
    std::memcpy(bytes.data() + 16 * row + 8, &high_bits, 8);
  }
  return bytes;
}

/// Seconds, or microseconds of a timestamp, in the unit of the type. Of a time of day, 24:00 is the
/// last unit of the day: readers refuse it, or take it for midnight.
template <typename Value>
std::vector<std::uint8_t> time_bytes(const TimeStorage& times, const std::vector<Value>& values) {
  const bool is_moment = times.meaning == TimeStorage::Meaning::kTimestamp;
  std::vector<std::int64_t> units;
  units.reserve(values.size());
  for (const Value& value : values) {
    const long double seconds = static_cast<long double>(value) / (is_moment ? 1'000'000 : 1);
    units.push_back(static_cast<std::int64_t>(
        std::round(seconds * static_cast<long double>(times.per_second))));
  }
  const bool is_of_day = times.meaning == TimeStorage::Meaning::kTimeOfDay;
  if (is_of_day) {
    for (std::int64_t& unit : units) {
      unit = std::min(unit, 86'400 * times.per_second - 1);
    }
  }
  const bool is_short = is_of_day && (times.unit == 's' || times.unit == 'm');
  return is_short ? bytes_as<std::int32_t>(units) : bytes_of(units);
}

/// Numbers as the column's type stores them.
template <typename Value>
std::vector<std::uint8_t> stored_bytes(const TableColumn& column, const std::string& format,
                                       const std::vector<Value>& values) {
  if (const TimeStorage* times = time_storage(column.type)) {
    return time_bytes(*times, values);
  }
  return column.type == StoredType::kDecimal ? decimal_bytes(column.decimal_digits.scale, values)
                                             : number_bytes(format, values);
}

/// The numbers that texts stand for: places in a dictionary, whole numbers, false and true. What
/// stands at missing places is 0.
std::vector<std::int64_t> numbers_of_texts(const TableColumn& column) {
  std::unordered_map<std::string_view, std::int64_t> places;
  for (std::size_t i = 0; i < column.labels.size(); ++i) {
    places.emplace(column.labels[i], static_cast<std::int64_t>(i));
  }
  const auto number_of = [&](const std::string& text) -> std::int64_t {
    if (column.type == StoredType::kDictionary) {
      const auto place = places.find(text);
      return place == places.end() ? 0 : place->second;
    }
    return column.type == StoredType::kBoolean ? text == "true" : plain_integer(text).value_or(0);
  };
  std::vector<std::int64_t> numbers;
  for (const std::string& text : std::get<std::vector<std::string>>(column.values)) {
    numbers.push_back(number_of(text));
  }
  return numbers;
}

void export_image_schema(const TableColumn& column, const ImageShape& shape, ArrowSchema* schema) {
  std::vector<ArrowSchema> bytes(1);
  fill_schema(bytes.data(), "C", "item", {});
  fill_schema(schema, fmt::format("+w:{}", shape.size()), column.name, std::move(bytes));
  auto& storage = *static_cast<SchemaStorage*>(schema->private_data);
  storage.metadata = image_metadata(shape);
  schema->metadata = storage.metadata.data();
}

void export_schema(const TableColumn& column, ArrowSchema* schema) {
  if (const auto* images = std::get_if<ImageValues>(&column.values)) {
    export_image_schema(column, images->shape, schema);
    return;
  }
  std::unique_ptr<ArrowSchema> dictionary;
  if (column.type == StoredType::kDictionary) {
    dictionary = std::make_unique<ArrowSchema>();
    fill_schema(dictionary.get(), "u", "", {});
  }
  fill_schema(schema, arrow_format(column), column.name, {}, std::move(dictionary));
  if (column.type == StoredType::kDictionary && column.kind == ColumnKind::kOrdinal) {
    schema->flags |= ARROW_FLAG_DICTIONARY_ORDERED;
  }
}

void export_column(const TableColumn& column, ArrowArray* array) {
  if (const auto* images = std::get_if<ImageValues>(&column.values)) {
    std::vector<ArrowArray> bytes(1);
    fill_array(bytes.data(), images->pixels.size(), 0, {{}, images->pixels}, {});
    fill_array(array, images->size(), 0, {{}}, std::move(bytes));
    return;
  }
  const std::size_t rows = column.rows();
  const auto is_missing = [&](std::size_t row) {
    return !column.is_missing.empty() && column.is_missing[row];
  };
  std::size_t missing = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    missing += is_missing(row) ? 1 : 0;
  }
  const std::string format = arrow_format(column);
  std::vector<std::vector<std::uint8_t>> buffers;
  buffers.push_back(bitmap_of(rows, [&](std::size_t row) { return !is_missing(row); }));
  std::unique_ptr<ArrowArray> dictionary;
  if (column.type == StoredType::kDictionary) {
    std::vector<std::vector<std::uint8_t>> texts = text_buffers(column.labels);
    texts.insert(texts.begin(), std::vector<std::uint8_t>());
    dictionary = std::make_unique<ArrowArray>();
    fill_array(dictionary.get(), column.labels.size(), 0, std::move(texts), {});
  }
  if (const auto* doubles = std::get_if<std::vector<double>>(&column.values)) {
    buffers.push_back(stored_bytes(column, format, *doubles));
  } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&column.values)) {
    buffers.push_back(stored_bytes(column, format, *integers));
  } else if (format == "u") {
    for (auto& buffer : text_buffers(std::get<std::vector<std::string>>(column.values))) {
      buffers.push_back(std::move(buffer));
    }
  } else {
    buffers.push_back(number_bytes(format, numbers_of_texts(column)));
  }
  fill_array(array, rows, missing, std::move(buffers), {}, std::move(dictionary));
}

}  // namespace

std::size_t TableColumn::rows() const {
  return std::visit([](const auto& entries) { return entries.size(); }, values);
}

void Table::export_to_arrow(ArrowSchema* schema, ArrowArray* array) const {
  std::vector<ArrowSchema> column_schemas(columns.size());
  std::vector<ArrowArray> column_arrays(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    MEHLER_ASSERT(columns[i].rows() == rows());
    export_schema(columns[i], &column_schemas[i]);
    export_column(columns[i], &column_arrays[i]);
  }
  fill_schema(schema, "+s", "", std::move(column_schemas));
  fill_array(array, rows(), 0, {{}}, std::move(column_arrays));
}

void Table::append(const Table& more) {
  if (columns.empty()) {
    columns = more.columns;
    return;
  }
  MEHLER_ASSERT(columns.size() == more.columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    TableColumn& column = columns[c];
    const TableColumn& added = more.columns[c];
    MEHLER_ASSERT(column.values.index() == added.values.index());
    if (!column.is_missing.empty() || !added.is_missing.empty()) {
      column.is_missing.resize(column.rows(), false);
      column.is_missing.insert(column.is_missing.end(), added.is_missing.begin(),
                               added.is_missing.end());
      column.is_missing.resize(column.rows() + added.rows(), false);
    }
    const auto add = [](auto& values, const auto& more_values) {
      values.insert(values.end(), more_values.begin(), more_values.end());
    };
    std::visit(Overloaded{[&](ImageValues& images) {
                            add(images.pixels, std::get<ImageValues>(added.values).pixels);
                          },
                          [&](auto& values) {
                            add(values, std::get<std::decay_t<decltype(values)>>(added.values));
                          }},
               column.values);
  }
}

}  // namespace mehler
