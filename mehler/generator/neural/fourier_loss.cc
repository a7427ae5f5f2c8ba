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
    : frequencies_(map.random_fourier().frequencies()),
      share_(1.0F / std::sqrt(static_cast<float>(frequencies_))),
      weights_(map.random_fourier().weights().begin(), map.random_fourier().weights().end()),
      targets_(std::move(targets)) {
  for (const MapInput& input : map.inputs()) {
    columns_.push_back(input.column);
  }
}

void FourierLoss::fill_angles(const Matrix& numbers, std::size_t first_row, std::size_t rows,
                              std::size_t first_frequency, std::size_t count, float* angles) const {
  multiply(Transpose::kNo, Transpose::kYes, rows, count, columns_.size(),
           &numbers.values[first_row * columns_.size()],
           &weights_[first_frequency * columns_.size()], angles, false);
}

double FourierLoss::add_class(std::size_t row_of_sums, const ClassRows& rows, double scale,
                              const SoftBatch& batch, SoftBatch* gradient, WorkerPool& pool) const {
  const std::size_t half_rows = rows.count / 2;
  const std::size_t width = columns_.size();
  Matrix numbers(rows.count, width);
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t r = 0; r < rows.count; ++r) {
      numbers.values[r * width + i] = batch.columns[columns_[i]].numbers[rows.first + r];
    }
  }

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
    std::vector<float> slopes(tile * width, 0.0F);
    for (std::size_t first = 0; first < frequencies_; first += kTileFrequencies) {
      const std::size_t count = std::min(kTileFrequencies, frequencies_ - first);
      fill_angles(numbers, first_row, tile, first, count, angles.data());
      replace_by_slopes(angles.data(), tile, count, &weights[first],
                        &weights[frequencies_ + first]);
      multiply(Transpose::kNo, Transpose::kNo, tile, width, count, angles.data(),
               &weights_[first * width], slopes.data(), true);
    }
    for (std::size_t r = 0; r < tile; ++r) {
      for (std::size_t i = 0; i < width; ++i) {
        gradient->columns[columns_[i]].numbers[rows.first + first_row + r] += slopes[r * width + i];
      }
    }
  });
  return loss * scale;
}

}  // namespace mehler
