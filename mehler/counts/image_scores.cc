#include "mehler/counts/image_scores.h"

#include "mehler/core/error.h"
#include "mehler/core/overloaded.h"
#include "mehler/core/wiping.h"
#include "mehler/images/brightness.h"

namespace mehler {
namespace {

std::variant<ImageCodec, GradientFeatures> map_of(const ImageShape& shape, ImageScoreKind kind) {
  if (kind == ImageScoreKind::kCode) {
    return ImageCodec(shape);
  }
  return GradientFeatures(shape);
}

}  // namespace

ImageScores::ImageScores(std::size_t column, const ImageShape& shape, ImageScoreKind kind)
    : column_(column), shape_(shape), kind_(kind), map_(map_of(shape, kind)) {}

std::size_t ImageScores::size() const {
  return std::visit([](const auto& map) { return map.dimension(); }, map_);
}

void ImageScores::evaluate(std::span<const std::uint8_t> pixels, std::span<float> scores) const {
  MEHLER_ASSERT(pixels.size() == shape_.size() && scores.size() == size());
  std::visit(Overloaded{[&](const ImageCodec& codec) {
                          WipedVector<double> code(codec.dimension());
                          codec.encode(pixels, code);
                          for (std::size_t i = 0; i < code.size(); ++i) {
                            scores[i] = static_cast<float>(code[i]);
                          }
                        },
                        [&](const GradientFeatures& features) {
                          WipedVector<float> image(pixels.size());
                          image_of_bytes(pixels, image);
                          features.compute(image, scores);
                        }},
             map_);
}

std::vector<float> scores_of(const ImageScores& scores, std::span<const std::uint8_t> pixels) {
  const std::size_t bytes = scores.shape().size();
  std::vector<float> result(pixels.size() / bytes * scores.size());
  for (std::size_t r = 0; r < pixels.size() / bytes; ++r) {
    scores.evaluate(pixels.subspan(r * bytes, bytes),
                    std::span(result).subspan(r * scores.size(), scores.size()));
  }
  return result;
}

}  // namespace mehler
