#include "mehler/table/readers/image_arrays.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "mehler/core/name_suggestions.h"
#include "mehler/table/image_field.h"
#include "mehler/table/readers/png_image.h"
#include "mehler/table/readers/stream_export.h"

namespace mehler {
namespace {

std::shared_ptr<arrow::DataType> image_type(const ImageShape& shape) {
  return arrow::fixed_size_list(arrow::uint8(), static_cast<std::int32_t>(shape.size()));
}

}  // namespace

std::shared_ptr<arrow::Field> image_arrow_field(const std::string& name, const ImageShape& shape,
                                                ShapeFrom from) {
  std::vector<std::string> keys = {kImageShapeKey};
  std::vector<std::string> values = {image_shape_text(shape)};
  if (from == ShapeFrom::kFirstImage) {
    keys.emplace_back(kImageShapeGuessedKey);
    values.emplace_back("by the first image");
  }
  return arrow::field(name, image_type(shape), /*nullable=*/true,
                      arrow::key_value_metadata(std::move(keys), std::move(values)));
}

std::shared_ptr<arrow::Array> image_arrow_array(std::shared_ptr<arrow::Buffer> pixels,
                                                const ImageShape& shape) {
  const std::int64_t bytes = pixels->size();
  const std::int64_t images = bytes / static_cast<std::int64_t>(shape.size());
  return std::make_shared<arrow::FixedSizeListArray>(
      image_type(shape), images, std::make_shared<arrow::UInt8Array>(bytes, std::move(pixels)));
}

std::shared_ptr<arrow::Buffer> byte_buffer(std::size_t bytes) {
  auto buffer = arrow::AllocateBuffer(static_cast<std::int64_t>(bytes));
  if (!buffer.ok()) {
    throw std::bad_alloc();
  }
  return std::move(buffer).ValueUnsafe();
}

std::int64_t image_batch_rows(const ImageShape& shape) {
  constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
  return std::min(kBatchRows, static_cast<std::int64_t>(kBatchBytes / shape.size()));
}

void check_image_shape(const std::string& column, const ImageShape& shape,
                       const PartContext& part) {
  if (shape.rows < 1 || shape.rows > kLongestImageSide || shape.columns < 1 ||
      shape.columns > kLongestImageSide) {
    const bool is_empty = shape.rows < 1 || shape.columns < 1;
    refuse_part(part, fmt::format("holds images of {} x {} pixels; each side must have 1 to {}: {}",
                                  shape.rows, shape.columns, kLongestImageSide,
                                  is_empty ? "write the array again" : "scale the images down"));
  }
  if (shape.channels != 1 && shape.channels != 3) {
    refuse_part(part, fmt::format("holds images with {} channels; allowed are 1 (grey) and 3 (red, "
                                  "green, blue), behind rows and columns",
                                  shape.channels));
  }
  const Column* declared = part.schema == nullptr ? nullptr : part.schema->find(column);
  if (declared != nullptr && declared->is_image() && declared->shape != shape) {
    refuse_part(part,
                fmt::format("holds images of {}, but the schema declares the column '{}' {}; "
                            "correct the shape in the schema, or convert the images",
                            shape_words(shape), shown(column), shape_words(*declared->shape)));
  }
}

}  // namespace mehler
