#include "mehler/evaluation/kernels/kernel_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// The features of points, entry by entry: values[k * points + i] = phi_k(x_i).
struct PointFeatures {
  std::size_t points = 0;
  std::vector<double> values;
};

template <typename Features>
PointFeatures features_of(const Features& features, std::span<const double> x, std::size_t inputs) {
  PointFeatures result{x.size() / inputs, {}};
  result.values.resize(features.dimension() * result.points);
  std::vector<double> phi(features.dimension());
  for (std::size_t i = 0; i < result.points; ++i) {
    if constexpr (std::is_same_v<Features, HermiteFeatures>) {
      features.evaluate(x[i], phi.data());
    } else {
      features.evaluate(&x[i * inputs], phi.data());
    }
    for (std::size_t k = 0; k < phi.size(); ++k) {
      result.values[k * result.points + i] = phi[k];
    }
  }
  return result;
}

/// Where an inner product is cut off: after `entries` of them, multiplied by `factor`.
struct Cut {
  std::size_t entries;
  double factor;
};

double gaussian_kernel(const double* x, const double* y, std::size_t inputs, double length_scale) {
  double squared_distance = 0.0;
  for (std::size_t i = 0; i < inputs; ++i) {
    squared_distance += (x[i] - y[i]) * (x[i] - y[i]);
  }
  return std::exp(-squared_distance / (2.0 * length_scale * length_scale));
}

/// One point of x against all of y at a time, so that the inner loop runs over y and is a
/// multiplication and an addition.
std::vector<KernelError> errors_at(const std::vector<Cut>& cuts, const PointFeatures& x_features,
                                   const PointFeatures& y_features, std::span<const double> x,
                                   std::span<const double> y, std::size_t inputs,
                                   double length_scale) {
  const std::size_t points = y_features.points;
  std::vector<KernelError> errors(cuts.size());
  std::vector<double> exact(points);
  std::vector<double> product(points);
  for (std::size_t i = 0; i < x_features.points; ++i) {
    for (std::size_t j = 0; j < points; ++j) {
      exact[j] = gaussian_kernel(&x[i * inputs], &y[j * inputs], inputs, length_scale);
    }
    std::fill(product.begin(), product.end(), 0.0);
    std::size_t entry = 0;
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      for (; entry < cuts[c].entries; ++entry) {
        const double left = x_features.values[entry * x_features.points + i];
        const double* right = &y_features.values[entry * points];
        for (std::size_t j = 0; j < points; ++j) {
          product[j] += left * right[j];
        }
      }
      for (std::size_t j = 0; j < points; ++j) {
        const double error = std::fabs(exact[j] - cuts[c].factor * product[j]);
        errors[c].mean += error;
        errors[c].largest = std::max(errors[c].largest, error);
      }
    }
  }
  for (KernelError& error : errors) {
    error.mean /= static_cast<double>(x_features.points) * static_cast<double>(points);
  }
  return errors;
}

void require_points(std::span<const double> points, std::size_t inputs, double largest) {
  if (points.empty() || points.size() % inputs != 0) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the kernel error needs at least one point of {} numbers on both "
                            "sides, but one side has {} numbers",
                            inputs, points.size()));
  }
  for (const double value : points) {
    if (!(std::fabs(value) <= largest)) {  // written so that NaN fails too
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the kernel error needs points within [-{0:g}, {0:g}], but one is "
                              "{1}; scale the points and the length scale alike",
                              largest, value));
    }
  }
}

}  // namespace

std::vector<KernelError> hermite_kernel_errors(const HermiteFeatures& features,
                                               std::span<const double> x,
                                               std::span<const double> y) {
  require_points(x, 1, 1.0);
  require_points(y, 1, 1.0);
  std::vector<Cut> cuts;
  for (std::size_t order = 0; order <= features.order(); ++order) {
    cuts.push_back({order + 1, 1.0});
  }
  return errors_at(cuts, features_of(features, x, 1), features_of(features, y, 1), x, y, 1,
                   features.length_scale());
}

std::vector<KernelError> random_fourier_kernel_errors(const RandomFourierFeatures& features,
                                                      std::span<const double> x,
                                                      std::span<const double> y,
                                                      std::span<const std::size_t> counts) {
  const std::size_t inputs = features.inputs();
  constexpr double kLargest = 1e9;  // beyond it an angle has lost its digits
  require_points(x, inputs, kLargest);
  require_points(y, inputs, kLargest);
  std::vector<Cut> cuts;
  std::size_t previous = 0;
  for (const std::size_t count : counts) {
    if (count <= previous || count > features.frequencies()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("numbers of frequencies must rise from 1 to at most {}, but {} "
                              "follows {}",
                              features.frequencies(), count, previous));
    }
    previous = count;
    cuts.push_back(
        {2 * count, static_cast<double>(features.frequencies()) / static_cast<double>(count)});
  }
  return errors_at(cuts, features_of(features, x, inputs), features_of(features, y, inputs), x, y,
                   inputs, features.length_scale());
}

double hermite_error_bound(std::size_t order) {
  return std::pow(1.0 / 3.0, static_cast<double>(order)) / (3.0 * std::sqrt(2.0));
}

double random_feature_error_bound(std::size_t entries) {
  MEHLER_ASSERT(entries >= 1);
  return 1.0 / (8.0 * static_cast<double>(entries));
}

}  // namespace mehler
