#include "mehler/generator/neural/fourier_loss.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/simd/fourier_batch.h"
#include "mehler/simd/matrix_product.h"

namespace mehler {
namespace {

/// Rows and frequencies whose angles are in memory at once.
constexpr std::size_t kTileRows = 128;
constexpr std::size_t kTileFrequencies = 256;

}  // namespace

FourierLoss::FourierLoss(const FeatureMap& map, std::vector<std::vector<float>> targets)
    : inputs_(map.random_fourier().inputs()),
      frequencies_(map.random_fourier().frequencies()),
      share_(1.0F / std::sqrt(static_cast<float>(frequencies_))),
      weights_(map.random_fourier().weights().begin(), map.random_fourier().weights().end()),
      targets_(std::move(targets)) {
  for (const MapInput& input : map.inputs()) {
    columns_.push_back(input.column);
  }
}

void FourierLoss::fill_angles(const Matrix& numbers, std::size_t first_row, std::size_t rows,
                              std::size_t first_frequency, std::size_t count, float* angles) const {
  multiply(Transpose::kNo, Transpose::kYes, rows, count, inputs_,
           &numbers.values[first_row * inputs_], &weights_[first_frequency * inputs_], angles,
           false);
}

Matrix FourierLoss::gather(const ClassRows& rows, const SoftBatch& batch) const {
  Matrix numbers(rows.count, inputs_);
  if (columns_.size() < inputs_) {
    const std::vector<float>& bytes = batch.columns[columns_[0]].numbers;
    std::copy_n(&bytes[rows.first * inputs_], rows.count * inputs_, numbers.values.begin());
    return numbers;
  }
  for (std::size_t i = 0; i < inputs_; ++i) {
    const SoftColumn& column = batch.columns[columns_[i]];
    for (std::size_t r = 0; r < rows.count; ++r) {
      const std::size_t row = rows.first + r;
      const float presence = column.presence.empty() ? 1.0F : column.presence[row];
      numbers.values[r * inputs_ + i] = presence * column.numbers[row];
    }
  }
  return numbers;
}

void FourierLoss::scatter(const float* slopes, std::size_t first, std::size_t rows,
                          const SoftBatch& batch, SoftBatch& gradient) const {
  if (columns_.size() < inputs_) {
    float* bytes = &gradient.columns[columns_[0]].numbers[first * inputs_];
    for (std::size_t i = 0; i < rows * inputs_; ++i) {
      bytes[i] += slopes[i];
    }
    return;
  }
  for (std::size_t i = 0; i < inputs_; ++i) {
    const SoftColumn& column = batch.columns[columns_[i]];
    SoftColumn& slope = gradient.columns[columns_[i]];
    for (std::size_t r = 0; r < rows; ++r) {
      const float value = slopes[r * inputs_ + i];
      if (column.presence.empty()) {
        slope.numbers[first + r] += value;
      } else {
        slope.numbers[first + r] += value * column.presence[first + r];
        slope.presence[first + r] += value * column.numbers[first + r];
      }
    }
  }
}

double FourierLoss::add_class(std::size_t row_of_sums, const ClassRows& rows, double scale,
                              const SoftBatch& batch, SoftBatch* gradient, WorkerPool& pool) const {
  const std::size_t half_rows = rows.count / 2;
  const Matrix numbers = gather(rows, batch);

  // Cosines, then sines, of each half: residuals in the end.
  std::vector<float> residuals[2] = {std::vector<float>(2 * frequencies_, 0.0F),
                                     std::vector<float>(2 * frequencies_, 0.0F)};
  const std::size_t blocks = ceil_divide(frequencies_, kTileFrequencies);
  pool.run(2 * blocks, [&](std::size_t task) {
    const std::size_t half = task / blocks;
    const std::size_t first = (task % blocks) * kTileFrequencies;
    const std::size_t count = std::min(kTileFrequencies, frequencies_ - first);
    std::vector<float> angles(kTileRows * count);
    for (std::size_t r = 0; r < half_rows; r += kTileRows) {
      const std::size_t tile = std::min(kTileRows, half_rows - r);
      fill_angles(numbers, half * half_rows + r, tile, first, count, angles.data());
      add_cosine_sine_sums(angles.data(), tile, count, &residuals[half][first],
                           &residuals[half][frequencies_ + first]);
    }
  });
  const auto factor = static_cast<float>(rows.records / static_cast<double>(half_rows));
  const std::vector<float>& target = targets_[row_of_sums];
  double loss = 0.0;
  for (std::size_t j = 0; j < frequencies_; ++j) {
    for (std::size_t part = 0; part < 2; ++part) {
      const std::size_t place = part * frequencies_ + j;
      for (std::vector<float>& residual : residuals) {
        residual[place] = target[2 * j + part] - factor * share_ * residual[place];
      }
      loss += static_cast<double>(residuals[0][place]) * static_cast<double>(residuals[1][place]);
    }
  }
  if (gradient == nullptr) {
    return loss * scale;
  }
  const float weight = -factor * share_ * static_cast<float>(scale);
  for (std::vector<float>& residual : residuals) {
    for (float& value : residual) {
      value *= weight;
    }
  }
  const std::size_t tiles = ceil_divide(half_rows, kTileRows);
  pool.run(2 * tiles, [&](std::size_t task) {
    const std::size_t half = task / tiles;
    const std::size_t inside = (task % tiles) * kTileRows;
    const std::size_t tile = std::min(kTileRows, half_rows - inside);
    const std::size_t first_row = half * half_rows + inside;
    const std::vector<float>& weights = residuals[1 - half];
    std::vector<float> angles(tile * std::min(kTileFrequencies, frequencies_));
    std::vector<float> slopes(tile * inputs_, 0.0F);
    for (std::size_t first = 0; first < frequencies_; first += kTileFrequencies) {
      const std::size_t count = std::min(kTileFrequencies, frequencies_ - first);
      fill_angles(numbers, first_row, tile, first, count, angles.data());
      replace_by_slopes(angles.data(), tile, count, &weights[first],
                        &weights[frequencies_ + first]);
      multiply(Transpose::kNo, Transpose::kNo, tile, inputs_, count, angles.data(),
               &weights_[first * inputs_], slopes.data(), true);
    }
    scatter(slopes.data(), rows.first + first_row, tile, batch, *gradient);
  });
  return loss * scale;
}

}  // namespace mehler
