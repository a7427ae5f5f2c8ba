#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mehler/core/image_shape.h"
#include "mehler/images/cosine_transform.h"
#include "mehler/images/distance_field.h"

namespace mehler {

/// What a coordinate of a code is a frequency of.
enum class CodecBlock : std::uint8_t {
  kBrightness,  ///< grey, or .299 red + .587 green + .114 blue
  kSilhouette,  ///< the signed distance to where the brightness is .05
  kBlue,        ///< colour: .564 (blue - brightness)
  kRed,         ///< colour: .713 (red - brightness)
};

/// One number of a code.
struct CodecCoordinate {
  CodecBlock block = CodecBlock::kBrightness;
  WaveNumbers waves;  ///< half waves a picture, down and across

  /// down + across: what weights depend on, and the radial frequency of residuals.
  std::size_t frequency() const { return waves.down + waves.across; }
  bool operator==(const CodecCoordinate&) const = default;
};

/// A public code of small images, invertible up to fine detail: low frequencies of the brightness
/// (and colour), and of the silhouette, which keeps outlines sharp where a cosine series would
/// blur them.
///
///   u = a (s_k (C x C^T)_k, w s_k (C (d/reach) C^T)_k, colour: s_k (C x' C^T)_k of both colours)
///
/// C: the orthonormal DCT-II; k = down + across; s_k = sqrt(1 + k/4); w = .5; d: signed_distances.
/// For 28 x 28 grey pixels k < 24 of the brightness (300 numbers) and k < 14 of the silhouette
/// (105), reach = 4, a = 1.
///
/// Other sizes are the same recipe, such that one picture has nearly the same code in any number of
/// pixels:
/// - frequencies are counted in half waves a picture. Of the brightness k < 24, or 6/7 of the side
///   where that is more: a small image is a coarse view of a picture, and all it shows is kept. Of
///   the silhouette k < 1/2 of the side: an outline is smooth. Sides that differ give the triangle
///   k1/L1 + k2/L2 < 1. Sides above 48 count as 48: finer detail is below the noise of a private
///   covariance, which would have millions of entries (dimension() is at most 1665).
/// - a = 28 / sqrt(rows columns): a white image has the length 28 at any size, so radii and their
///   histogram mean the same.
/// - reach is 4 pixels of 28, 4 sqrt(rows columns) / 28 pixels, but at least 2: an outline is drawn
///   one pixel wide.
///
/// Colour: brightness and its silhouette as if it were grey, then the two differences (those of
/// JPEG) with limits of half the brightness's: eyes and classifiers need less of colour's detail.
/// An image of three equal channels has the grey image's code and zeros.
///
/// Each image is computed alone, in double precision and a fixed order: the same bits in any batch,
/// on any thread. Thread-safe.
class ImageCodec {
 public:
  /// Throws Error(kInvalidArgument) for shapes that validate_image_shape refuses.
  explicit ImageCodec(const ImageShape& shape);

  const ImageShape& shape() const { return shape_; }
  /// Numbers of a code: 405 for 28 x 28 grey.
  std::size_t dimension() const { return coordinates_.size(); }
  std::span<const CodecCoordinate> coordinates() const { return coordinates_; }

  /// `pixels`: shape().size() bytes; `code`: dimension() numbers.
  /// About 8 microseconds for 28 x 28; memory of its own is wiped.
  void encode(std::span<const std::uint8_t> pixels, std::span<double> code) const;

  /// The image of a code, in [0, 1], [rows][columns][channels]:
  /// clamp(pixels, 0, 1) clamp(1 - d, 0, 1), and 0 where that is below .02. A number of the code
  /// that is not finite counts as 0.
  void decode(std::span<const double> code, std::span<float> image) const;

 private:
  void add_block(CodecBlock block, const CosineTransform& transform, double factor);

  ImageShape shape_;
  DistanceFieldOptions outline_;
  std::vector<CosineTransform> transforms_;  // of blocks, in the order of CodecBlock
  std::vector<std::size_t> starts_;          // of blocks among the coordinates
  std::vector<CodecCoordinate> coordinates_;
  std::vector<double> weights_;  // of coordinates
};

}  // namespace mehler
