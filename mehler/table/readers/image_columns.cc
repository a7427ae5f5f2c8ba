#include "mehler/table/readers/image_columns.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "mehler/core/name_suggestions.h"
#include "mehler/table/readers/arrow_errors.h"
#include "mehler/table/readers/image_arrays.h"
#include "mehler/table/readers/png_image.h"

namespace mehler {
namespace {

/// The field of Hugging Face's structs that has the file.
constexpr const char* kBytesField = "bytes";

/// How a column holds images, if it does.
enum class Holds { kNothing, kBytes, kNestedBytes, kLists, kFiles };

std::shared_ptr<arrow::DataType> stored(const std::shared_ptr<arrow::DataType>& type) {
  return type->id() == arrow::Type::EXTENSION
             ? static_cast<const arrow::ExtensionType&>(*type).storage_type()
             : type;
}

bool holds_binary(const arrow::DataType& type) {
  return type.id() == arrow::Type::BINARY || type.id() == arrow::Type::LARGE_BINARY;
}

/// The sizes of fixed-size lists of bytes, from the outermost; empty for another type.
std::vector<std::size_t> sizes_of(std::shared_ptr<arrow::DataType> type) {
  std::vector<std::size_t> sizes;
  while (type->id() == arrow::Type::FIXED_SIZE_LIST) {
    const auto& lists = static_cast<const arrow::FixedSizeListType&>(*type);
    sizes.push_back(static_cast<std::size_t>(std::max(lists.list_size(), 0)));
    type = lists.value_type();
  }
  return type->id() == arrow::Type::UINT8 ? sizes : std::vector<std::size_t>();
}

Holds holds_of(const std::shared_ptr<arrow::DataType>& declared_type) {
  const std::shared_ptr<arrow::DataType> type = stored(declared_type);
  const std::size_t nested = sizes_of(type).size();
  if (nested > 0 && nested <= 3) {
    return nested == 1 && type == declared_type ? Holds::kBytes : Holds::kNestedBytes;
  }
  if (type->id() == arrow::Type::LIST || type->id() == arrow::Type::LARGE_LIST) {
    return type->field(0)->type()->id() == arrow::Type::UINT8 ? Holds::kLists : Holds::kNothing;
  }
  if (type->id() == arrow::Type::STRUCT) {
    const auto field = static_cast<const arrow::StructType&>(*type).GetFieldByName(kBytesField);
    return field != nullptr && holds_binary(*field->type()) ? Holds::kFiles : Holds::kNothing;
  }
  return holds_binary(*type) ? Holds::kFiles : Holds::kNothing;
}

/// A column whose images are converted.
struct ImageColumn {
  int place = 0;
  Holds holds = Holds::kNothing;
  ImageShape shape;
};

class ImageColumns : public BatchSource {
 public:
  ImageColumns(std::unique_ptr<BatchSource> source, const PartContext& part)
      : source_(std::move(source)), part_(part), schema_(source_->schema()) {
    for (int i = 0; i < schema_->num_fields(); ++i) {
      const std::shared_ptr<arrow::Field> field = schema_->field(i);
      const Column* declared = part.schema == nullptr ? nullptr : part.schema->find(field->name());
      const Holds holds = holds_of(field->type());
      const bool is_wanted =
          part.schema == nullptr || (declared != nullptr && declared->is_image());
      if (!is_wanted || holds == Holds::kNothing) {
        continue;
      }
      const std::optional<ImageShape> shape =
          declared != nullptr ? declared->shape : shape_found(i, holds);
      if (shape) {
        add({i, holds, *shape});
      }
    }
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  std::shared_ptr<arrow::RecordBatch> next() override {
    while (batch_ == nullptr || place_ == batch_->num_rows()) {
      batch_ = first_ != nullptr ? std::move(first_) : source_->next();
      first_ = nullptr;
      place_ = 0;
      if (batch_ == nullptr) {
        return nullptr;
      }
    }
    std::int64_t rows = batch_->num_rows() - place_;
    for (const ImageColumn& column : columns_) {
      rows = std::min(rows, image_batch_rows(column.shape));
    }
    const std::shared_ptr<arrow::RecordBatch> records = batch_->Slice(place_, rows);
    arrow::ArrayVector arrays = records->columns();
    for (const ImageColumn& column : columns_) {
      auto& array = arrays[static_cast<std::size_t>(column.place)];
      array = converted(column, array);
    }
    place_ += rows;
    record_ += rows;
    return arrow::RecordBatch::Make(schema_, rows, std::move(arrays));
  }

 private:
  void add(const ImageColumn& column) {
    const std::string& name = schema_->field(column.place)->name();
    const std::vector<std::size_t> sizes = sizes_of(stored(schema_->field(column.place)->type()));
    if (sizes.size() > 1) {
      check_image_shape(name, {sizes[0], sizes[1], sizes.size() > 2 ? sizes[2] : 1}, part_);
    }
    check_image_shape(name, column.shape, part_);
    if (column.holds == Holds::kBytes) {
      return;  // as it should be; the encoder looks at its size
    }
    auto schema = schema_->SetField(
        column.place, image_arrow_field(name, column.shape,
                                        part_.schema == nullptr && column.holds == Holds::kFiles
                                            ? ShapeFrom::kFirstImage
                                            : ShapeFrom::kTypeOrSchema));
    require_ok(schema.status(), part_.what + " could not be read");
    schema_ = std::move(schema).ValueUnsafe();
    columns_.push_back(column);
  }

  /// The shape of a column's images, where no schema says it: by its type, else by the first image.
  std::optional<ImageShape> shape_found(int place, Holds holds) {
    const std::shared_ptr<arrow::DataType> type = stored(schema_->field(place)->type());
    if (holds == Holds::kBytes || holds == Holds::kLists) {
      return std::nullopt;  // of the one the draft finds it, of the other nothing says what it is
    }
    if (holds == Holds::kNestedBytes) {
      const std::vector<std::size_t> sizes = sizes_of(type);
      return sizes.size() == 1
                 ? std::nullopt
                 : std::optional(ImageShape{sizes[0], sizes[1], sizes.size() > 2 ? sizes[2] : 1});
    }
    if (!has_looked_) {
      first_ = source_->next();
      has_looked_ = true;
    }
    if (first_ == nullptr || first_->num_rows() == 0) {
      return std::nullopt;
    }
    const std::string_view bytes = file_of(*first_->column(place), 0).value_or("");
    return begins_as_png(bytes) ? std::optional(png_shape(bytes, name_of(place, 0))) : std::nullopt;
  }

  std::string name_of(int place, std::int64_t row) const {
    return fmt::format("{}, column '{}', record {},", part_.what,
                       shown(schema_->field(place)->name()), record_ + row + 1);
  }

  [[noreturn]] void refuse(const ImageColumn& column, std::int64_t row,
                           const std::string& complaint) const {
    throw Error(ErrorCode::kInvalidTable, name_of(column.place, row) + " " + complaint);
  }

  [[noreturn]] void refuse_missing(const ImageColumn& column) const {
    refuse_part(part_, fmt::format("lacks an image, or a byte of one, in its column '{}'; every "
                                   "record has one: leave such records out",
                                   shown(schema_->field(column.place)->name())));
  }

  /// The file that a row holds; nothing where it is missing.
  static std::optional<std::string_view> file_of(const arrow::Array& array, std::int64_t row) {
    if (array.IsNull(row)) {
      return std::nullopt;
    }
    if (array.type_id() == arrow::Type::EXTENSION) {
      return file_of(*static_cast<const arrow::ExtensionArray&>(array).storage(), row);
    }
    if (array.type_id() == arrow::Type::STRUCT) {
      return file_of(*static_cast<const arrow::StructArray&>(array).GetFieldByName(kBytesField),
                     row);
    }
    return array.type_id() == arrow::Type::BINARY
               ? static_cast<const arrow::BinaryArray&>(array).GetView(row)
               : static_cast<const arrow::LargeBinaryArray&>(array).GetView(row);
  }

  std::shared_ptr<arrow::Array> converted(const ImageColumn& column,
                                          const std::shared_ptr<arrow::Array>& array) const {
    std::shared_ptr<arrow::Array> values =
        array->type_id() == arrow::Type::EXTENSION
            ? static_cast<const arrow::ExtensionArray&>(*array).storage()
            : array;
    if (column.holds == Holds::kFiles) {
      return decoded(column, *values);
    }
    const std::int64_t images = values->length();
    while (values->type_id() == arrow::Type::FIXED_SIZE_LIST) {
      const auto& lists = static_cast<const arrow::FixedSizeListArray&>(*values);
      if (lists.null_count() > 0) {
        refuse_missing(column);
      }
      const std::int64_t size = lists.list_type()->list_size();
      values = lists.values()->Slice(lists.offset() * size, lists.length() * size);
    }
    if (values->type_id() == arrow::Type::LIST) {
      values = bytes_of_lists(column, static_cast<const arrow::ListArray&>(*values));
    } else if (values->type_id() == arrow::Type::LARGE_LIST) {
      values = bytes_of_lists(column, static_cast<const arrow::LargeListArray&>(*values));
    }
    if (values->null_count() > 0) {
      refuse_missing(column);
    }
    const auto bytes = images * static_cast<std::int64_t>(column.shape.size());
    if (values->length() != bytes) {
      refuse_part(part_, fmt::format("has lists of another size in its column '{}', which the "
                                     "schema declares {}; correct the shape in the schema",
                                     shown(schema_->field(column.place)->name()),
                                     shape_words(column.shape)));
    }
    return image_arrow_array(
        bytes == 0 ? byte_buffer(0)
                   : arrow::SliceBuffer(values->data()->buffers[1], values->offset(), bytes),
        column.shape);
  }

  /// The bytes of lists that follow each other, all of the size that the schema declares.
  template <typename Lists>
  std::shared_ptr<arrow::Array> bytes_of_lists(const ImageColumn& column,
                                               const Lists& lists) const {
    const auto size = static_cast<std::int64_t>(column.shape.size());
    for (std::int64_t row = 0; row < lists.length(); ++row) {
      if (lists.IsNull(row)) {
        refuse_missing(column);
      }
      if (lists.value_length(row) != size) {
        refuse(column, row,
               fmt::format("is a list of another size than the {} bytes of {}; correct the shape "
                           "in the schema",
                           size, shape_words(column.shape)));
      }
    }
    return lists.values()->Slice(lists.length() == 0 ? 0 : lists.value_offset(0),
                                 lists.length() * size);
  }

  std::shared_ptr<arrow::Array> decoded(const ImageColumn& column,
                                        const arrow::Array& files) const {
    const std::shared_ptr<arrow::Buffer> pixels =
        byte_buffer(static_cast<std::size_t>(files.length()) * column.shape.size());
    std::uint8_t* out = pixels->mutable_data();
    for (std::int64_t row = 0; row < files.length(); ++row) {
      const std::optional<std::string_view> bytes = file_of(files, row);
      if (!bytes) {
        refuse_missing(column);
      }
      if (bytes->size() > kMostPngBytes) {
        refuse(column, row, "is a file of more than a megabyte; write a smaller image");
      }
      const std::vector<std::uint8_t> image =
          decode_png(*bytes, column.shape, name_of(column.place, row));
      out = std::copy(image.begin(), image.end(), out);
    }
    return image_arrow_array(pixels, column.shape);
  }

  std::unique_ptr<BatchSource> source_;
  PartContext part_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<ImageColumn> columns_;
  std::shared_ptr<arrow::RecordBatch> first_;  ///< read to look at it, not handed over yet
  bool has_looked_ = false;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::int64_t place_ = 0;
  std::int64_t record_ = 0;
};

}  // namespace

std::unique_ptr<BatchSource> with_image_columns(std::unique_ptr<BatchSource> source,
                                                const PartContext& part) {
  return std::make_unique<ImageColumns>(std::move(source), part);
}

}  // namespace mehler
