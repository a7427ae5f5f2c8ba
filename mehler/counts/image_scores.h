#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "mehler/core/image_shape.h"
#include "mehler/images/gradient_features.h"
#include "mehler/images/image_codec.h"

namespace mehler {

/// What an image looks like as a vector of numbers.
enum class ImageScoreKind {
  kCode,       ///< ImageCodec: an image can be drawn from it
  kGradients,  ///< GradientFeatures: what a classifier looks at
};

/// The public scores of the images of one column. Immutable and thread-safe.
///
/// Privacy: depend on the pixels of one image alone, and are bounded by nothing: whoever sums them
/// shortens them first.
class ImageScores {
 public:
  /// `column`: index into Encoder::columns(). Throws Error(kInvalidArgument) for a shape that no
  /// image column has.
  ImageScores(std::size_t column, const ImageShape& shape, ImageScoreKind kind);

  std::size_t column() const { return column_; }
  const ImageShape& shape() const { return shape_; }
  ImageScoreKind kind() const { return kind_; }
  /// Numbers of one image.
  std::size_t size() const;

  /// Of one image, from its shape().size() bytes. The same bits in any batch and on any thread.
  void evaluate(std::span<const std::uint8_t> pixels, std::span<float> scores) const;

  bool operator==(const ImageScores& other) const {
    return column_ == other.column_ && shape_ == other.shape_ && kind_ == other.kind_;
  }

 private:
  std::size_t column_;
  ImageShape shape_;
  ImageScoreKind kind_;
  std::variant<ImageCodec, GradientFeatures> map_;
};

/// The scores of some public images, [rows][bytes]: [rows][scores].
std::vector<float> scores_of(const ImageScores& scores, std::span<const std::uint8_t> pixels);

}  // namespace mehler
