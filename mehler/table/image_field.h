#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mehler/core/image_shape.h"
#include "mehler/table/arrow_c_interface.h"

namespace mehler {

/// The key of a field's metadata under which the shape of its images stands: "28,28,1".
inline constexpr const char* kImageShapeKey = "mehler:image_shape";

/// The key under which a reader notes that the shape was not in the file's types but is that of the
/// first image.
inline constexpr const char* kImageShapeGuessedKey = "mehler:image_shape_guessed";

/// "28,28,1".
std::string image_shape_text(const ImageShape& shape);

/// The metadata of a field of images, as the Arrow C data interface encodes it.
std::string image_metadata(const ImageShape& shape);

/// The shape of the images that a column of lists of bytes may hold: the one that the field's
/// metadata says, else a square, grey or in colour, of so many bytes. Nothing for another column,
/// and where neither gives a shape.
std::optional<ImageShape> image_shape_of(const ArrowSchema& field);

/// How a column has to be written or declared if it is of images, by its type alone: of lists and
/// binary values that no shape was found for. Empty for another type.
std::string_view image_hint(const ArrowSchema& field);

/// Whether that shape is a guess from a record.
bool image_shape_is_guessed(const ArrowSchema& field);

}  // namespace mehler
