#include "mehler/table/readers/array_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/overloaded.h"
#include "mehler/table/readers/array_file.h"

namespace mehler {
namespace {

/// Whether a column can be an array: numbers, booleans and texts, of which none is missing.
void check_array_column(const std::filesystem::path& path, const Column& column) {
  if (column.kind == ColumnKind::kDate || column.kind == ColumnKind::kDatetime) {
    refuse_output(
        path, fmt::format("would be an array, and the column '{}' holds dates or times; end its "
                          "name with .parquet, .arrow or / for a folder of images",
                          shown(column.name)));
  }
  if (column.missing) {
    refuse_output(path,
                  fmt::format("would be an array, and the column '{}' may be missing; end its name "
                              "with .parquet, .arrow or / for a folder of images",
                              shown(column.name)));
  }
}

/// The characters of a text of UTF-8, which those of schemas are.
std::vector<std::uint32_t> characters(std::string_view text) {
  std::vector<std::uint32_t> codes;
  for (const char byte : text) {
    const auto bits = static_cast<std::uint8_t>(byte);
    if ((bits & 0xc0) == 0x80 && !codes.empty()) {
      codes.back() = (codes.back() << 6) | (bits & 0x3f);
    } else {
      const int ones = std::countl_one(bits);
      codes.push_back(ones == 0 ? bits : bits & (0xffU >> (ones + 1)));
    }
  }
  return codes;
}

}  // namespace

void refuse_output(const std::filesystem::path& path, const std::string& complaint) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("the output '{}' {}", path.string(), complaint));
}

void require_arrays(const std::filesystem::path& path, const Schema& schema) {
  if (schema.image() == nullptr) {
    refuse_output(path,
                  "is for images, but the schema has no column of the kind image; end its name "
                  "with .csv, .parquet or .arrow");
  }
  for (const Column& column : schema.columns()) {
    if (column.is_used() && !column.is_image()) {
      check_array_column(path, column);
    }
  }
}

ImageTable image_table(const std::filesystem::path& path, const Table& rows) {
  ImageTable table;
  for (const TableColumn& column : rows.columns) {
    if (const auto* images = std::get_if<ImageValues>(&column.values)) {
      table.images = images;
      table.name = column.name;
    } else {
      table.others.push_back(&column);
    }
  }
  if (table.images == nullptr) {
    refuse_output(
        path, "is for images, but the table has none; end its name with .csv, .parquet or .arrow");
  }
  return table;
}

std::vector<std::uint64_t> array_shape(const ImageShape& shape, std::uint64_t images) {
  std::vector<std::uint64_t> sizes = {images, shape.rows, shape.columns};
  if (shape.channels != 1) {
    sizes.push_back(shape.channels);
  }
  return sizes;
}

void GrowingArray::add(const TableColumn& column) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values);
      texts != nullptr && integer_range(column.type)) {
    type_ = "<i8";
    for (const std::string& text : *texts) {
      append_number(plain_integer(text).value_or(0), elements_);
    }
    return;
  }
  std::visit(Overloaded{[&](const std::vector<double>& values) {
                          type_ = "<f8";
                          std::for_each(values.begin(), values.end(),
                                        [&](double value) { append_number(value, elements_); });
                        },
                        [&](const std::vector<std::int64_t>& values) {
                          const bool is_boolean =
                              column.kind == ColumnKind::kBoolean && !integer_range(column.type);
                          type_ = is_boolean ? "|b1" : "<i8";
                          for (const std::int64_t value : values) {
                            if (is_boolean) {
                              elements_.push_back(static_cast<char>(value));
                            } else {
                              append_number(value, elements_);
                            }
                          }
                        },
                        [&](const std::vector<std::string>& values) {
                          texts_.insert(texts_.end(), values.begin(), values.end());
                        },
                        [](const ImageValues&) { MEHLER_ASSERT(false && "images are written"); }},
             column.values);
}

std::string GrowingArray::file(std::uint64_t rows) const {
  if (texts_.empty()) {
    return npy_header(type_.empty() ? "<i8" : type_, {rows}) + elements_;
  }
  std::size_t longest = 1;
  for (const std::string& text : texts_) {
    longest = std::max(longest, characters(text).size());
  }
  std::string file = npy_header(fmt::format("<U{}", longest), {rows});
  for (const std::string& text : texts_) {
    std::vector<std::uint32_t> codes = characters(text);
    codes.resize(longest);
    std::for_each(codes.begin(), codes.end(),
                  [&](std::uint32_t code) { append_number(code, file); });
  }
  return file;
}

}  // namespace mehler
