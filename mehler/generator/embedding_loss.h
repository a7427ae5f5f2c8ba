#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "mehler/core/worker_pool.h"
#include "mehler/generator/output_heads.h"
#include "mehler/generator/product_loss.h"
#include "mehler/kernels/hermite_batch.h"
#include "mehler/release/release.h"

namespace mehler {

/// Noisy sums that a generator is to meet, in units of the features: a release's, or a part of
/// them.
struct EmbeddingTarget {
  /// Records of each class, at least 0.
  std::vector<double> class_counts;
  /// Per block of the release but the count: sums [class][dimension].
  std::vector<std::vector<double>> sums;
  /// The noise of `sums` is the release's times this.
  double noise_factor = 1.0;
};

/// How far generated records are from a target: the squared distance of embeddings in units of the
/// noise, per number.
///
/// For each class, block and feature the residual is r = released sum - count * mean of the
/// generated features. A batch is split into halves and the loss is the mean of r1 r2 / sigma^2
/// (weights 1/sigma^2: maximum likelihood): unlike r^2 it does not punish the spread of the
/// generated records. It is about 1 when the generator matches the private sums, whose noise it
/// cannot know, and falls below when it begins to fit the noise.
///
/// Forward and gradient are fused per class and column; nothing of size rows x order is stored.
class EmbeddingLoss {
 public:
  EmbeddingLoss(const Release& release, const EmbeddingTarget& target);

  /// Rows of each class that a batch of about `rows` rows should have: in proportion to the counts,
  /// at least 2 for a class with records, an even number.
  std::vector<std::size_t> rows_per_class(std::size_t rows) const;

  /// The loss of a batch whose rows are sorted by class, class_rows[c] of each; fills `gradient`.
  double evaluate(const SoftBatch& batch, const std::vector<std::size_t>& class_rows,
                  SoftBatch& gradient, WorkerPool& pool) const;

 private:
  struct Feature {
    FeatureMap map;
    std::shared_ptr<const HermiteBatchKernel> kernel;  ///< of Hermite features; null for others
    std::size_t classes;                   ///< rows of the sums: 1 for an unlabelled block
    std::vector<std::vector<float>> sums;  ///< [class][dimension]
    float inverse_variance;
  };

  /// A product block.
  struct Product {
    ProductLoss loss;
    std::size_t classes;
    double inverse_variance;
  };
  /// The kernel of a map: that of an equal map that came before, if there is one.
  std::shared_ptr<const HermiteBatchKernel> kernel_for(const FeatureMap& map) const;

  /// One class, one column: adds to the loss and to the gradient of rows [first, first + count).
  double add_column(const Feature& feature, const std::vector<float>& sums, double records,
                    const SoftColumn& column, std::size_t first, std::size_t count,
                    SoftColumn& gradient) const;

  std::vector<double> class_counts_;
  std::vector<Feature> features_;
  std::vector<Product> products_;
  double numbers_ = 0.0;
};

}  // namespace mehler
