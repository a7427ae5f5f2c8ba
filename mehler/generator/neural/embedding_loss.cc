#include "mehler/generator/neural/embedding_loss.h"

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
  if (map.kind() == FeatureMap::Kind::kMissing) {
    for (std::size_t i = first; i < first + count; ++i) {
      sums[0] += 1.0F - column.presence[i];
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

/// The gradient of <weights, sum of features> by some rows of a generated column. Written, not
/// added: what adds to it comes later.
void fill_gradient(const FeatureMap& map, const HermiteBatchKernel* kernel,
                   const SoftColumn& column, std::size_t first, std::size_t count,
                   const std::vector<float>& weights, SoftColumn& gradient) {
  if (map.kind() == FeatureMap::Kind::kOneHot) {
    for (std::size_t i = first; i < first + count; ++i) {
      std::copy(weights.begin(), weights.end(), gradient.probabilities.row(i).begin());
    }
    return;
  }
  if (map.kind() == FeatureMap::Kind::kMissing) {
    std::fill_n(gradient.presence.begin() + static_cast<std::ptrdiff_t>(first), count, -weights[0]);
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

std::vector<double> class_weights(const std::vector<double>& counts, const LossWeights& weights) {
  const bool by_class = weights.rule != LossWeights::Rule::kNoise && weights.equal_classes;
  return by_class ? equal_class_weights(counts) : std::vector<double>(counts.size(), 1.0);
}

}  // namespace

std::vector<double> equal_class_weights(const std::vector<double>& counts) {
  const double records = std::accumulate(counts.begin(), counts.end(), 0.0);
  std::vector<double> weights;
  for (const double count : counts) {
    const double share = std::max(count / records, kLeastShare);
    const double factor = 1.0 / (share * static_cast<double>(counts.size()));
    weights.push_back(factor * factor);
  }
  return weights;
}

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

EmbeddingLoss::EmbeddingLoss(const FeatureSet& features, const EmbeddingTarget& target,
                             const LossWeights& weights)
    : class_counts_(target.class_counts), class_weights_(class_weights(class_counts_, weights)) {
  const double records = std::accumulate(class_counts_.begin(), class_counts_.end(), 0.0);
  // In the units of the released sums, of features that count `weight` times in their block.
  const auto weight_of = [&](const FeatureBlock& block, double weight, double sigma) {
    if (weights.rule == LossWeights::Rule::kNoise) {
      return weight * weight / (sigma * sigma);
    }
    const double of_means = weight * weight / (records * records);
    if (weights.rule == LossWeights::Rule::kOnes) {
      return of_means;
    }
    return block.combination == Combination::kProduct
               ? weights.gamma * of_means
               : of_means / static_cast<double>(block.elements());
  };
  std::size_t used_block = 0;
  for (const FeatureBlock& block : features.blocks()) {
    if (block.maps[0].map.kind() == FeatureMap::Kind::kConstant) {
      continue;
    }
    const bool follows_noise = weights.rule == LossWeights::Rule::kNoise;
    const double block_sigma = follows_noise ? target.sigmas.at(used_block) : 0.0;
    const std::vector<double>& sums = target.sums.at(used_block++);
    const std::size_t classes = features.block_rows(block);
    MEHLER_ASSERT(classes == class_counts_.size());
    numbers_ += static_cast<double>(classes * block.dimension());
    if (block.combination == Combination::kProduct) {
      products_.push_back({ProductLoss(block, std::vector<float>(sums.begin(), sums.end())),
                           weight_of(block, 1.0, block_sigma)});
      continue;
    }
    std::size_t offset = 0;
    for (const WeightedMap& member : block.maps) {
      std::vector<std::vector<float>> map_sums;
      for (std::size_t c = 0; c < classes; ++c) {
        const auto from =
            sums.begin() + static_cast<std::ptrdiff_t>(c * block.dimension() + offset);
        map_sums.emplace_back(from, from + static_cast<std::ptrdiff_t>(member.map.dimension()));
      }
      offset += member.map.dimension();
      const double weight = weight_of(block, member.weight, block_sigma);
      if (member.map.is_fourier()) {
        fouriers_.push_back({FourierLoss(member.map, std::move(map_sums)), weight});
      } else if (member.map.kind() == FeatureMap::Kind::kPixels) {
        pixels_.push_back({PixelLoss(member.map, map_sums), weight});
      } else {
        features_.push_back({member.map, kernel_for(member.map), std::move(map_sums), weight});
      }
    }
  }
  // Of mean embeddings the loss is a sum, not a mean.
  if (weights.rule != LossWeights::Rule::kNoise) {
    numbers_ = 1.0;
  }
}

double EmbeddingLoss::evaluate_column(const Feature& feature, std::size_t row_of_sums,
                                      const ClassRows& rows, const SoftColumn& column,
                                      SoftColumn* gradient) const {
  const std::vector<float>& sums = feature.sums[row_of_sums];
  const std::size_t half = rows.count / 2;
  const std::size_t starts[2] = {rows.first, rows.first + half};
  const auto factor = static_cast<float>(rows.records / static_cast<double>(half));
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
  const double scale = feature.weight * rows.weight / numbers_;
  for (int h = 0; gradient != nullptr && h < 2; ++h) {
    std::vector<float> weights(sums.size());
    for (std::size_t k = 0; k < sums.size(); ++k) {
      weights[k] = -factor * static_cast<float>(scale) * residuals[1 - h][k];
    }
    fill_gradient(feature.map, feature.kernel.get(), column, starts[h], half, weights, *gradient);
  }
  return loss * scale;
}

double EmbeddingLoss::evaluate_pixels(const Pixels& pixels, const std::vector<ClassRows>& classes,
                                      const SoftBatch& batch, SoftBatch* gradient,
                                      WorkerPool& pool) const {
  const std::size_t column = pixels.loss.column();
  std::vector<double> losses(classes.size() * pixels.loss.parts(), 0.0);
  pool.run(losses.size(), [&](std::size_t task) {
    const std::size_t c = task / pixels.loss.parts();
    if (classes[c].count >= 2) {
      losses[task] = pixels.loss.evaluate(
          task % pixels.loss.parts(), c, classes[c], pixels.weight * classes[c].weight / numbers_,
          batch.columns[column], gradient == nullptr ? nullptr : &gradient->columns[column]);
    }
  });
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

double EmbeddingLoss::evaluate(const SoftBatch& batch, const std::vector<std::size_t>& class_rows,
                               SoftBatch* gradient, WorkerPool& pool,
                               std::optional<std::size_t> only_product) const {
  MEHLER_ASSERT(class_rows.size() == class_counts_.size());
  std::vector<ClassRows> classes;
  std::size_t first = 0;
  for (std::size_t c = 0; c < class_rows.size(); ++c) {
    classes.push_back({first, class_rows[c], class_counts_[c], class_weights_[c]});
    first += class_rows[c];
  }
  std::vector<double> parts(features_.size() * classes.size(), 0.0);
  pool.run(parts.size(), [&](std::size_t task) {
    const Feature& feature = features_[task / classes.size()];
    const std::size_t c = task % classes.size();
    const std::size_t column = feature.map.column();
    if (classes[c].count >= 2) {
      parts[task] = evaluate_column(feature, c, classes[c], batch.columns[column],
                                    gradient == nullptr ? nullptr : &gradient->columns[column]);
    }
  });
  double loss = std::accumulate(parts.begin(), parts.end(), 0.0);
  for (const Pixels& pixels : pixels_) {
    loss += evaluate_pixels(pixels, classes, batch, gradient, pool);
  }
  for (const Fourier& fourier : fouriers_) {
    for (std::size_t c = 0; c < classes.size(); ++c) {
      if (classes[c].count >= 2) {
        loss += fourier.loss.add_class(c, classes[c], fourier.weight * classes[c].weight / numbers_,
                                       batch, gradient, pool);
      }
    }
  }
  for (std::size_t i = 0; i < products_.size(); ++i) {
    if (only_product && *only_product != i) {
      continue;
    }
    for (std::size_t c = 0; c < classes.size(); ++c) {
      if (classes[c].count >= 2) {
        loss += products_[i].loss.add_class(c, classes[c],
                                            products_[i].weight * classes[c].weight / numbers_,
                                            batch, gradient, pool);
      }
    }
  }
  return loss;
}

double EmbeddingLoss::evaluate(const SoftBatch& batch, const std::vector<std::size_t>& class_rows,
                               SoftBatch& gradient, WorkerPool& pool,
                               std::optional<std::size_t> only_product) const {
  gradient.rows = batch.rows;
  gradient.columns.resize(batch.columns.size());
  for (std::size_t i = 0; i < batch.columns.size(); ++i) {
    gradient.columns[i].numbers.assign(batch.columns[i].numbers.size(), 0.0F);
    gradient.columns[i].presence.assign(batch.columns[i].presence.size(), 0.0F);
    gradient.columns[i].probabilities =
        Matrix(batch.columns[i].probabilities.rows, batch.columns[i].probabilities.columns);
  }
  return evaluate(batch, class_rows, &gradient, pool, only_product);
}

double EmbeddingLoss::value(const SoftBatch& batch, const std::vector<std::size_t>& class_rows,
                            WorkerPool& pool) const {
  return evaluate(batch, class_rows, nullptr, pool, std::nullopt);
}

}  // namespace mehler
