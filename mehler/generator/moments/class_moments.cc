#include "mehler/generator/moments/class_moments.h"

#include <algorithm>
#include <cmath>

namespace mehler {

ClassMoments::ClassMoments(const MeasuredSum& means, const MeasuredSum& scatters,
                           std::span<const double> counts)
    : size_(means.sum.vector->dimension()),
      counts_(counts.begin(), counts.end()),
      means_(counts.size(), size_),
      pooled_(size_, size_),
      total_(size_, size_) {
  set_means(means);
  set_covariances(scatters);
}

void ClassMoments::set_means(const MeasuredSum& measured) {
  for (const double count : counts_) {
    rows_ += count;
  }
  const double radius = measured.sum.vector->radius;
  std::vector<double> all(size_, 0.0);
  for (std::size_t i = 0; i < measured.values.size(); ++i) {
    all[i % size_] += measured.values[i] / rows_;
  }
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    double distance = 0.0;
    for (std::size_t i = 0; i < size_; ++i) {
      means_.at(k, i) = std::clamp(measured.values[k * size_ + i] / counts_[k], -radius, radius);
      distance += (means_.at(k, i) - all[i]) * (means_.at(k, i) - all[i]);
    }
    const double noise = measured.sigma / counts_[k];
    const double kept =
        std::max(0.0, 1.0 - static_cast<double>(size_) * noise * noise / std::max(distance, 1e-12));
    for (std::size_t i = 0; i < size_ && counts_.size() > 1; ++i) {
      means_.at(k, i) = all[i] + kept * (means_.at(k, i) - all[i]);
    }
  }
}

void ClassMoments::set_covariances(const MeasuredSum& measured) {
  std::vector<Dense> seconds;
  std::vector<double> overall(size_, 0.0);
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    Dense second = products_of(measured, k, counts_[k]);
    for (std::size_t i = 0; i < size_; ++i) {
      overall[i] += share(k) * means_.at(k, i);
      for (std::size_t j = 0; j < size_; ++j) {
        second.at(i, j) -= means_.at(k, i) * means_.at(k, j);
        pooled_.at(i, j) += share(k) * second.at(i, j);
      }
    }
    seconds.push_back(std::move(second));
  }
  EigenPairs pairs = symmetric_eigen(pooled_.values, size_);
  const double least = std::max(0.02 * pairs.values.front(), 1e-4);
  for (double& value : pairs.values) {
    value = std::max(value, least);
  }
  pooled_ = apply(pairs, [](double value) { return value; });
  const Dense down = apply(pairs, [](double value) { return 1.0 / std::sqrt(value); });
  const Dense up = apply(pairs, [](double value) { return std::sqrt(value); });
  std::vector<double> sizes(size_, 0.0);
  const Dense squared = product(down, down);
  for (std::size_t i = 0; i < size_; ++i) {
    sizes[i] = squared.at(i, i);
  }
  total_ = pooled_;
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    const double noise = measured.sigma / counts_[k];
    const Dense relative = shrunk(product(product(down, seconds[k]), down), sizes, noise);
    covariances_.push_back(product(product(up, relative), up));
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < size_; ++j) {
        total_.at(i, j) +=
            share(k) * (means_.at(k, i) - overall[i]) * (means_.at(k, j) - overall[j]);
      }
    }
  }
}

Dense ClassMoments::shrunk(Dense relative, std::span<const double> sizes, double noise) const {
  const auto size = static_cast<double>(size_);
  const auto variance = [&](std::size_t i, std::size_t j) {
    return 0.5 * noise * noise * sizes[i] * sizes[j] * (i == j ? 2.0 : 1.0);
  };
  double scale = 0.0;
  double scale_noise = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    scale += (relative.at(i, i) - 1.0) / size;
    scale_noise += variance(i, i) / (size * size);
  }
  double signal = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) {
      relative.at(i, j) -= i == j ? 1.0 + scale : 0.0;
      signal += (relative.at(i, j) * relative.at(i, j) - variance(i, j)) / (size * size);
    }
  }
  signal = std::max(signal, 0.0);
  scale *= std::max(0.0, 1.0 - scale_noise / std::max(scale * scale, 1e-12));
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) {
      relative.at(i, j) *= signal / std::max(signal + variance(i, j), 1e-300);
      relative.at(i, j) += i == j ? 1.0 + scale : 0.0;
    }
  }
  return apply(symmetric_eigen(relative.values, size_),
               [](double value) { return std::max(value, 0.05); });
}

}  // namespace mehler
