#pragma once

#include <memory>

#include "mehler/table/readers/column_selection.h"
#include "mehler/table/readers/stream_export.h"

namespace mehler {

/// Batches of a Parquet or Arrow table, with columns of images as streams have them: fixed-size
/// lists of bytes whose field says the shape.
///
/// Images are taken from lists of bytes, of fixed size (also lists of lists: rows, columns, and
/// channels) or not, and from PNG files: binary values, or structs with such a field "bytes", as
/// Hugging Face writes them. With a schema its columns of images are converted; without one those
/// that can be images, with the shape of the first. Throws Error(kInvalidTable).
std::unique_ptr<BatchSource> with_image_columns(std::unique_ptr<BatchSource> source,
                                                const PartContext& part);

}  // namespace mehler
