#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "mehler/core/worker_pool.h"
#include "mehler/features/feature_set.h"
#include "mehler/generator/neural/fourier_loss.h"
#include "mehler/generator/neural/pixel_loss.h"
#include "mehler/generator/neural/product_loss.h"
#include "mehler/record_networks/output_heads.h"
#include "mehler/simd/hermite_batch.h"

namespace mehler {

/// Sums of features that a generator is to meet, in units of the features: a release's, a part of
/// them, or exact ones.
struct EmbeddingTarget {
  /// Records of each class, at least 0.
  std::vector<double> class_counts;
  /// Per block of the features but the count: sums [class][dimension].
  std::vector<std::vector<double>> sums;
  /// Per such block: the standard deviation of the noise of sums of weight 1. Only for weights that
  /// follow the noise.
  std::vector<double> sigmas;
};

/// How much a squared residual counts.
struct LossWeights {
  enum class Rule {
    kNoise,  ///< 1 / sigma^2: maximum likelihood
    kGamma,  ///< the paper's, for mean embeddings: 1 over the columns for the sum kernel, gamma for
             ///< the product kernel
    kOnes,   ///< 1 for each block's mean embedding: for sums without noise
  };
  Rule rule = Rule::kNoise;
  double gamma = 1.0;
  /// Of mean embeddings: that of every class counts the same, however few records the class has, as
  /// DP-HP's and DP-MERF's authors train on tables. By default records count the same, so that a
  /// class of 6 % of them makes 0.4 % of the loss.
  bool equal_classes = false;
};

/// What squared distances of sums over the records of a class are to be multiplied by so that each
/// class counts as one of that many equally large ones. A class below kLeastShare of the records,
/// of which there are a few, or nothing but noise, counts as one of that share.
std::vector<double> equal_class_weights(const std::vector<double>& counts);
inline constexpr double kLeastShare = 1e-3;

/// How far generated records are from a target: the squared distance of embeddings in units of the
/// noise, per number; or, by other weights than the noise's, of mean embeddings, weighed by class.
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
  /// `features` may have a block of the count, which is left out.
  EmbeddingLoss(const FeatureSet& features, const EmbeddingTarget& target,
                const LossWeights& weights = {});

  std::size_t product_blocks() const { return products_.size(); }

  /// The loss of a batch whose rows are sorted by class, class_rows[c] of each; fills `gradient`.
  /// With `only_product` the other product blocks are left out. The same for any number of threads.
  double evaluate(const SoftBatch& batch, const std::vector<std::size_t>& class_rows,
                  SoftBatch& gradient, WorkerPool& pool,
                  std::optional<std::size_t> only_product = std::nullopt) const;

  /// The loss alone.
  double value(const SoftBatch& batch, const std::vector<std::size_t>& class_rows,
               WorkerPool& pool) const;

 private:
  struct Feature {
    FeatureMap map;
    std::shared_ptr<const HermiteBatchKernel> kernel;  ///< of Hermite features; null for others
    std::vector<std::vector<float>> sums;              ///< [class][dimension]
    double weight = 0.0;
  };

  /// Random Fourier features of a sum block.
  struct Fourier {
    FourierLoss loss;
    double weight = 0.0;
  };

  /// The pixels of images in a sum block.
  struct Pixels {
    PixelLoss loss;
    double weight = 0.0;
  };

  /// A product block.
  struct Product {
    ProductLoss loss;
    double weight = 0.0;
  };
  /// The kernel of a map: that of an equal map that came before, if there is one.
  std::shared_ptr<const HermiteBatchKernel> kernel_for(const FeatureMap& map) const;

  /// One class of one column of the sum block: its part of the loss, and the gradient of its rows.
  double evaluate_column(const Feature& feature, std::size_t row_of_sums, const ClassRows& rows,
                         const SoftColumn& column, SoftColumn* gradient) const;

  double evaluate_pixels(const Pixels& pixels, const std::vector<ClassRows>& classes,
                         const SoftBatch& batch, SoftBatch* gradient, WorkerPool& pool) const;

  double evaluate(const SoftBatch& batch, const std::vector<std::size_t>& class_rows,
                  SoftBatch* gradient, WorkerPool& pool,
                  std::optional<std::size_t> only_product) const;

  std::vector<double> class_counts_;
  std::vector<double> class_weights_;  ///< of squared residuals
  std::vector<Feature> features_;
  std::vector<Fourier> fouriers_;
  std::vector<Pixels> pixels_;
  std::vector<Product> products_;
  double numbers_ = 0.0;
};

}  // namespace mehler
