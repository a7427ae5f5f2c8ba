#include "mehler/generator/neural/product_loss.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/simd/matrix_product.h"
#include "mehler/simd/product_batch.h"

namespace mehler {
namespace {

/// Records whose features are multiplied at once; their factors stay in a core's cache. Whole
/// vectors, for the matrix product.
constexpr std::size_t kRowsOfChunk = 144;
/// A half's sums are added up in at most this many groups of chunks, in order.
constexpr std::size_t kMaxGroups = 4;
/// Residuals that one task makes.
constexpr std::size_t kResidualsPerTask = std::size_t{1} << 14;

/// Numbers that are written before they are read: grows, and is not filled with zeros.
class Scratch {
 public:
  void resize(std::size_t size) {
    if (size > capacity_) {
      values_ = std::make_unique_for_overwrite<float[]>(size);
      capacity_ = size;
    }
  }
  float* data() const { return values_.get(); }

 private:
  std::unique_ptr<float[]> values_;
  std::size_t capacity_ = 0;
};

/// The numbers that Hermite features of generated records are taken of, and the probability that
/// they are there.
struct SoftNumbers {
  std::vector<float> values;
  std::vector<float> presence;  ///< empty if they always are
};

/// Where the number of an input stands in its column: that of a row, of an image one byte.
std::size_t place_of(const MapInput& input, const SoftBatch& batch, std::size_t row) {
  const std::size_t bytes = batch.columns[input.column].numbers.size() / batch.rows;
  return input.element ? row * bytes + *input.element : row;
}

SoftNumbers numbers_of(const FeatureMap& map, const SoftBatch& batch, std::size_t first,
                       std::size_t count) {
  SoftNumbers result{std::vector<float>(count, 0.0F), {}};
  for (const MapInput& input : map.inputs()) {
    const SoftColumn& column = batch.columns[input.column];
    const auto coefficient = static_cast<float>(input.coefficient);
    for (std::size_t i = 0; i < count; ++i) {
      result.values[i] += coefficient * column.numbers[place_of(input, batch, first + i)];
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

/// Adds what the gradient of one map's features says of its columns to their gradient.
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
      by_column[place_of(input, batch, first + i)] += coefficient * slopes[i];
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
struct ProductLoss::Factor {
  std::size_t first_map = 0;
  std::size_t last_map = 0;
  std::size_t dimension = 1;
  std::vector<Scratch> map_rows;      ///< features of each map
  std::vector<Scratch> product_rows;  ///< products of the maps up to each
  Scratch gradient;                   ///< by the last of the products
  Scratch gradient_below;             ///< by the one before
  Scratch map_gradient;

  const float* rows() const { return product_rows.back().data(); }
};

struct ProductLoss::Workspace {
  Factor longer;
  Factor shorter;
};

ProductLoss::Workspace ProductLoss::make_workspace() const {
  const auto factor = [](std::size_t first_map, std::size_t last_map, std::size_t dimension) {
    Factor result;
    result.first_map = first_map;
    result.last_map = last_map;
    result.dimension = dimension;
    result.map_rows.resize(last_map - first_map);
    result.product_rows.resize(last_map - first_map + 1);
    return result;
  };
  Workspace result{factor(0, halves_.first_maps, halves_.first_dimension),
                   factor(halves_.first_maps, maps_.size(), halves_.second_dimension)};
  if (result.longer.dimension < result.shorter.dimension) {
    std::swap(result.longer, result.shorter);
  }
  return result;
}

ProductLoss::ProductLoss(const FeatureBlock& block, std::vector<float> targets)
    : halves_(block.halves()), targets_(std::move(targets)) {
  MEHLER_ASSERT(block.combination == Combination::kProduct);
  for (const WeightedMap& member : block.maps) {
    maps_.push_back(member.map);
  }
  const std::size_t rows = halves_.first_dimension;
  const std::size_t columns = halves_.second_dimension;
  if (rows >= columns) {
    return;
  }
  std::vector<float> transposed(targets_.size());
  for (std::size_t first = 0; first < targets_.size(); first += rows * columns) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        transposed[first + j * rows + i] = targets_[first + i * columns + j];
      }
    }
  }
  targets_ = std::move(transposed);
}

void ProductLoss::fill_factor(Factor& factor, const SoftBatch& batch, std::size_t first,
                              std::size_t count) const {
  factor.product_rows[0].resize(count);
  std::fill_n(factor.product_rows[0].data(), count, 1.0F);
  std::size_t dimension = 1;
  for (std::size_t m = 0; m < factor.map_rows.size(); ++m) {
    const FeatureMap& map = maps_[factor.first_map + m];
    factor.map_rows[m].resize(map.dimension() * count);
    fill_map_rows(map, batch, first, count, factor.map_rows[m].data());
    factor.product_rows[m + 1].resize(dimension * map.dimension() * count);
    multiply_soft_rows(factor.product_rows[m].data(), dimension, factor.map_rows[m].data(),
                       map.dimension(), count, factor.product_rows[m + 1].data());
    dimension *= map.dimension();
  }
}

void ProductLoss::add_factor_gradient(Factor& factor, std::size_t first, std::size_t count,
                                      const SoftBatch& batch, SoftBatch& gradient) const {
  std::size_t dimension = factor.dimension;
  for (std::size_t m = factor.map_rows.size(); m-- > 0;) {
    const FeatureMap& map = maps_[factor.first_map + m];
    dimension /= map.dimension();
    factor.gradient_below.resize(dimension * count);
    factor.map_gradient.resize(map.dimension() * count);
    split_product_gradient(factor.gradient.data(), factor.product_rows[m].data(), dimension,
                           factor.map_rows[m].data(), map.dimension(), count,
                           factor.gradient_below.data(), factor.map_gradient.data());
    add_map_gradient(map, batch, first, count, factor.map_rows[m].data(),
                     factor.map_gradient.data(), gradient);
    std::swap(factor.gradient, factor.gradient_below);
  }
}

double ProductLoss::add_class(std::size_t row_of_sums, const ClassRows& rows, double scale,
                              const SoftBatch& batch, SoftBatch* gradient, WorkerPool& pool) const {
  const std::size_t half_rows = rows.count / 2;
  const std::size_t dimension = halves_.first_dimension * halves_.second_dimension;
  const std::size_t longer = std::max(halves_.first_dimension, halves_.second_dimension);
  const std::size_t shorter = dimension / longer;
  const std::size_t chunks = ceil_divide(half_rows, kRowsOfChunk);
  const std::size_t groups = std::min(kMaxGroups, chunks);
  const auto chunk_begin = [&](std::size_t half, std::size_t chunk) {
    return rows.first + half * half_rows + std::min(half_rows, chunk * kRowsOfChunk);
  };

  // Sums of the features of both halves of the rows, in groups of chunks.
  Scratch sums;
  sums.resize(2 * groups * dimension);
  pool.run(2 * groups, [&](std::size_t task) {
    const std::size_t half = task / groups;
    const std::size_t group = task % groups;
    const std::size_t first_chunk = group * chunks / groups;
    Workspace workspace = make_workspace();
    for (std::size_t chunk = first_chunk; chunk < (group + 1) * chunks / groups; ++chunk) {
      const std::size_t first = chunk_begin(half, chunk);
      const std::size_t count = chunk_begin(half, chunk + 1) - first;
      fill_factor(workspace.longer, batch, first, count);
      fill_factor(workspace.shorter, batch, first, count);
      multiply(Transpose::kNo, Transpose::kYes, longer, shorter, count, workspace.longer.rows(),
               workspace.shorter.rows(), sums.data() + task * dimension, chunk > first_chunk);
    }
  });

  // Residuals, in place of the first group's sums: the weights of the other half's gradient.
  const auto factor = static_cast<float>(rows.records / static_cast<double>(half_rows));
  const float weight = -factor * static_cast<float>(scale);
  float* const residuals[2] = {sums.data(), sums.data() + groups * dimension};
  std::vector<double> losses((dimension + kResidualsPerTask - 1) / kResidualsPerTask);
  pool.run(losses.size(), [&](std::size_t task) {
    const std::size_t first = task * kResidualsPerTask;
    float* const parts[2] = {residuals[0] + first, residuals[1] + first};
    losses[task] =
        weigh_residuals(&targets_[row_of_sums * dimension + first], factor, weight, parts, groups,
                        dimension, std::min(kResidualsPerTask, dimension - first));
  });
  const double loss = scale * std::accumulate(losses.begin(), losses.end(), 0.0);
  if (gradient == nullptr) {
    return loss;
  }

  pool.run(2 * chunks, [&](std::size_t task) {
    const std::size_t half = task / chunks;
    const std::size_t first = chunk_begin(half, task % chunks);
    const std::size_t count = chunk_begin(half, task % chunks + 1) - first;
    const float* weights = residuals[1 - half];
    Workspace workspace = make_workspace();
    fill_factor(workspace.longer, batch, first, count);
    fill_factor(workspace.shorter, batch, first, count);
    workspace.longer.gradient.resize(longer * count);
    multiply(Transpose::kNo, Transpose::kNo, longer, count, shorter, weights,
             workspace.shorter.rows(), workspace.longer.gradient.data(), false);
    workspace.shorter.gradient.resize(shorter * count);
    multiply(Transpose::kYes, Transpose::kNo, shorter, count, longer, weights,
             workspace.longer.rows(), workspace.shorter.gradient.data(), false);
    add_factor_gradient(workspace.longer, first, count, batch, *gradient);
    add_factor_gradient(workspace.shorter, first, count, batch, *gradient);
  });
  return loss;
}

}  // namespace mehler
