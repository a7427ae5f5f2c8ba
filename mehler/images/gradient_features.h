#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "mehler/core/image_shape.h"
#include "mehler/images/gradient_histogram.h"
#include "mehler/images/pooling.h"

namespace mehler {

/// What a linear teacher sees of an image: three histograms of gradients (of fine and of coarse
/// edges, and of where coarse edges are dense) and the pixels in 14 x 14 means.
///
///   (H(x; .7, 1/4), H(x; 1.5, 1/2), H(m; 1, 1/2), P(x)) / 2
///
/// H(x; sigma, margin): GradientHistogram; m: the magnitudes of the second one's gradients; P:
/// means in 14 x 14 cells, as many as a side has pixels where those are fewer, of length 1. For 28
/// x 28 grey pixels 3 * 392 + 196 = 1372 numbers. Other sizes have the same cells, larger or
/// smaller, and all other lengths scaled with them. Colour: the gradients are those of the
/// brightness, the means those of all channels (1764 numbers).
///
/// The length is 1, and sqrt(3)/2 for a black image, which has no P. Rounding adds less than 1e-6.
///
/// Each image is computed alone, in single precision and a fixed order: the same bits in any batch,
/// on any thread. Thread-safe.
class GradientFeatures {
 public:
  /// Throws Error(kInvalidArgument) for shapes that validate_image_shape refuses.
  explicit GradientFeatures(const ImageShape& shape);

  const ImageShape& shape() const { return shape_; }
  std::size_t dimension() const { return dimension_; }

  /// `image`: [rows][columns][channels] in [0, 1]; `features`: dimension() numbers.
  /// About 7 microseconds for 28 x 28; memory of its own is wiped.
  void compute(std::span<const float> image, std::span<float> features) const;

 private:
  ImageShape shape_;
  std::array<GradientHistogram, 3> histograms_;
  Pooling means_;
  std::size_t dimension_;
};

}  // namespace mehler
