#include "mehler/generator/embedding_loss.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "mehler/core/error.h"

namespace mehler {
namespace {

std::span<const float> part(const std::vector<float>& values, std::size_t first,
                            std::size_t count) {
  return values.empty() ? std::span<const float>() : std::span(values).subspan(first, count);
}

/// Sums of the features of some rows of a generated column. The kernel is the map's, if it has
/// Hermite features.
std::vector<float> generated_sums(const FeatureMap& map, const HermiteBatchKernel* kernel,
                                  const SoftColumn& column, std::size_t first, std::size_t count) {
  std::vector<float> sums(map.dimension(), 0.0F);
  if (map.kind() == FeatureMap::Kind::kOneHot) {
    for (std::size_t i = first; i < first + count; ++i) {
      const auto probabilities = column.probabilities.row(i);
      for (std::size_t c = 0; c < sums.size(); ++c) {
        sums[c] += probabilities[c];
      }
    }
    return sums;
  }
  const std::size_t entries = map.hermite().dimension();
  kernel->add_feature_sums(part(column.numbers, first, count), part(column.presence, first, count),
                           std::span(sums).first(entries));
  if (map.may_miss()) {
    for (std::size_t i = first; i < first + count; ++i) {
      sums[entries] += 1.0F - column.presence[i];
    }
  }
  return sums;
}

/// The gradient of <weights, sum of features> by some rows of a generated column.
void fill_gradient(const FeatureMap& map, const HermiteBatchKernel* kernel,
                   const SoftColumn& column, std::size_t first, std::size_t count,
                   const std::vector<float>& weights, SoftColumn& gradient) {
  if (map.kind() == FeatureMap::Kind::kOneHot) {
    for (std::size_t i = first; i < first + count; ++i) {
      std::copy(weights.begin(), weights.end(), gradient.probabilities.row(i).begin());
    }
    return;
  }
  const std::size_t entries = map.hermite().dimension();
  // The series itself is the slope by the presence.
  std::vector<float> series(map.may_miss() ? count : 0);
  kernel->evaluate_series(part(column.numbers, first, count), std::span(weights).first(entries),
                          series, std::span(gradient.numbers).subspan(first, count));
  if (map.may_miss()) {
    for (std::size_t i = 0; i < count; ++i) {
      gradient.numbers[first + i] *= column.presence[first + i];
      gradient.presence[first + i] = series[i] - weights[entries];
    }
  }
}

}  // namespace

std::shared_ptr<const HermiteBatchKernel> EmbeddingLoss::kernel_for(const FeatureMap& map) const {
  if (map.kind() != FeatureMap::Kind::kHermite) {
    return nullptr;
  }
  for (const Feature& feature : features_) {
    if (feature.kernel != nullptr && feature.map.hermite() == map.hermite()) {
      return feature.kernel;
    }
  }
  return std::make_shared<HermiteBatchKernel>(map.hermite().recursion());
}

EmbeddingLoss::EmbeddingLoss(const Release& release, const EmbeddingTarget& target)
    : class_counts_(target.class_counts) {
  std::size_t used_block = 0;
  for (std::size_t b = 0; b < release.blocks().size(); ++b) {
    const FeatureBlock& block = release.features().blocks()[b];
    if (block.maps[0].map.kind() == FeatureMap::Kind::kConstant) {
      continue;
    }
    const std::vector<double>& sums = target.sums.at(used_block++);
    const std::size_t classes = release.blocks()[b].rows;
    numbers_ += static_cast<double>(classes * block.dimension());
    if (block.combination == Combination::kProduct) {
      const double sigma = target.noise_factor * release.statement().blocks[b].sigma;
      products_.push_back({ProductLoss(block, std::vector<float>(sums.begin(), sums.end())),
                           classes, 1.0 / (sigma * sigma)});
      continue;
    }
    std::size_t offset = 0;
    for (const WeightedMap& member : block.maps) {
      const double sigma =
          target.noise_factor * release.statement().blocks[b].sigma / member.weight;
      Feature feature{member.map,
                      kernel_for(member.map),
                      classes,
                      {},
                      static_cast<float>(1.0 / (sigma * sigma))};
      for (std::size_t c = 0; c < classes; ++c) {
        const auto from =
            sums.begin() + static_cast<std::ptrdiff_t>(c * block.dimension() + offset);
        feature.sums.emplace_back(from, from + static_cast<std::ptrdiff_t>(member.map.dimension()));
      }
      offset += member.map.dimension();
      features_.push_back(std::move(feature));
    }
  }
}

std::vector<std::size_t> EmbeddingLoss::rows_per_class(std::size_t rows) const {
  const double total = std::accumulate(class_counts_.begin(), class_counts_.end(), 0.0);
  std::vector<std::size_t> result;
  for (const double count : class_counts_) {
    const auto half = static_cast<std::size_t>(
        std::ceil(0.5 * static_cast<double>(rows) * count / std::max(total, 1e-300)));
    result.push_back(2 * half);
  }
  return result;
}

double EmbeddingLoss::add_column(const Feature& feature, const std::vector<float>& sums,
                                 double records, const SoftColumn& column, std::size_t first,
                                 std::size_t count, SoftColumn& gradient) const {
  const std::size_t half = count / 2;
  const std::size_t starts[2] = {first, first + half};
  const auto factor = static_cast<float>(records / static_cast<double>(half));
  std::vector<float> residuals[2];
  for (int h = 0; h < 2; ++h) {
    residuals[h] = generated_sums(feature.map, feature.kernel.get(), column, starts[h], half);
    for (std::size_t k = 0; k < sums.size(); ++k) {
      residuals[h][k] = sums[k] - factor * residuals[h][k];
    }
  }
  double loss = 0.0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    loss += static_cast<double>(residuals[0][k]) * static_cast<double>(residuals[1][k]);
  }
  const auto scale = static_cast<float>(static_cast<double>(feature.inverse_variance) / numbers_);
  for (int h = 0; h < 2; ++h) {
    std::vector<float> weights(sums.size());
    for (std::size_t k = 0; k < sums.size(); ++k) {
      weights[k] = -factor * scale * residuals[1 - h][k];
    }
    fill_gradient(feature.map, feature.kernel.get(), column, starts[h], half, weights, gradient);
  }
  return loss * static_cast<double>(scale);
}

double EmbeddingLoss::evaluate(const SoftBatch& batch, const std::vector<std::size_t>& class_rows,
                               SoftBatch& gradient, WorkerPool& pool) const {
  gradient.rows = batch.rows;
  gradient.columns.resize(batch.columns.size());
  for (std::size_t i = 0; i < batch.columns.size(); ++i) {
    gradient.columns[i].numbers.assign(batch.columns[i].numbers.size(), 0.0F);
    gradient.columns[i].presence.assign(batch.columns[i].presence.size(), 0.0F);
    gradient.columns[i].probabilities =
        Matrix(batch.columns[i].probabilities.rows, batch.columns[i].probabilities.columns);
  }
  double loss = 0.0;
  for (const Feature& feature : features_) {
    MEHLER_ASSERT(feature.classes == class_rows.size());
    const SoftColumn& column = batch.columns[feature.map.column()];
    SoftColumn& slope = gradient.columns[feature.map.column()];
    std::size_t first = 0;
    for (std::size_t c = 0; c < class_rows.size(); ++c) {
      if (class_rows[c] >= 2) {
        loss += add_column(feature, feature.sums[c], class_counts_[c], column, first, class_rows[c],
                           slope);
      }
      first += class_rows[c];
    }
  }
  for (const Product& product : products_) {
    MEHLER_ASSERT(product.classes == class_rows.size());
    ClassRows rows;
    for (std::size_t c = 0; c < class_rows.size(); ++c) {
      rows.count = class_rows[c];
      rows.records = class_counts_[c];
      if (rows.count >= 2) {
        loss += product.loss.add_class(c, rows, product.inverse_variance / numbers_, batch,
                                       gradient, pool);
      }
      rows.first += rows.count;
    }
  }
  return loss;
}

}  // namespace mehler
