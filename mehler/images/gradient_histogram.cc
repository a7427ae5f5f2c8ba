#include "mehler/images/gradient_histogram.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/images/image_scale.h"
#include "mehler/images/pooling.h"
#include "mehler/simd/gradient_directions.h"

namespace mehler {
namespace {

constexpr std::size_t kMostCells = 7;
static_assert(kMostCells <= kMostDirectionCells);
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

DirectionCells cells_of(const ImageShape& shape, double margin) {
  DirectionCells cells;
  cells.columns = shape.columns;
  for (PoolingWindow& rows :
       pooling_windows(shape.rows, std::min(shape.rows, kMostCells), margin)) {
    cells.down.push_back({rows.first, std::move(rows.weights)});
  }
  cells.cells_across = std::min(shape.columns, kMostCells);
  cells.across.assign(shape.columns * kMostDirectionCells, 0.0F);
  const std::vector<PoolingWindow> across =
      pooling_windows(shape.columns, cells.cells_across, margin);
  for (std::size_t j = 0; j < across.size(); ++j) {
    for (std::size_t i = 0; i < across[j].weights.size(); ++i) {
      cells.across[(across[j].first + i) * kMostDirectionCells + j] = across[j].weights[i];
    }
  }
  return cells;
}

}  // namespace

GradientHistogram::GradientHistogram(const ImageShape& shape,
                                     const GradientHistogramOptions& options)
    : rows_(shape.rows),
      columns_(shape.columns),
      scale_(static_cast<float>(image_scale(shape))),
      blur_(rows_, columns_, options.sigma * image_scale(shape)),
      cells_(cells_of(shape, options.margin)) {}

std::size_t GradientHistogram::scratch_size() const {
  return rows_ * columns_ + (rows_ + 2) * (columns_ + 2) +
         2 * (rows_ * (columns_ + 2) + kDirectionSlack) + blur_.scratch_size();
}

void GradientHistogram::compute(std::span<const float> field, std::span<float> scratch,
                                std::span<float> histogram, std::span<float> magnitudes) const {
  const std::size_t pixels = rows_ * columns_;
  const std::size_t width = columns_ + 2;
  MEHLER_ASSERT(field.size() == pixels && histogram.size() == dimension());
  MEHLER_ASSERT(magnitudes.empty() || magnitudes.size() == pixels);
  MEHLER_ASSERT(scratch.size() >= scratch_size());
  const auto take = [&](std::size_t count) {
    const std::span<float> taken = scratch.first(count);
    scratch = scratch.subspan(count);
    return taken;
  };
  const auto blurred = take(pixels);
  const auto bordered = take((rows_ + 2) * width);
  // All pixels in one run, with those of the border between rows, which nothing looks at.
  const auto lengths = take(rows_ * width + kDirectionSlack).first(rows_ * width - 2);
  const auto positions = take(rows_ * width + kDirectionSlack).first(rows_ * width - 2);
  blur_.apply(field, scratch, blurred);
  repeat_border(blurred, rows_, columns_, bordered);
  const float* first_row = &bordered[width];
  gradient_directions({.above = first_row - width + 1,
                       .left = first_row,
                       .right = first_row + 2,
                       .below = first_row + width + 1},
                      scale_, kFaint, lengths, positions);
  direction_histogram(cells_, lengths.data(), positions.data(), width, kLeastEnergy, kLargestShare,
                      histogram);
  for (std::size_t r = 0; !magnitudes.empty() && r < rows_; ++r) {
    std::copy_n(&lengths[r * width], columns_, &magnitudes[r * columns_]);
  }
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
