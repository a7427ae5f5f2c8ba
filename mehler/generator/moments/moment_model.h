#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/counts/record_vector.h"
#include "mehler/estimation/marginal_estimates.h"
#include "mehler/release/release.h"

namespace mehler {

/// What a release of moments says of records, as numbers to draw scores from
/// (docs/design/0017-wide-tables.md):
///
///   class by its share; s ~ N(mean, covariance) of the class, in half-whitened coordinates
///   e = Psi^T (deviation * normal), Psi: cosines along runs of columns that are alike
///   z = centre + loadings (s - inside e) + e
///
/// then lengths by class, and columns, are brought to what was measured of them, and a teacher
/// gives the label.
struct MomentModel {
  /// Throws Error(kInvalidRelease) for a release whose sums of vectors are not those of moments.
  explicit MomentModel(const Release& release);

  std::vector<ColumnEstimate> columns;  ///< all of the encoder
  std::shared_ptr<const ScoreTables> scores;
  std::optional<std::size_t> target;  ///< the column of the classes

  std::vector<double> class_shares;  ///< 1 where there are no classes
  Matrix class_means;                ///< [class][direction]
  std::vector<Matrix> class_roots;   ///< of covariances: s = mean + root normal; [to][from]
  std::vector<float> centre;         ///< of each score
  Matrix inside;                     ///< [direction][score]: coordinates of a vector of scores
  Matrix loadings;                   ///< [direction][score]
  Matrix order_basis;                ///< [frequency][score]
  std::vector<float> deviations;     ///< of each frequency
  /// Of each class, the share of records up to the end of each cell of lengths; the cells' width.
  std::vector<std::vector<double>> length_shares;
  double length_width = 0.0;

  std::shared_ptr<const RecordVector> features;  ///< of the teacher; none without classes
  std::vector<double> weights;                   ///< [feature][class]

  std::size_t class_count() const { return class_shares.size(); }
};

/// Orthonormal: cosines along runs of at least 8 scores whose columns are alike, else the scores
/// themselves; and the ends of bands of frequencies, each a quarter wider than the one before.
struct OrderBasis {
  Matrix basis;                   ///< [frequency][score]
  std::vector<std::size_t> ends;  ///< of bands, ascending

  explicit OrderBasis(const ScoreTables& scores);
};

}  // namespace mehler
