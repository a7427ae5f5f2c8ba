#include "mehler/images/gaussian_blur.h"

#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/wiping.h"
#include "mehler/simd/separable_blur.h"

namespace mehler {

GaussianBlur::GaussianBlur(std::size_t rows, std::size_t columns, double sigma)
    : rows_(rows), columns_(columns) {
  MEHLER_ASSERT(rows > 0 && columns > 0 && sigma > 0.0);
  const auto radius = static_cast<std::size_t>(std::floor(3.0 * sigma + 0.5));
  std::vector<double> weights(2 * radius + 1);
  double sum = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double distance = static_cast<double>(i) - static_cast<double>(radius);
    weights[i] = std::exp(-distance * distance / (2.0 * sigma * sigma));
    sum += weights[i];
  }
  for (const double weight : weights) {
    weights_.push_back(static_cast<float>(weight / sum));
  }
}

void GaussianBlur::apply(std::span<const float> field, std::span<float> blurred) const {
  WipedVector<float> scratch(scratch_size());
  apply(field, scratch, blurred);
}

void GaussianBlur::apply(std::span<const float> field, std::span<float> scratch,
                         std::span<float> blurred) const {
  MEHLER_ASSERT(field.size() == rows_ * columns_ && blurred.size() == field.size());
  separable_blur(weights_, field.data(), rows_, columns_, scratch, blurred.data());
}

double GaussianBlur::noise_deviation() const {
  double sum = 0.0;
  for (const float weight : weights_) {
    sum += static_cast<double>(weight) * static_cast<double>(weight);
  }
  return sum;
}

}  // namespace mehler
