#include "mehler/images/distance_field.h"

#include "mehler/core/error.h"
#include "mehler/core/wiping.h"
#include "mehler/simd/crossing_squares.h"
#include "mehler/simd/outline_pixels.h"

namespace mehler {
namespace {

void transpose_field(std::span<const double> from, std::size_t rows, std::size_t columns,
                     std::span<double> to) {
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t row = 0; row < rows; ++row) {
      to[c * rows + row] = from[row * columns + c];
    }
  }
}

}  // namespace

void signed_distances(std::span<const double> values, std::size_t rows, std::size_t columns,
                      const DistanceFieldOptions& options, std::span<double> distances) {
  const std::size_t pixels = rows * columns;
  MEHLER_ASSERT(pixels > 0 && values.size() == pixels && distances.size() == pixels);
  WipedVector<double> fields((4 + kCrossingScratch) * pixels);
  const auto field = [&](std::size_t i) { return std::span(fields).subspan(i * pixels, pixels); };
  const auto heights = field(0);
  const auto squares = field(1);
  const auto turned = field(2);
  const auto turned_squares = field(3);
  const auto scratch = std::span(fields).subspan(4 * pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    heights[i] = values[i] - options.level;
  }
  crossing_squares(heights, rows, columns, options.reach, scratch, squares);
  transpose_field(heights, rows, columns, turned);
  crossing_squares(turned, columns, rows, options.reach, scratch, turned_squares);
  transpose_field(turned_squares, columns, rows, turned);
  signed_roots(heights, squares, turned, distances);
}

}  // namespace mehler
