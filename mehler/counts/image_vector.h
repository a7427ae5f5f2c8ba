#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "mehler/counts/image_scores.h"
#include "mehler/counts/record_vector.h"

namespace mehler {

/// A public map of an image, and of its class, to a vector of bounded length. With z the image's
/// scores:
///
///   s = z - centre, shortened to `inner_radius`, if there is one;  t_i = <direction i, s>
///   x = scale (s + sum_i (factor_i - 1) t_i direction_i)    if keeps_scores
///   x = scale (factor_i t_i)                                else: a number for each direction
///   x less the centre of the image's class, if there are such; shortened to `radius`
///   with cells: x belongs to the nearest centre of a cell of its class; if `from_cells`, x is
///       taken less that centre and shortened to `cell_radius`
///   then `constant` is put after it, if it is not 0
///
/// Privacy: x is at most bound() * kOvershoot long for every image, whatever the parameters, and
/// what comes after it is the same for all.
struct ImageVector {
  std::shared_ptr<const ImageScores> scores;
  std::vector<double> centre;      ///< of each score; may be empty for zeros
  double inner_radius = 0.0;       ///< 0: none
  std::vector<double> directions;  ///< [directions][scores]; may be empty
  std::vector<double> factors;     ///< of each direction
  bool keeps_scores = true;
  double scale = 1.0;
  std::vector<double> class_centres;  ///< [classes][entries of x]; may be empty
  double radius = 1.0;
  std::size_t cells = 0;             ///< of each class
  std::vector<double> cell_centres;  ///< [classes][cells][entries of x]
  bool from_cells = false;
  double cell_radius = 0.0;  ///< if from_cells
  double constant = 0.0;

  static constexpr double kOvershoot = RecordVector::kOvershoot;
  static constexpr double kLargestRadius = RecordVector::kLargestRadius;
  static constexpr std::size_t kMaxCells = 1024;

  std::size_t direction_count() const { return factors.size(); }
  /// Entries of x.
  std::size_t entries() const { return keeps_scores ? scores->size() : direction_count(); }
  /// With the constant.
  std::size_t dimension() const { return entries() + (constant != 0.0 ? 1 : 0); }
  double bound() const { return from_cells ? cell_radius : radius; }

  /// The vectors of some images with these scores, [rows][scores], and classes, into
  /// vectors[rows][dimension()]; `cells_of_rows`, if not empty, gets their cells. A row's result
  /// depends on its own scores and class alone, bit by bit: rows can be cut into batches anyhow.
  void evaluate(std::span<const float> rows_of_scores, std::span<const std::uint32_t> classes,
                std::span<double> vectors, std::span<std::uint32_t> cells_of_rows) const;

  /// Throws Error(kInvalidArgument), beginning with `what`, unless the shapes fit for so many
  /// classes, all numbers are finite and within the limits, and the radii are positive.
  void validate(std::string_view what, std::size_t class_count) const;

  bool operator==(const ImageVector& other) const;

 private:
  /// x before class centres are taken off, of some rows, [rows][entries()].
  WipedVector<float> turned(std::span<const float> rows_of_scores, std::size_t rows) const;
  std::size_t nearest_cell(std::size_t of_class, std::span<const double> x) const;
};

}  // namespace mehler
