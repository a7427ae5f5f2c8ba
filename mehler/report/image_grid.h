#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mehler/table/table.h"

namespace mehler {

/// Images of one kind, beside each other.
struct ImageGridRow {
  std::string label;  ///< drawn to the left: its first letters and digits
  ImageValues images;
};

/// Pixels that the longer side of an enlarged image has at most.
inline constexpr std::size_t kGridSide = 48;

/// A picture of images to look at: a row of it for each of `rows`, which all have images of one
/// shape, on white, with the labels in letters of 3 x 5 squares. At least one image is needed.
/// Small ones are enlarged by a whole factor, as far as kGridSide allows.
ImageValues image_grid(const std::vector<ImageGridRow>& rows);

}  // namespace mehler
