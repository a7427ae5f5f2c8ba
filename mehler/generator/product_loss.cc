#include "mehler/generator/product_loss.h"

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/generator/matrix_product.h"
#include "mehler/kernels/product_batch.h"

namespace mehler {
namespace {

/// Records whose features are multiplied at once; their factors stay in a core's cache.
constexpr std::size_t kChunkRows = 128;
/// A half's sums are added up in at most this many groups of chunks, in order.
constexpr std::size_t kMaxGroups = 4;

/// The numbers that Hermite features of generated records are taken of, and the probability that
/// they are there.
struct SoftNumbers {
  std::vector<float> values;
  std::vector<float> presence;  ///< empty if they always are
};

SoftNumbers numbers_of(const FeatureMap& map, const SoftBatch& batch, std::size_t first,
                       std::size_t count) {
  SoftNumbers result{std::vector<float>(count, 0.0F), {}};
  for (const MapInput& input : map.inputs()) {
    const SoftColumn& column = batch.columns[input.column];
    const auto coefficient = static_cast<float>(input.coefficient);
    for (std::size_t i = 0; i < count; ++i) {
      result.values[i] += coefficient * column.numbers[first + i];
    }
    if (!column.presence.empty()) {
      result.presence.resize(count, 1.0F);
      for (std::size_t i = 0; i < count; ++i) {
        result.presence[i] *= column.presence[first + i];
      }
    }
  }
  return result;
}

/// Features of one map, [dimension][count].
void fill_map_rows(const FeatureMap& map, const SoftBatch& batch, std::size_t first,
                   std::size_t count, float* rows) {
  if (map.kind() == FeatureMap::Kind::kOneHot) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto probabilities = batch.columns[map.column()].probabilities.row(first + i);
      for (std::size_t c = 0; c < probabilities.size(); ++c) {
        rows[c * count + i] = probabilities[c];
      }
    }
    return;
  }
  const SoftNumbers numbers = numbers_of(map, batch, first, count);
  fill_soft_hermite_rows(map.hermite().recursion(), numbers.values, numbers.presence, rows, count);
  if (map.may_miss()) {
    float* missing = rows + map.hermite().dimension() * count;
    for (std::size_t i = 0; i < count; ++i) {
      missing[i] = 1.0F - numbers.presence[i];
    }
  }
}

/// Adds the gradient by one map's features to the gradient by its columns.
void add_map_gradient(const FeatureMap& map, const SoftBatch& batch, std::size_t first,
                      std::size_t count, const float* rows, const float* rows_gradient,
                      SoftBatch& gradient) {
  if (map.kind() == FeatureMap::Kind::kOneHot) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto slopes = gradient.columns[map.column()].probabilities.row(first + i);
      for (std::size_t c = 0; c < slopes.size(); ++c) {
        slopes[c] += rows_gradient[c * count + i];
      }
    }
    return;
  }
  const SoftNumbers numbers = numbers_of(map, batch, first, count);
  std::vector<float> slopes(count);
  const std::size_t entries = map.hermite().dimension();
  contract_hermite_slopes(map.hermite().recursion(), numbers.values, rows, rows_gradient, count,
                          slopes);
  for (const MapInput& input : map.inputs()) {
    std::vector<float>& by_column = gradient.columns[input.column].numbers;
    const auto coefficient = static_cast<float>(input.coefficient);
    for (std::size_t i = 0; i < count; ++i) {
      by_column[first + i] += coefficient * slopes[i];
    }
  }
  if (!map.may_miss()) {
    return;
  }
  // The rows carry the presence as a factor, so its derivative times itself is their contraction.
  for (std::size_t i = 0; i < count; ++i) {
    float sum = 0.0F;
    for (std::size_t k = 0; k < entries; ++k) {
      sum += rows_gradient[k * count + i] * rows[k * count + i];
    }
    sum -= rows_gradient[entries * count + i] * numbers.presence[i];
    for (const MapInput& input : map.inputs()) {
      const SoftColumn& column = batch.columns[input.column];
      if (!column.presence.empty() && column.presence[first + i] > 1e-12F) {
        gradient.columns[input.column].presence[first + i] += sum / column.presence[first + i];
      }
    }
  }
}

}  // namespace

/// One factor of the product, over a chunk of records.
struct ProductLoss::Half {
  std::size_t first_map = 0;
  std::size_t last_map = 0;
  std::size_t dimension = 1;
  std::vector<std::vector<float>> map_rows;      ///< features of each map
  std::vector<std::vector<float>> product_rows;  ///< products of the maps up to each
  std::vector<float> gradient;                   ///< by the last of the products

  const float* rows() const { return product_rows.back().data(); }
};

struct ProductLoss::Workspace {
  Half first;
  Half second;

  Workspace(const ProductHalves& halves, std::size_t maps) {
    first.last_map = second.first_map = halves.first_maps;
    second.last_map = maps;
    first.dimension = halves.first_dimension;
    second.dimension = halves.second_dimension;
  }
};

ProductLoss::ProductLoss(const FeatureBlock& block, std::vector<float> targets)
    : halves_(block.halves()), targets_(std::move(targets)) {
  MEHLER_ASSERT(block.combination == Combination::kProduct);
  for (const WeightedMap& member : block.maps) {
    maps_.push_back(member.map);
  }
}

void ProductLoss::fill_factor(Half& half, const SoftBatch& batch, std::size_t first,
                              std::size_t count) const {
  half.map_rows.resize(half.last_map - half.first_map);
  half.product_rows.resize(half.map_rows.size() + 1);
  half.product_rows[0].assign(count, 1.0F);
  std::size_t dimension = 1;
  for (std::size_t m = 0; m < half.map_rows.size(); ++m) {
    const FeatureMap& map = maps_[half.first_map + m];
    half.map_rows[m].resize(map.dimension() * count);
    fill_map_rows(map, batch, first, count, half.map_rows[m].data());
    half.product_rows[m + 1].resize(dimension * map.dimension() * count);
    multiply_soft_rows(half.product_rows[m].data(), dimension, half.map_rows[m].data(),
                       map.dimension(), count, half.product_rows[m + 1].data());
    dimension *= map.dimension();
  }
}

void ProductLoss::add_factor_gradient(Half& half, std::size_t first, std::size_t count,
                                      const SoftBatch& batch, SoftBatch& gradient) const {
  std::size_t dimension = half.dimension;
  std::vector<float> below;
  std::vector<float> map_gradient;
  for (std::size_t m = half.map_rows.size(); m-- > 0;) {
    const FeatureMap& map = maps_[half.first_map + m];
    dimension /= map.dimension();
    below.resize(dimension * count);
    map_gradient.resize(map.dimension() * count);
    split_product_gradient(half.gradient.data(), half.product_rows[m].data(), dimension,
                           half.map_rows[m].data(), map.dimension(), count, below.data(),
                           map_gradient.data());
    add_map_gradient(map, batch, first, count, half.map_rows[m].data(), map_gradient.data(),
                     gradient);
    std::swap(half.gradient, below);
  }
}

double ProductLoss::add_class(std::size_t row_of_sums, const ClassRows& rows, double scale,
                              const SoftBatch& batch, SoftBatch* gradient, WorkerPool& pool) const {
  const std::size_t half_rows = rows.count / 2;
  const std::size_t dimension = halves_.first_dimension * halves_.second_dimension;
  const std::size_t chunks = (half_rows + kChunkRows - 1) / kChunkRows;
  const std::size_t groups = std::min(kMaxGroups, chunks);
  const auto chunk_begin = [&](std::size_t half, std::size_t chunk) {
    return rows.first + half * half_rows + std::min(half_rows, chunk * kChunkRows);
  };

  // Sums of the features of both halves of the rows, in groups of chunks.
  std::vector<float> sums(2 * groups * dimension);
  pool.run(2 * groups, [&](std::size_t task) {
    const std::size_t half = task / groups;
    const std::size_t group = task % groups;
    Workspace workspace(halves_, maps_.size());
    for (std::size_t chunk = group * chunks / groups; chunk < (group + 1) * chunks / groups;
         ++chunk) {
      const std::size_t first = chunk_begin(half, chunk);
      const std::size_t count = chunk_begin(half, chunk + 1) - first;
      fill_factor(workspace.first, batch, first, count);
      fill_factor(workspace.second, batch, first, count);
      multiply(Transpose::kNo, Transpose::kYes, halves_.first_dimension, halves_.second_dimension,
               count, workspace.first.rows(), workspace.second.rows(), &sums[task * dimension],
               true);
    }
  });

  // Residuals, in place of the first group's sums: the weights of the other half's gradient.
  const auto factor = static_cast<float>(rows.records / static_cast<double>(half_rows));
  const float* target = &targets_[row_of_sums * dimension];
  double loss = 0.0;
  for (std::size_t half = 0; half < 2; ++half) {
    float* total = &sums[half * groups * dimension];
    for (std::size_t group = 1; group < groups; ++group) {
      for (std::size_t k = 0; k < dimension; ++k) {
        total[k] += total[group * dimension + k];
      }
    }
    for (std::size_t k = 0; k < dimension; ++k) {
      total[k] = target[k] - factor * total[k];
    }
  }
  float* residuals[2] = {sums.data(), &sums[groups * dimension]};
  for (std::size_t k = 0; k < dimension; ++k) {
    loss += static_cast<double>(residuals[0][k]) * static_cast<double>(residuals[1][k]);
  }
  if (gradient == nullptr) {
    return loss * scale;
  }
  const float weight = -factor * static_cast<float>(scale);
  for (float* residual : residuals) {
    for (std::size_t k = 0; k < dimension; ++k) {
      residual[k] *= weight;
    }
  }

  pool.run(2 * chunks, [&](std::size_t task) {
    const std::size_t half = task / chunks;
    const std::size_t first = chunk_begin(half, task % chunks);
    const std::size_t count = chunk_begin(half, task % chunks + 1) - first;
    const float* weights = residuals[1 - half];
    Workspace workspace(halves_, maps_.size());
    fill_factor(workspace.first, batch, first, count);
    fill_factor(workspace.second, batch, first, count);
    workspace.first.gradient.resize(halves_.first_dimension * count);
    multiply(Transpose::kNo, Transpose::kNo, halves_.first_dimension, count,
             halves_.second_dimension, weights, workspace.second.rows(),
             workspace.first.gradient.data(), false);
    workspace.second.gradient.resize(halves_.second_dimension * count);
    multiply(Transpose::kYes, Transpose::kNo, halves_.second_dimension, count,
             halves_.first_dimension, weights, workspace.first.rows(),
             workspace.second.gradient.data(), false);
    add_factor_gradient(workspace.first, first, count, batch, *gradient);
    add_factor_gradient(workspace.second, first, count, batch, *gradient);
  });
  return loss * scale;
}

}  // namespace mehler
