#include "mehler/reference/kernel_distance.h"

#include <algorithm>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/simd/activations.h"
#include "mehler/simd/matrix_product.h"

namespace mehler {
namespace {

/// Rows of one class that are worked on at once: a task of its own.
struct RowTile {
  std::size_t first = 0;
  std::size_t rows = 0;
  std::size_t class_first = 0;
  std::size_t class_rows = 0;
  double weight = 1.0;  ///< of the class
};

constexpr std::size_t kTileRows = 64;

std::vector<RowTile> tiles_of(const std::vector<std::size_t>& class_rows,
                              const std::vector<double>& class_weights) {
  MEHLER_ASSERT(class_weights.empty() || class_weights.size() == class_rows.size());
  std::vector<RowTile> tiles;
  std::size_t class_first = 0;
  for (std::size_t c = 0; c < class_rows.size(); ++c) {
    const std::size_t count = class_rows[c];
    const double weight = class_weights.empty() ? 1.0 : class_weights[c];
    for (std::size_t start = 0; start < count; start += kTileRows) {
      tiles.push_back(
          {class_first + start, std::min(kTileRows, count - start), class_first, count, weight});
    }
    class_first += count;
  }
  return tiles;
}

std::vector<float> squared_norms(const Matrix& records) {
  std::vector<float> norms(records.rows);
  for (std::size_t i = 0; i < records.rows; ++i) {
    const auto row = records.row(i);
    norms[i] = std::inner_product(row.begin(), row.end(), row.begin(), 0.0F);
  }
  return norms;
}

/// Records with the squares of their lengths.
struct Side {
  const Matrix& records;
  std::vector<float> norms;

  explicit Side(const Matrix& of) : records(of), norms(squared_norms(of)) {}
  const float* at(std::size_t row) const { return records.row(row).data(); }
};

/// The kernel of a tile's rows of `a` and all rows of their class of `b`, [tile.rows][class_rows].
std::vector<float> kernels(const Side& a, const Side& b, const RowTile& tile, double length_scale) {
  // Beyond, the kernel is 1e-35.
  constexpr float kLeastExponent = -80.0F;
  const std::size_t dimension = a.records.columns;
  std::vector<float> values(tile.rows * tile.class_rows);
  multiply(Transpose::kNo, Transpose::kYes, tile.rows, tile.class_rows, dimension, a.at(tile.first),
           b.at(tile.class_first), values.data(), false);
  const auto scale = static_cast<float>(-0.5 / (length_scale * length_scale));
  for (std::size_t i = 0; i < tile.rows; ++i) {
    float* const row = &values[i * tile.class_rows];
    for (std::size_t j = 0; j < tile.class_rows; ++j) {
      const float squared = a.norms[tile.first + i] + b.norms[tile.class_first + j] - 2.0F * row[j];
      row[j] = std::max(kLeastExponent, scale * std::max(0.0F, squared));
    }
  }
  exponential_in_place(values);
  return values;
}

bool has_pairs(const RowTile& tile) { return tile.class_rows > 1; }

/// What a pair of a generated and a real record counts beside one of two generated ones.
double weight_of_mixed_pairs(const RowTile& tile) {
  const auto rows = static_cast<double>(tile.class_rows);
  return has_pairs(tile) ? (rows - 1.0) / rows : 1.0;
}

double sum_of(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Of the kernels between records of one side, where the pair of a record with itself counts only
/// if its class has no other.
double sum_of_pairs(const std::vector<float>& values, const RowTile& tile) {
  double sum = sum_of(values);
  for (std::size_t i = 0; has_pairs(tile) && i < tile.rows; ++i) {
    const std::size_t itself = tile.first - tile.class_first + i;
    sum -= static_cast<double>(values[i * tile.class_rows + itself]);
  }
  return sum;
}

void require_alike(const Matrix& generated, const Matrix& real,
                   const std::vector<std::size_t>& class_rows) {
  MEHLER_ASSERT(generated.rows == real.rows && generated.columns == real.columns);
  MEHLER_ASSERT(std::accumulate(class_rows.begin(), class_rows.end(), std::size_t{0}) ==
                generated.rows);
}

}  // namespace

Matrix KernelDistance::gradient(const Matrix& generated, const Matrix& real,
                                const std::vector<std::size_t>& class_rows,
                                WorkerPool& pool) const {
  require_alike(generated, real, class_rows);
  const std::size_t dimension = generated.columns;
  Matrix result(generated.rows, dimension);
  const Side of_generated(generated);
  const Side of_real(real);
  const std::vector<RowTile> tiles = tiles_of(class_rows, class_weights_);
  const auto rows = static_cast<double>(generated.rows);
  pool.run(tiles.size(), [&](std::size_t task) {
    const RowTile& tile = tiles[task];
    const double scale = 2.0 * tile.weight / (rows * rows * length_scale_ * length_scale_);
    float* const slopes = result.row(tile.first).data();
    std::vector<float> totals(tile.rows, 0.0F);
    for (const Side* side : {&of_generated, &of_real}) {
      // A record's kernel with itself has no slope, whatever it counts.
      const auto sign =
          static_cast<float>(side == &of_generated ? scale : -scale * weight_of_mixed_pairs(tile));
      std::vector<float> weights = kernels(of_generated, *side, tile, length_scale_);
      for (std::size_t i = 0; i < tile.rows; ++i) {
        float* const row = &weights[i * tile.class_rows];
        for (std::size_t j = 0; j < tile.class_rows; ++j) {
          row[j] *= sign;
          totals[i] += row[j];
        }
      }
      multiply(Transpose::kNo, Transpose::kNo, tile.rows, dimension, tile.class_rows,
               weights.data(), side->at(tile.class_first), slopes, side == &of_real);
    }
    for (std::size_t i = 0; i < tile.rows; ++i) {
      const float* const record = of_generated.at(tile.first + i);
      for (std::size_t k = 0; k < dimension; ++k) {
        slopes[i * dimension + k] -= totals[i] * record[k];
      }
    }
  });
  return result;
}

double KernelDistance::value(const Matrix& generated, const Matrix& real,
                             const std::vector<std::size_t>& class_rows, WorkerPool& pool) const {
  require_alike(generated, real, class_rows);
  const Side of_generated(generated);
  const Side of_real(real);
  const std::vector<RowTile> tiles = tiles_of(class_rows, class_weights_);
  std::vector<double> sums(tiles.size(), 0.0);
  pool.run(tiles.size(), [&](std::size_t task) {
    const RowTile& tile = tiles[task];
    for (const Side* side : {&of_generated, &of_real}) {
      sums[task] += sum_of_pairs(kernels(*side, *side, tile, length_scale_), tile);
    }
    sums[task] -= 2.0 * weight_of_mixed_pairs(tile) *
                  sum_of(kernels(of_generated, of_real, tile, length_scale_));
    sums[task] *= tile.weight;
  });
  const auto rows = static_cast<double>(generated.rows);
  return std::accumulate(sums.begin(), sums.end(), 0.0) / (rows * rows);
}

}  // namespace mehler
