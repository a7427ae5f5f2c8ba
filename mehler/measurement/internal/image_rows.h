#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mehler/core/wiping.h"
#include "mehler/counts/vector_sum.h"

namespace mehler {

/// Images whose vectors are computed together: for speed alone.
inline constexpr std::size_t kImageTile = 512;

/// Calls work(scores, classes, begin, end) for the images of the rows in [first, last), some at a
/// time: their scores, [rows][scores], and classes. `pixels_of(row)` and `class_of(row)` say what a
/// row holds.
void for_image_tiles(const ImageScores& scores, std::size_t first, std::size_t last,
                     const auto& pixels_of, const auto& class_of, const auto& work) {
  const std::size_t size = scores.size();
  WipedVector<float> of_rows;
  WipedVector<std::uint32_t> classes;
  for (std::size_t begin = first; begin < last; begin += kImageTile) {
    const std::size_t end = std::min(begin + kImageTile, last);
    of_rows.resize((end - begin) * size);
    classes.resize(end - begin);
    for (std::size_t row = begin; row < end; ++row) {
      scores.evaluate(std::span<const std::uint8_t>(pixels_of(row), scores.shape().size()),
                      std::span(of_rows).subspan((row - begin) * size, size));
      classes[row - begin] = class_of(row);
    }
    work(std::span<const float>(of_rows), std::span<const std::uint32_t>(classes), begin, end);
  }
}

}  // namespace mehler
