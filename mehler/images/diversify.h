#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mehler/core/image_shape.h"
#include "mehler/images/gaussian_blur.h"

namespace mehler {

/// How far diversified images differ from what they were.
struct DiversifyOptions {
  double elastic = 1.3;     ///< displacement, in pixels of 28 x 28, up to; 0: none
  double gamma = 0.3;       ///< of ln of the exponent, up to, either way
  double brightness = 0.2;  ///< of ln of the factor, up to, either way
};

/// Warps images elastically and changes their contrast and brightness, so that they ask a teacher
/// about more than their law would.
///
/// Two fields of independent numbers, blurred (sigma 4, brought back to deviation 1) and multiplied
/// by a ~ U(0, elastic), are where a pixel's value comes from, relative to it; between pixels it is
/// interpolated, outside of the picture it is 0. Then x becomes min(1, b x^g), ln g ~ U(-gamma,
/// gamma), ln b ~ U(-brightness, brightness). Lengths scale with the image's size. Channels are
/// treated alike.
///
/// Privacy: for synthetic images. The randomness is public.
class Diversifier {
 public:
  /// Throws Error(kInvalidArgument) for shapes that validate_image_shape refuses, and unless the
  /// options are in [0, 4].
  explicit Diversifier(const ImageShape& shape, const DiversifyOptions& options = {});

  /// `image`: [rows][columns][channels] in [0, 1], is changed in place. The result depends on it,
  /// the seed and the number alone. Thread-safe. About 5 microseconds for 28 x 28.
  void apply(std::uint64_t seed, std::uint64_t number, std::span<float> image) const;

 private:
  void warp(std::span<const float> down, std::span<const float> across,
            std::span<float> image) const;

  ImageShape shape_;
  DiversifyOptions options_;
  GaussianBlur blur_;
  double unit_;  // what brings a blurred field to a deviation of one pixel of 28 x 28
};

}  // namespace mehler
