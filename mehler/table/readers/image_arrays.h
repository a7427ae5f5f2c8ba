#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mehler/core/image_shape.h"
#include "mehler/table/readers/column_selection.h"

namespace arrow {
class Array;
class Buffer;
class Field;
}  // namespace arrow

namespace mehler {

/// Where the shape of a column of images comes from.
enum class ShapeFrom { kTypeOrSchema, kFirstImage };

/// The field of a column of images in a stream; its metadata says the shape.
std::shared_ptr<arrow::Field> image_arrow_field(const std::string& name, const ImageShape& shape,
                                                ShapeFrom from = ShapeFrom::kTypeOrSchema);

/// Images as a column of the type of that field. `pixels` has whole images.
std::shared_ptr<arrow::Array> image_arrow_array(std::shared_ptr<arrow::Buffer> pixels,
                                                const ImageShape& shape);

/// Memory for the values of a column.
std::shared_ptr<arrow::Buffer> byte_buffer(std::size_t bytes);

/// Records of a batch: as many as have a few megabytes of pixels, at most kBatchRows.
std::int64_t image_batch_rows(const ImageShape& shape);

/// Throws Error(kInvalidTable) if a shape has sides or channels that images cannot have, or if the
/// schema declares the column an image of another shape.
void check_image_shape(const std::string& column, const ImageShape& shape, const PartContext& part);

}  // namespace mehler
