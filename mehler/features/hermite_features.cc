#include "mehler/features/hermite_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/features/length_scale.h"

namespace mehler {
namespace {

double largest_norm_loss(std::size_t order, double length_scale, double scale) {
  const HermiteFeatures features(order, length_scale, rho_of_length_scale(length_scale, scale));
  // The norm is even in x, and smallest near the end, where it oscillates more slowly than this
  // grid.
  const std::size_t points = 2 * (order + 100);
  double loss = 0.0;
  for (std::size_t i = 0; i <= points; ++i) {
    loss = std::max(
        loss, 1.0 - features.squared_norm(static_cast<double>(i) / static_cast<double>(points)));
  }
  return loss;
}

}  // namespace

void require_length_scale(double length_scale, std::string_view owner) {
  // Written so that NaN fails too.
  if (!(length_scale >= HermiteFeatures::kMinLengthScale &&
        length_scale <= HermiteFeatures::kMaxLengthScale)) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("the length scale{} must lie in [{}, {}], but is {}; it is measured where "
                    "the declared bounds are -1 and 1, so 0.15 is 7.5% of the range",
                    owner, HermiteFeatures::kMinLengthScale, HermiteFeatures::kMaxLengthScale,
                    length_scale));
  }
}

void require_order(double order, std::string_view owner) {
  // Written so that NaN fails too.
  if (!(order >= 1.0 && order <= static_cast<double>(HermiteFeatures::kMaxOrder) &&
        std::floor(order) == order)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the order of Hermite features{} must be a whole number in [1, {}], "
                            "but is {}; 20 is a good start",
                            owner, HermiteFeatures::kMaxOrder, order));
  }
}

HermiteFeatures::HermiteFeatures(std::size_t order, double length_scale, double rho)
    : order_(order), length_scale_(length_scale), rho_(rho) {
  require_order(static_cast<double>(order), "");
  require_length_scale(length_scale, "");
  require_rho(rho);
  const double one_minus_rho_squared = (1.0 - rho) * (1.0 + rho);
  scale_ = length_scale_of_rho(rho) / length_scale;
  front_ = std::sqrt(std::sqrt(one_minus_rho_squared));
  decay_ = rho / (1.0 + rho);
  for (std::size_t k = 0; k < order; ++k) {
    const auto next = static_cast<double>(k + 1);
    up_.push_back(std::sqrt(2.0 * rho / next));
    down_.push_back(rho * std::sqrt(static_cast<double>(k) / next));
  }
}

HermiteFeatures HermiteFeatures::with_best_rho(std::size_t order, double length_scale) {
  require_order(static_cast<double>(order), "");
  require_length_scale(length_scale, "");
  // The best scale is near sqrt(order + 1), with several local minima around it, a tenth apart: a
  // scan in steps of one hundredth, then a golden-section search around the best point. Where
  // several scales lose no more than rounding the smallest is taken.
  constexpr int kScanPoints = 120;
  constexpr double kRounding = 1e-13;
  const double smallest = 0.5 * std::sqrt(static_cast<double>(order) + 1.0);
  const double largest = 3.2 * smallest;
  const double ratio = std::pow(largest / smallest, 1.0 / (kScanPoints - 1));
  std::vector<double> losses;
  for (int i = 0; i < kScanPoints; ++i) {
    losses.push_back(largest_norm_loss(order, length_scale, smallest * std::pow(ratio, i)));
  }
  const double least = *std::min_element(losses.begin(), losses.end());
  const auto best = std::find_if(losses.begin(), losses.end(),
                                 [&](double loss) { return loss <= least + kRounding; });
  const auto index = static_cast<double>(best - losses.begin());
  double low = smallest * std::pow(ratio, index - 1.0);
  double high = smallest * std::pow(ratio, index + 1.0);
  constexpr double kGolden = 0.6180339887498949;
  for (int step = 0; least > kRounding && step < 30; ++step) {
    const double left = high - kGolden * (high - low);
    const double right = low + kGolden * (high - low);
    if (largest_norm_loss(order, length_scale, left) <=
        largest_norm_loss(order, length_scale, right)) {
      high = right;
    } else {
      low = left;
    }
  }
  return HermiteFeatures(order, length_scale,
                         rho_of_length_scale(length_scale, 0.5 * (low + high)));
}

void HermiteFeatures::evaluate(double x, double* out) const {
  const double z = scale_ * x;
  out[0] = front_ * std::exp(-decay_ * z * z);
  double previous = 0.0;
  for (std::size_t k = 0; k < order_; ++k) {
    out[k + 1] = up_[k] * (z * out[k]) - down_[k] * previous;
    previous = out[k];
  }
}

double HermiteFeatures::squared_norm(double x) const {
  const double z = scale_ * x;
  double current = front_ * std::exp(-decay_ * z * z);
  double previous = 0.0;
  double sum = current * current;
  for (std::size_t k = 0; k < order_; ++k) {
    const double next = up_[k] * (z * current) - down_[k] * previous;
    previous = current;
    current = next;
    sum += current * current;
  }
  return sum;
}

}  // namespace mehler
