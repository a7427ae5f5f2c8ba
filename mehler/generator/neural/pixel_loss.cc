#include "mehler/generator/neural/pixel_loss.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/simd/chebyshev_columns.h"
#include "mehler/simd/chebyshev_route.h"
#include "mehler/simd/matrix_product.h"
#include "mehler/simd/product_batch.h"

namespace mehler {
namespace {

/// Bytes of an image that are worked on at once: their sums stay in a core's cache. Parts begin at
/// multiples of whole vectors.
constexpr std::size_t kBytesOfPart = 256;
constexpr std::size_t kVector = 16;
/// Coefficients below this change nothing in single precision, and products with them may be
/// subnormal, which takes long.
constexpr double kSmallestCoefficient = 1e-20;

std::size_t even(std::size_t count) { return (count + 1) / 2; }
std::size_t odd(std::size_t count) { return count / 2; }

float without_the_smallest(double value) {
  return std::fabs(value) < kSmallestCoefficient ? 0.0F : static_cast<float>(value);
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Of the space that the vectors span, without directions in which they are nothing in single
/// precision: Gram and Schmidt's, each vector made orthogonal twice, which is enough.
std::vector<std::vector<double>> orthonormal_basis(
    const std::vector<std::vector<double>>& vectors) {
  constexpr double kNothing = 1e-9;
  double largest = 0.0;
  for (const std::vector<double>& vector : vectors) {
    largest = std::max(largest, std::sqrt(dot(vector, vector)));
  }
  std::vector<std::vector<double>> basis;
  for (std::vector<double> rest : vectors) {
    for (int i = 0; i < 2; ++i) {
      for (const std::vector<double>& direction : basis) {
        const double share = dot(direction, rest);
        for (std::size_t k = 0; k < rest.size(); ++k) {
          rest[k] -= share * direction[k];
        }
      }
    }
    const double length = std::sqrt(dot(rest, rest));
    if (length > kNothing * largest) {
      for (double& value : rest) {
        value /= length;
      }
      basis.push_back(std::move(rest));
    }
  }
  return basis;
}

struct PartOfImage {
  PartOfImage(std::size_t part, std::size_t parts, std::size_t bytes)
      : first(part * ceil_divide(bytes, kVector) / parts * kVector),
        count(std::min(bytes, (part + 1) * ceil_divide(bytes, kVector) / parts * kVector) - first) {
  }
  std::size_t first;
  std::size_t count;
};

}  // namespace

PixelLoss::PixelLoss(const FeatureMap& map, std::span<const std::vector<float>> targets)
    : map_(map), features_of_byte_(map.hermite().dimension()) {
  std::vector<std::vector<double>> basis;
  const auto route = ChebyshevRoute::find(map.hermite().recursion());
  if (!route) {
    kernel_.emplace(map.hermite().recursion());
    for (std::size_t k = 0; k < features_of_byte_; ++k) {
      basis.emplace_back(features_of_byte_, 0.0);
    }
    for (std::size_t k = 0; k < features_of_byte_; ++k) {
      basis[chebyshev_row(k, features_of_byte_)][k] = 1.0;
    }
    even_ = even(features_of_byte_);
    odd_ = odd(features_of_byte_);
    arrange(targets, basis);
    return;
  }
  terms_ = route->degree + 1;
  const auto entry = [](const ChebyshevRoute::Matrix& matrix, std::size_t row, std::size_t column) {
    return static_cast<double>(matrix.values[row * matrix.row_length + column / 2]);
  };
  for (std::size_t parity = 0; parity < 2; ++parity) {
    std::vector<std::vector<double>> columns;
    for (std::size_t j = parity; j < *terms_; j += 2) {
      std::vector<double>& column = columns.emplace_back(features_of_byte_, 0.0);
      for (std::size_t k = parity; k < features_of_byte_; k += 2) {
        column[k] = entry(route->features_of_moments, j, k);
      }
    }
    const std::vector<std::vector<double>> coordinates = orthonormal_basis(columns);
    (parity == 0 ? even_ : odd_) = coordinates.size();
    for (const std::vector<double>& coordinate : coordinates) {
      for (const std::vector<double>& column : columns) {
        features_.push_back(without_the_smallest(dot(coordinate, column)));
      }
    }
    // The slope of an even feature is odd, and the other way round.
    for (std::size_t j = 1 - parity; j + 1 < *terms_; j += 2) {
      for (const std::vector<double>& coordinate : coordinates) {
        double slope = 0.0;
        for (std::size_t k = parity; k < features_of_byte_; k += 2) {
          slope += coordinate[k] * entry(route->slopes_of_weights, k, j);
        }
        slopes_.push_back(without_the_smallest(slope));
      }
    }
    basis.insert(basis.end(), coordinates.begin(), coordinates.end());
  }
  arrange(targets, basis);
}

void PixelLoss::arrange(std::span<const std::vector<float>> targets,
                        const std::vector<std::vector<double>>& basis) {
  for (const std::vector<float>& of_class : targets) {
    std::vector<float>& arranged = targets_.emplace_back(map_.elements() * basis.size());
    std::vector<double>& outside = outside_.emplace_back();
    for (std::size_t p = 0; p < parts(); ++p) {
      const PartOfImage part(p, parts(), map_.elements());
      double squares = 0.0;
      for (std::size_t i = 0; i < part.count; ++i) {
        const auto first =
            of_class.begin() + static_cast<std::ptrdiff_t>((part.first + i) * features_of_byte_);
        const std::vector<double> target(first,
                                         first + static_cast<std::ptrdiff_t>(features_of_byte_));
        squares += dot(target, target);
        for (std::size_t k = 0; k < basis.size(); ++k) {
          const double coordinate = dot(basis[k], target);
          squares -= coordinate * coordinate;
          arranged[part.first * basis.size() + k * part.count + i] = static_cast<float>(coordinate);
        }
      }
      outside.push_back(squares);
    }
  }
}

std::size_t PixelLoss::parts() const { return ceil_divide(map_.elements(), kBytesOfPart); }

void PixelLoss::fill_sums(const float* numbers, std::size_t rows, std::size_t bytes,
                          float* sums) const {
  if (!terms_) {
    std::vector<float> values(rows);
    std::vector<float> of_byte(features_of_byte_);
    for (std::size_t i = 0; i < bytes; ++i) {
      for (std::size_t row = 0; row < rows; ++row) {
        values[row] = numbers[row * map_.elements() + i];
      }
      std::fill(of_byte.begin(), of_byte.end(), 0.0F);
      kernel_->add_feature_sums(values, {}, of_byte);
      for (std::size_t k = 0; k < features_of_byte_; ++k) {
        sums[chebyshev_row(k, features_of_byte_) * bytes + i] = of_byte[k];
      }
    }
    return;
  }
  const auto moments = std::make_unique_for_overwrite<float[]>(*terms_ * bytes);
  fill_chebyshev_moments(numbers, map_.elements(), rows, bytes, *terms_, moments.get());
  multiply(Transpose::kNo, Transpose::kNo, even_, bytes, even(*terms_), features_.data(),
           moments.get(), sums, false);
  multiply(Transpose::kNo, Transpose::kNo, odd_, bytes, odd(*terms_),
           features_.data() + even_ * even(*terms_), moments.get() + even(*terms_) * bytes,
           sums + even_ * bytes, false);
}

void PixelLoss::fill_slopes(const float* numbers, std::size_t rows, std::size_t bytes,
                            const float* weights, float* slopes) const {
  if (!terms_) {
    std::vector<float> values(rows);
    std::vector<float> of_byte(features_of_byte_);
    std::vector<float> by_values(rows);
    for (std::size_t i = 0; i < bytes; ++i) {
      for (std::size_t row = 0; row < rows; ++row) {
        values[row] = numbers[row * map_.elements() + i];
      }
      for (std::size_t k = 0; k < features_of_byte_; ++k) {
        of_byte[k] = weights[chebyshev_row(k, features_of_byte_) * bytes + i];
      }
      kernel_->evaluate_series(values, of_byte, {}, by_values);
      for (std::size_t row = 0; row < rows; ++row) {
        slopes[row * map_.elements() + i] = by_values[row];
      }
    }
    return;
  }
  const std::size_t terms = *terms_ - 1;
  const auto coefficients = std::make_unique_for_overwrite<float[]>(terms * bytes);
  multiply(Transpose::kNo, Transpose::kNo, odd(terms), bytes, even_, slopes_.data(), weights,
           coefficients.get() + even(terms) * bytes, false);
  multiply(Transpose::kNo, Transpose::kNo, even(terms), bytes, odd_,
           slopes_.data() + odd(terms) * even_, weights + even_ * bytes, coefficients.get(), false);
  evaluate_chebyshev_columns(numbers, map_.elements(), rows, bytes, terms, coefficients.get(),
                             slopes);
}

double PixelLoss::evaluate(std::size_t part, std::size_t row_of_sums, const ClassRows& rows,
                           double scale, const SoftColumn& column, SoftColumn* gradient) const {
  const PartOfImage place(part, parts(), map_.elements());
  const std::size_t half_rows = rows.count / 2;
  const std::size_t coordinates = even_ + odd_;
  const std::size_t size = coordinates * place.count;
  const auto sums = std::make_unique_for_overwrite<float[]>(2 * size);
  float* const halves[2] = {sums.get(), sums.get() + size};
  const auto begin = [&](std::size_t half) {
    return (rows.first + half * half_rows) * map_.elements() + place.first;
  };
  for (std::size_t half = 0; half < 2; ++half) {
    fill_sums(&column.numbers[begin(half)], half_rows, place.count, halves[half]);
  }
  const auto factor = static_cast<float>(rows.records / static_cast<double>(half_rows));
  const double loss = outside_[row_of_sums][part] +
                      weigh_residuals(&targets_[row_of_sums][place.first * coordinates], factor,
                                      -factor * static_cast<float>(scale), halves, 1, size, size);
  // Residuals have taken the place of the sums: the weights of the other half's gradient.
  for (std::size_t half = 0; gradient != nullptr && half < 2; ++half) {
    fill_slopes(&column.numbers[begin(half)], half_rows, place.count, halves[1 - half],
                &gradient->numbers[begin(half)]);
  }
  return scale * loss;
}

}  // namespace mehler
