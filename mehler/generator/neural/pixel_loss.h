#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "mehler/features/feature_map.h"
#include "mehler/generator/neural/product_loss.h"
#include "mehler/record_networks/output_heads.h"
#include "mehler/simd/hermite_batch.h"

namespace mehler {

/// The part of the embedding loss that the pixels of images make (embedding_loss.h).
///
/// All pixels have the same features, so sums of features are a matrix product: of the features'
/// Chebyshev coefficients and the sums of Chebyshev polynomials of each pixel, in which vectors go
/// across pixels. Even features have even polynomials and odd ones odd, so there are two products
/// of half the size; and two more for the gradient. Sums of features can only lie in the space that
/// the polynomials span, which has fewer dimensions than there are features: both are written in an
/// orthonormal basis of it, and what of a target lies outside adds a constant to the loss. Features
/// that have no Chebyshev series (orders above 256, very short length scales) are summed pixel by
/// pixel.
class PixelLoss {
 public:
  /// `targets`: the map's noisy sums, [classes][bytes][dimension of a byte].
  PixelLoss(const FeatureMap& map, std::span<const std::vector<float>> targets);

  std::size_t column() const { return map_.column(); }
  /// Pieces of an image that can be worked on at once.
  std::size_t parts() const;

  /// scale times the sum over a part's features of r1 r2, the residuals of the two halves of a
  /// class's rows; fills the part's gradient unless it is null. Thread-safe.
  double evaluate(std::size_t part, std::size_t row_of_sums, const ClassRows& rows, double scale,
                  const SoftColumn& column, SoftColumn* gradient) const;

 private:
  /// Arranges the targets, [classes][bytes][features], as [coordinates][bytes] of each part.
  void arrange(std::span<const std::vector<float>> targets,
               const std::vector<std::vector<double>>& basis);
  /// The sums of features of some rows, [coordinates][bytes of the part]: even ones first.
  void fill_sums(const float* numbers, std::size_t rows, std::size_t bytes, float* sums) const;
  /// The derivative of <weights, features> by each number, as evaluate() has its gradient.
  void fill_slopes(const float* numbers, std::size_t rows, std::size_t bytes, const float* weights,
                   float* slopes) const;

  FeatureMap map_;
  std::size_t features_of_byte_;
  std::size_t even_ = 0;                      ///< coordinates of even features of a byte
  std::size_t odd_ = 0;                       ///< and of odd ones
  std::optional<std::size_t> terms_;          ///< of the Chebyshev series, if there are any
  std::vector<float> features_;               ///< [even coordinates][even terms], then odd ones
  std::vector<float> slopes_;                 ///< [odd terms][even coordinates], then [even][odd]
  std::optional<HermiteBatchKernel> kernel_;  ///< if not
  std::vector<std::vector<float>> targets_;   ///< [classes]: for each part [coordinates][bytes]
  std::vector<std::vector<double>> outside_;  ///< [classes][parts]: squares that nothing can meet
};

}  // namespace mehler
