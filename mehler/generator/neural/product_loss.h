#pragma once

#include <cstddef>
#include <vector>

#include "mehler/core/worker_pool.h"
#include "mehler/features/feature_block.h"
#include "mehler/record_networks/output_heads.h"

namespace mehler {

/// Rows of a batch that belong to one class.
struct ClassRows {
  std::size_t first = 0;
  std::size_t count = 0;  ///< even
  double records = 0.0;   ///< that the class has in the release
  double weight = 1.0;    ///< of its squared residuals, in the scale that a loss is given
};

/// The part of the embedding loss that one product block makes (embedding_loss.h).
///
/// A record's features are the tensor product of two factors, so sums over records are a matrix
/// product of the factors, and so are the gradients with respect to them: three products of
/// matrices a batch, in chunks of records. Nothing of size rows x dimension is stored.
class ProductLoss {
 public:
  /// `targets`: the block's noisy sums, [classes][dimension].
  ProductLoss(const FeatureBlock& block, std::vector<float> targets);

  /// scale times the sum over features of r1 r2, the residuals of the two halves of a class's rows;
  /// adds to `gradient` unless it is null. The same for any number of threads.
  double add_class(std::size_t row_of_sums, const ClassRows& rows, double scale,
                   const SoftBatch& batch, SoftBatch* gradient, WorkerPool& pool) const;

 private:
  struct Factor;
  struct Workspace;

  std::vector<FeatureMap> maps_;
  ProductHalves halves_;
  /// [classes][the longer half][the shorter half]: matrix products of this shape are faster.
  std::vector<float> targets_;

  /// The features of a chunk of records, and the gradient with respect to them, of both halves.
  Workspace make_workspace() const;
  void fill_factor(Factor& factor, const SoftBatch& batch, std::size_t first,
                   std::size_t count) const;
  void add_factor_gradient(Factor& factor, std::size_t first, std::size_t count,
                           const SoftBatch& batch, SoftBatch& gradient) const;
};

}  // namespace mehler
