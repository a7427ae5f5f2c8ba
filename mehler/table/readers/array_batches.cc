// Arrays of a file as record batches.

#include <arrow/array/builder_binary.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <optional>

#include "mehler/core/name_suggestions.h"
#include "mehler/table/readers/array_file.h"
#include "mehler/table/readers/arrow_errors.h"
#include "mehler/table/readers/image_arrays.h"

namespace mehler {
namespace {

std::shared_ptr<arrow::DataType> arrow_type(const ElementType& type) {
  const bool is_signed = type.kind == 'i';
  switch (type.kind) {
    case 'b':
      return arrow::boolean();
    case 'U':
      return arrow::utf8();
    case 'f':
      return type.bytes == 4 ? arrow::float32() : arrow::float64();
    default:
      break;
  }
  switch (type.bytes) {
    case 1:
      return is_signed ? arrow::int8() : arrow::uint8();
    case 2:
      return is_signed ? arrow::int16() : arrow::uint16();
    case 4:
      return is_signed ? arrow::int32() : arrow::uint32();
    default:
      return is_signed ? arrow::int64() : arrow::uint64();
  }
}

void append_utf8(std::uint32_t code, std::string& text) {
  const auto add = [&](std::uint32_t bits) { text.push_back(static_cast<char>(bits)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0 | (code >> 6));
    add(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    add(0xe0 | (code >> 12));
    add(0x80 | ((code >> 6) & 0x3f));
    add(0x80 | (code & 0x3f));
  } else {
    add(0xf0 | (code >> 18));
    add(0x80 | ((code >> 12) & 0x3f));
    add(0x80 | ((code >> 6) & 0x3f));
    add(0x80 | (code & 0x3f));
  }
}

/// A text of UTF-32, which zeros fill up; nothing if a number is no character.
std::optional<std::string> text_of(const std::uint8_t* element, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; i += 4) {
    std::uint32_t code = 0;
    std::memcpy(&code, element + i, 4);
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      return std::nullopt;
    }
    append_utf8(code, text);
  }
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

/// One array as a column.
class ArrayColumn {
 public:
  ArrayColumn(NamedArray array, const PartContext& part)
      : name_(std::move(array.name)),
        type_(array.header.type),
        elements_(std::move(array.elements)),
        message_(fmt::format("{} ends before its column '{}' has the entries that its header "
                             "speaks of; copy or download it again",
                             part.what, shown(name_))),
        not_text_(fmt::format("{} has a text in its column '{}' that is none of Unicode; write "
                              "the array again",
                              part.what, shown(name_))) {
    const std::vector<std::uint64_t>& shape = array.header.shape;
    if (has_one_entry_a_record(array.header)) {
      return;
    }
    if (shape.size() != 3 && shape.size() != 4) {
      refuse_part(part,
                  fmt::format("has an array '{}' of {} dimensions; images have 3 (images, rows, "
                              "columns) or 4 (and channels), other columns 1",
                              shown(name_), shape.size()));
    }
    if (type_.kind != 'u' || type_.bytes != 1) {
      refuse_part(part, fmt::format("has images in '{}' that are not of bytes; write them as "
                                    "uint8, from 0 to 255",
                                    shown(name_)));
    }
    image_ = ImageShape{shape[1], shape[2], shape.size() == 4 ? shape[3] : 1};
    check_image_shape(name_, *image_, part);
  }

  const std::optional<ImageShape>& image() const { return image_; }

  std::shared_ptr<arrow::Field> field() const {
    // Of numbers NaN may stand for a missing one; nothing else can be missing in an array.
    return image_ ? image_arrow_field(name_, *image_)
                  : arrow::field(name_, arrow_type(type_), /*nullable=*/type_.kind == 'f');
  }

  std::shared_ptr<arrow::Array> next(std::size_t rows) {
    const std::shared_ptr<arrow::Buffer> bytes =
        byte_buffer(rows * (image_ ? image_->size() : type_.bytes));
    read(bytes->mutable_data(), static_cast<std::size_t>(bytes->size()));
    if (image_) {
      return image_arrow_array(bytes, *image_);
    }
    if (type_.is_big_endian != (std::endian::native == std::endian::big)) {
      swap_bytes(bytes->mutable_data(), rows);
    }
    if (type_.kind == 'b') {
      return booleans(bytes->data(), rows);
    }
    if (type_.kind == 'U') {
      return texts(bytes->data(), rows);
    }
    return arrow::MakeArray(arrow::ArrayData::Make(
        arrow_type(type_), static_cast<std::int64_t>(rows), {nullptr, bytes}, /*null_count=*/0));
  }

  bool is_at_end() {
    char more = 0;
    return elements_->read_fully({&more, 1}) == 0;
  }

 private:
  void read(std::uint8_t* out, std::size_t bytes) {
    if (elements_->read_fully({reinterpret_cast<char*>(out), bytes}) != bytes) {
      throw Error(ErrorCode::kInvalidTable, message_);
    }
  }

  void swap_bytes(std::uint8_t* bytes, std::size_t rows) const {
    const std::size_t unit = type_.kind == 'U' ? 4 : type_.bytes;
    for (std::size_t i = 0; i < rows * type_.bytes; i += unit) {
      std::reverse(bytes + i, bytes + i + unit);
    }
  }

  std::shared_ptr<arrow::Array> texts(const std::uint8_t* bytes, std::size_t rows) const {
    arrow::StringBuilder builder;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::optional<std::string> text = text_of(bytes + row * type_.bytes, type_.bytes);
      if (!text) {
        throw Error(ErrorCode::kInvalidTable, not_text_);
      }
      require_ok(builder.Append(*text), message_);
    }
    auto array = builder.Finish();
    require_ok(array.status(), message_);
    return std::move(array).ValueUnsafe();
  }

  static std::shared_ptr<arrow::Array> booleans(const std::uint8_t* bytes, std::size_t rows) {
    const std::shared_ptr<arrow::Buffer> bits = byte_buffer((rows + 7) / 8);
    std::fill_n(bits->mutable_data(), bits->size(), std::uint8_t{0});
    for (std::size_t row = 0; row < rows; ++row) {
      bits->mutable_data()[row / 8] |= static_cast<std::uint8_t>((bytes[row] != 0) << (row % 8));
    }
    return arrow::MakeArray(arrow::ArrayData::Make(
        arrow::boolean(), static_cast<std::int64_t>(rows), {nullptr, bits}, /*null_count=*/0));
  }

  std::string name_;
  ElementType type_;
  std::unique_ptr<ByteSource> elements_;
  std::string message_;
  std::string not_text_;
  std::optional<ImageShape> image_;
};

/// Archives often have the training and the test set, which are tables of their own.
void refuse_several_sets(const std::vector<NamedArray>& arrays,
                         const std::vector<std::size_t>& places, const PartContext& part) {
  std::vector<std::string> images;
  for (const std::size_t place : places) {
    if (arrays[place].header.shape.size() > 2) {
      images.push_back(arrays[place].name);
    }
  }
  if (images.size() > 1) {
    refuse_part(part,
                fmt::format("holds several sets of images, {}; a table is one of them: write it by "
                            "itself with numpy.savez, its images as 'image' and its labels as "
                            "'label', or give a schema that declares its two arrays and has "
                            "\"others\": \"ignored\"",
                            quoted_columns(images)));
  }
}

class ArrayBatches : public BatchSource {
 public:
  ArrayBatches(std::vector<ArrayColumn> columns, std::uint64_t rows, const PartContext& part)
      : columns_(std::move(columns)),
        left_(rows),
        batch_rows_(kBatchRows),
        message_(part.what + " holds more bytes than its header says; copy or download it again") {
    arrow::FieldVector fields;
    for (const ArrayColumn& column : columns_) {
      fields.push_back(column.field());
      if (column.image()) {
        batch_rows_ = image_batch_rows(*column.image());
      }
    }
    schema_ = arrow::schema(std::move(fields));
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  std::shared_ptr<arrow::RecordBatch> next() override {
    if (left_ == 0) {
      if (!std::all_of(columns_.begin(), columns_.end(),
                       [](ArrayColumn& column) { return column.is_at_end(); })) {
        throw Error(ErrorCode::kInvalidTable, message_);
      }
      return nullptr;
    }
    const std::uint64_t rows = std::min<std::uint64_t>(left_, batch_rows_);
    left_ -= rows;
    arrow::ArrayVector arrays;
    for (ArrayColumn& column : columns_) {
      arrays.push_back(column.next(rows));
    }
    return arrow::RecordBatch::Make(schema_, static_cast<std::int64_t>(rows), std::move(arrays));
  }

 private:
  std::vector<ArrayColumn> columns_;
  std::uint64_t left_;
  std::int64_t batch_rows_;
  std::string message_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace

bool has_one_entry_a_record(const ArrayHeader& header) {
  return header.shape.size() == 1 || (header.shape.size() == 2 && header.shape[1] == 1);
}

std::unique_ptr<BatchSource> array_batches(std::vector<NamedArray> arrays,
                                           const PartContext& part) {
  std::vector<std::string> names;
  for (const NamedArray& array : arrays) {
    names.push_back(array.name);
  }
  const SelectedColumns selected = select_columns(names, NamesFrom::kElsewhere, part);
  refuse_several_sets(arrays, selected.places, part);
  const std::uint64_t rows = arrays[selected.places.front()].header.shape[0];
  std::vector<ArrayColumn> columns;
  for (const std::size_t place : selected.places) {
    const ArrayHeader& header = arrays[place].header;
    if (header.shape[0] != rows) {
      refuse_part(part, fmt::format("has more or fewer entries of '{}' than of '{}'; every image "
                                    "has one label: give the two that belong together",
                                    shown(names[place]), shown(names[selected.places.front()])));
    }
    columns.emplace_back(std::move(arrays[place]), part);
  }
  if (rows == 0) {
    refuse_part(part, "holds no records: its header says that there are 0; check the file");
  }
  return std::make_unique<ArrayBatches>(std::move(columns), rows, part);
}

}  // namespace mehler
