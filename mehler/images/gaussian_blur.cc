#include "mehler/images/gaussian_blur.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/wiping.h"
#include "mehler/simd/row_combination.h"

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
  MEHLER_ASSERT(field.size() == rows_ * columns_ && blurred.size() == field.size());
  const std::size_t radius = weights_.size() / 2;
  // Zeros all around: no loop asks where the picture ends.
  WipedVector<float> padded((rows_ + 2 * radius) * columns_, 0.0F);
  WipedVector<float> sums(columns_ + 2 * radius, 0.0F);
  std::copy(field.begin(), field.end(), &padded[radius * columns_]);
  for (std::size_t r = 0; r < rows_; ++r) {
    combine_rows(weights_, &padded[r * columns_], columns_, {&sums[radius], columns_});
    combine_rows(weights_, sums.data(), 1, blurred.subspan(r * columns_, columns_));
  }
}

double GaussianBlur::noise_deviation() const {
  double sum = 0.0;
  for (const float weight : weights_) {
    sum += static_cast<double>(weight) * static_cast<double>(weight);
  }
  return sum;
}

}  // namespace mehler
