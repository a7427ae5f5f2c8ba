#pragma once

#include <cstddef>
#include <span>

#include "mehler/core/image_shape.h"
#include "mehler/images/gaussian_blur.h"
#include "mehler/simd/direction_histogram.h"

namespace mehler {

/// Signed directions of gradients, 45 degrees apart.
constexpr std::size_t kOrientations = kDirections;

/// What a histogram of gradients looks at, in pixels of 28 x 28.
struct GradientHistogramOptions {
  double sigma = 1.0;   ///< of the blur before
  double margin = 0.5;  ///< of a cell that its window is wider, at each end
};

/// Histograms of the directions of gradients in 7 x 7 cells of a picture (fewer where a side has
/// fewer pixels), of length 1.
///
/// Blur; central differences, the border repeated; each pixel's magnitude goes to the two nearest
/// directions, in proportion to how near (to direction 0 alone where the magnitude is at most .002,
/// which is noise of 8 bits); means over windows. A cell is divided by sqrt(the mean energy of the
/// 3 x 3 cells around + .001), clamped at .6; then all by their length.
///
/// Lengths, and with them differences, are those of 28 x 28 pixels. Each image is computed alone,
/// in single precision and a fixed order. Thread-safe.
class GradientHistogram {
 public:
  GradientHistogram(const ImageShape& shape, const GradientHistogramOptions& options);

  /// Cells times directions: 392 from 7 x 7 pixels on.
  std::size_t dimension() const { return cells_.down.size() * cells_.cells_across * kOrientations; }

  /// `field`: [rows][columns], finite; `histogram`: [cells down][cells across][directions];
  /// `magnitudes`: [rows][columns], of the gradients, or empty.
  /// `scratch`: scratch_size() finite numbers, which the caller wipes.
  void compute(std::span<const float> field, std::span<float> scratch, std::span<float> histogram,
               std::span<float> magnitudes) const;
  std::size_t scratch_size() const;

 private:
  std::size_t rows_;
  std::size_t columns_;
  float scale_;
  GaussianBlur blur_;
  DirectionCells cells_;
};

/// Divides by the length, if it is not 0.
void scale_to_length_one(std::span<float> values);

}  // namespace mehler
