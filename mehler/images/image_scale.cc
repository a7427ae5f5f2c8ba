#include "mehler/images/image_scale.h"

#include <fmt/format.h>

#include <cmath>

#include "mehler/core/error.h"

namespace mehler {

double image_scale(const ImageShape& shape) {
  return std::sqrt(static_cast<double>(shape.rows * shape.columns)) / kReferenceSide;
}

void validate_image_shape(const ImageShape& shape) {
  for (const std::size_t side : {shape.rows, shape.columns}) {
    if (side < 1 || side > kLongestSide) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("an image must have 1 to {} rows and columns, but the shape is {} x "
                              "{}; scale the images first",
                              kLongestSide, shape.rows, shape.columns));
    }
  }
  if (shape.channels != 1 && shape.channels != 3) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("an image must have 1 channel (grey) or 3 (red, green, blue), but the "
                            "shape has {}; convert the images first",
                            shape.channels));
  }
}

}  // namespace mehler
