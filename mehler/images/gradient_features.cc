#include "mehler/images/gradient_features.h"

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/core/wiping.h"
#include "mehler/images/brightness.h"
#include "mehler/images/image_scale.h"

namespace mehler {
namespace {

constexpr std::size_t kMostMeans = 14;

const ImageShape& validated(const ImageShape& shape) {
  validate_image_shape(shape);
  return shape;
}

std::size_t means_along(std::size_t side) { return std::min(side, kMostMeans); }

}  // namespace

GradientFeatures::GradientFeatures(const ImageShape& shape)
    : shape_(validated(shape)),
      histograms_{GradientHistogram(shape, {.sigma = 0.7, .margin = 0.25}),
                  GradientHistogram(shape, {.sigma = 1.5, .margin = 0.5}),
                  GradientHistogram(shape, {.sigma = 1.0, .margin = 0.5})},
      means_(shape.rows, shape.columns, shape.channels, means_along(shape.rows),
             means_along(shape.columns), 0.0),
      dimension_(3 * histograms_[0].dimension() +
                 means_along(shape.rows) * means_along(shape.columns) * shape.channels) {}

void GradientFeatures::compute(std::span<const float> image, std::span<float> features) const {
  MEHLER_ASSERT(image.size() == shape_.size() && features.size() == dimension_);
  const std::size_t pixels = shape_.rows * shape_.columns;
  WipedVector<float> brightness(pixels);
  WipedVector<float> magnitudes(pixels);
  brightness_of_image(image, shape_.channels, brightness);
  const std::size_t size = histograms_[0].dimension();
  std::size_t scratch_size = 0;
  for (const GradientHistogram& histogram : histograms_) {
    scratch_size = std::max(scratch_size, histogram.scratch_size());
  }
  WipedVector<float> scratch(scratch_size);
  histograms_[0].compute(brightness, scratch, features.subspan(0, size), {});
  histograms_[1].compute(brightness, scratch, features.subspan(size, size), magnitudes);
  histograms_[2].compute(magnitudes, scratch, features.subspan(2 * size, size), {});
  const auto means = features.subspan(3 * size);
  means_.apply(image, means);
  scale_to_length_one(means);
  for (float& feature : features) {
    feature *= 0.5F;
  }
}

}  // namespace mehler
