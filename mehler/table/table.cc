#include "mehler/table/table.h"

#include <cstring>
#include <memory>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// What an exported schema owns: its texts and its children.
struct SchemaStorage {
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> child_pointers;
};

/// What an exported array owns: its buffers and its children.
struct ArrayStorage {
  std::vector<std::vector<std::uint8_t>> buffers;
  std::vector<const void*> buffer_pointers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> child_pointers;
};

template <typename Exported, typename Storage>
void release_exported(Exported* exported) {
  auto* storage = static_cast<Storage*>(exported->private_data);
  for (Exported& child : storage->children) {
    if (child.release != nullptr) {
      child.release(&child);
    }
  }
  delete storage;
  exported->release = nullptr;
}

void fill_schema(ArrowSchema* schema, const char* format, std::string name,
                 std::vector<ArrowSchema> children) {
  auto storage = std::make_unique<SchemaStorage>();
  storage->name = std::move(name);
  storage->children = std::move(children);
  for (ArrowSchema& child : storage->children) {
    storage->child_pointers.push_back(&child);
  }
  *schema = ArrowSchema{};
  schema->format = format;
  schema->name = storage->name.c_str();
  schema->flags = ARROW_FLAG_NULLABLE;
  schema->n_children = static_cast<int64_t>(storage->children.size());
  schema->children = storage->child_pointers.data();
  schema->release = release_exported<ArrowSchema, SchemaStorage>;
  schema->private_data = storage.release();
}

void fill_array(ArrowArray* array, std::size_t rows, std::size_t missing,
                std::vector<std::vector<std::uint8_t>> buffers, std::vector<ArrowArray> children) {
  auto storage = std::make_unique<ArrayStorage>();
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
  array->release = release_exported<ArrowArray, ArrayStorage>;
  array->private_data = storage.release();
}

const char* arrow_format(ColumnKind kind) {
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
      return "u";
    default:
      break;
  }
  MEHLER_ASSERT(false && "tables hold no ignored columns");
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

void export_column(const TableColumn& column, ArrowArray* array) {
  const std::size_t rows = column.rows();
  const auto is_missing = [&](std::size_t row) {
    return !column.is_missing.empty() && column.is_missing[row];
  };
  std::size_t missing = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    missing += is_missing(row) ? 1 : 0;
  }
  std::vector<std::vector<std::uint8_t>> buffers;
  buffers.push_back(bitmap_of(rows, [&](std::size_t row) { return !is_missing(row); }));
  if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
    std::vector<std::int32_t> offsets(rows + 1, 0);
    std::vector<std::uint8_t> bytes;
    for (std::size_t row = 0; row < rows; ++row) {
      bytes.insert(bytes.end(), (*texts)[row].begin(), (*texts)[row].end());
      if (bytes.size() > static_cast<std::size_t>(INT32_MAX)) {
        throw Error(ErrorCode::kInvalidArgument,
                    "a table with more than 2 GiB of text in one column was to be written at once; "
                    "write fewer rows at a time");
      }
      offsets[row + 1] = static_cast<std::int32_t>(bytes.size());
    }
    buffers.push_back(bytes_of(offsets));
    buffers.push_back(std::move(bytes));
  } else if (const auto* doubles = std::get_if<std::vector<double>>(&column.values)) {
    buffers.push_back(bytes_of(*doubles));
  } else {
    const auto& integers = std::get<std::vector<std::int64_t>>(column.values);
    if (column.kind == ColumnKind::kBoolean) {
      buffers.push_back(bitmap_of(rows, [&](std::size_t row) { return integers[row] != 0; }));
    } else if (column.kind == ColumnKind::kDate) {
      buffers.push_back(bytes_of(std::vector<std::int32_t>(integers.begin(), integers.end())));
    } else {
      buffers.push_back(bytes_of(integers));
    }
  }
  fill_array(array, rows, missing, std::move(buffers), {});
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
    fill_schema(&column_schemas[i], arrow_format(columns[i].kind), columns[i].name, {});
    export_column(columns[i], &column_arrays[i]);
  }
  fill_schema(schema, "+s", "", std::move(column_schemas));
  fill_array(array, rows(), 0, {{}}, std::move(column_arrays));
}

}  // namespace mehler
