#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/estimation/dense.h"
#include "mehler/images/image_codec.h"
#include "mehler/release/measured_sums.h"

namespace mehler {

/// What method images measures of codes (docs/methods/images.md).
struct ImageSums {
  double records = 1.0;  ///< as far as their number is known
  MeasuredSum scatter;
  MeasuredSum class_means;
  std::vector<MeasuredSum> cells;  ///< rounds; may be none
  MeasuredSum class_scatters;

  /// Of a release. Throws Error(kInvalidRelease) if it does not have them, or if they do not fit
  /// together.
  static ImageSums of(const Release& release);
};

/// Records of each class by the constants of their sums, at least 0.
std::vector<double> released_class_counts(const MeasuredSum& class_means);

/// The same, at least 50: what sums of a class are divided by.
std::vector<double> class_counts(const MeasuredSum& class_means);

/// The classes, but for the missing one, whose records are within three standard deviations of
/// noise.
std::vector<std::size_t> hardly_known_classes(const MeasuredSum& class_means);

/// Class means of codes, [class][coordinate].
Dense class_means_of(const MeasuredSum& class_means, const std::vector<double>& counts);

/// Shares of a class's cells by the constants of their sums, [class][cell].
Dense cell_shares(const MeasuredSum& cells);

/// The law of codes by class: normal in a subspace, around one or several centres, and outside of
/// it a mean and a variance for each frequency.
struct ImageModel {
  explicit ImageModel(const ImageSums& sums);

  ImageCodec codec;
  std::vector<float> centre;
  Matrix directions;              ///< [direction][coordinate]
  std::vector<double> widths;     ///< of a half-whitened coordinate of 1, along each direction
  Dense class_centres;            ///< [class][direction], half-whitened
  Dense outside;                  ///< [class][coordinate]: means outside of the subspace
  std::size_t cells = 1;          ///< of a class
  Dense cell_centres;             ///< [class, cell][direction], half-whitened
  Dense shares_of_cells;          ///< [class][cell]
  std::vector<Matrix> roots;      ///< of each class's covariance, half-whitened
  std::vector<float> deviations;  ///< of each coordinate outside
  std::vector<double> counts;     ///< records of each class, at least 50
  std::vector<double> released_counts;  ///< the same, at least 0

  std::size_t class_count() const { return counts.size(); }
};

}  // namespace mehler
