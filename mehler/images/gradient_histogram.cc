#include "mehler/images/gradient_histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "mehler/core/error.h"
#include "mehler/core/wiping.h"
#include "mehler/images/image_scale.h"
#include "mehler/simd/gradient_directions.h"

namespace mehler {
namespace {

constexpr std::size_t kMostCells = 7;
constexpr float kFaint = 0.002F;
constexpr float kLeastEnergy = 1e-3F;
constexpr float kLargestShare = 0.6F;

/// The field with its outermost pixels once more around it.
void repeat_border(std::span<const float> field, std::size_t rows, std::size_t columns,
                   std::span<float> bordered) {
  for (std::size_t r = 0; r < rows + 2; ++r) {
    const float* from = &field[std::clamp<std::size_t>(r, 1, rows) * columns - columns];
    float* to = &bordered[r * (columns + 2)];
    to[0] = from[0];
    std::copy_n(from, columns, to + 1);
    to[columns + 1] = from[columns - 1];
  }
}

}  // namespace

GradientHistogram::GradientHistogram(const ImageShape& shape,
                                     const GradientHistogramOptions& options)
    : rows_(shape.rows),
      columns_(shape.columns),
      cells_down_(std::min(rows_, kMostCells)),
      cells_across_(std::min(columns_, kMostCells)),
      scale_(static_cast<float>(image_scale(shape))),
      blur_(rows_, columns_, options.sigma * image_scale(shape)),
      pooling_(rows_, columns_, kOrientations, cells_down_, cells_across_, options.margin) {}

void GradientHistogram::add_directions(std::span<const float> bordered, std::span<float> directed,
                                       std::span<float> magnitudes) const {
  // All pixels in one run, with those of the border between rows, which nothing looks at.
  const std::size_t width = columns_ + 2;
  WipedVector<float> lengths(rows_ * width - 2);
  WipedVector<float> positions(lengths.size());
  const float* first_row = &bordered[width];
  gradient_directions({.above = first_row - width + 1,
                       .left = first_row,
                       .right = first_row + 2,
                       .below = first_row + width + 1},
                      scale_, kFaint, lengths, positions);
  for (std::size_t r = 0; r < rows_; ++r) {
    for (std::size_t c = 0; c < columns_; ++c) {
      const float length = lengths[r * width + c];
      const float position = positions[r * width + c];
      magnitudes[r * columns_ + c] = length;
      float* pixel = &directed[(r * columns_ + c) * kOrientations];
      const auto first = static_cast<std::uint32_t>(position);
      const float share = position - static_cast<float>(first);
      pixel[first % kOrientations] = length * (1.0F - share);
      pixel[(first + 1) % kOrientations] = length * share;
    }
  }
}

void GradientHistogram::compute(std::span<const float> field, std::span<float> histogram,
                                std::span<float> magnitudes) const {
  const std::size_t pixels = rows_ * columns_;
  MEHLER_ASSERT(field.size() == pixels && histogram.size() == dimension());
  MEHLER_ASSERT(magnitudes.size() == pixels);
  WipedVector<float> blurred(pixels);
  WipedVector<float> bordered((rows_ + 2) * (columns_ + 2));
  WipedVector<float> directed(pixels * kOrientations, 0.0F);
  blur_.apply(field, blurred);
  repeat_border(blurred, rows_, columns_, bordered);
  add_directions(bordered, directed, magnitudes);
  pooling_.apply(directed, histogram);
  const std::size_t cells = cells_down_ * cells_across_;
  WipedVector<float> energies(cells, 0.0F);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    for (const float value : histogram.subspan(cell * kOrientations, kOrientations)) {
      energies[cell] += value * value;
    }
  }
  for (std::size_t i = 0; i < cells_down_; ++i) {
    for (std::size_t j = 0; j < cells_across_; ++j) {
      float around = 0.0F;
      for (std::size_t k = i - std::min<std::size_t>(i, 1); k < std::min(i + 2, cells_down_); ++k) {
        for (std::size_t l = j - std::min<std::size_t>(j, 1); l < std::min(j + 2, cells_across_);
             ++l) {
          around += energies[k * cells_across_ + l];
        }
      }
      const float divisor = std::sqrt(around / 9.0F + kLeastEnergy);
      for (float& value :
           histogram.subspan((i * cells_across_ + j) * kOrientations, kOrientations)) {
        value = std::min(value / divisor, kLargestShare);
      }
    }
  }
  scale_to_length_one(histogram);
}

void scale_to_length_one(std::span<float> values) {
  double square = 0.0;
  for (const float value : values) {
    square += static_cast<double>(value) * static_cast<double>(value);
  }
  if (square > 0.0) {
    const double factor = 1.0 / std::sqrt(square);
    for (float& value : values) {
      value = static_cast<float>(factor * static_cast<double>(value));
    }
  }
}

}  // namespace mehler
