#pragma once

#include <cstddef>

#include "mehler/core/image_shape.h"

namespace mehler {

/// The constants of method images are those of pictures of 28 x 28 pixels. Other sizes are taken
/// for the same pictures in other pixels: lengths are multiplied by image_scale(), frequencies are
/// counted in waves a picture, brightness is averaged.
constexpr double kReferenceSide = 28.0;

constexpr std::size_t kLongestSide = 64;

/// Pixels of the shape that one pixel of 28 x 28 is long: sqrt(rows columns) / 28.
double image_scale(const ImageShape& shape);

/// Throws Error(kInvalidArgument) unless both sides lie in 1 .. 64 and there are 1 or 3 channels.
void validate_image_shape(const ImageShape& shape);

}  // namespace mehler
