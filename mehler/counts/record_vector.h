#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "mehler/core/wiping.h"
#include "mehler/counts/counted_column.h"

namespace mehler {

/// Scores are multiples of 2^-kScoreExponent, the other parameters of public maps multiples of
/// 2^-kParameterExponent: whole numbers in a release, the same on every machine.
inline constexpr int kScoreExponent = 10;
inline constexpr int kParameterExponent = 20;

/// The nearest number that a release can write as a parameter.
double on_parameter_grid(double value);

/// A public score for each cell of some columns: what a record looks like as a vector of numbers.
struct ScoreTables {
  struct OfColumn {
    CountedColumn counted;
    std::vector<std::int32_t> scores;  ///< of each cell, in multiples of 2^-kScoreExponent
    bool operator==(const OfColumn&) const = default;
  };
  static constexpr double kLargestScore = 16.0;

  std::vector<OfColumn> columns;

  std::size_t size() const { return columns.size(); }
  /// The scores of a record, given the leaf of every column of the encoder.
  void evaluate(std::span<const std::uint32_t> leaves, double* out) const;
  /// Throws Error(kInvalidArgument), beginning with `what`, unless every cell has a score of at
  /// most kLargestScore and no column comes twice.
  void validate(std::string_view what) const;

  bool operator==(const ScoreTables&) const = default;
};

/// A public map of a record to a vector of bounded length. With z the record's scores, s = z -
/// centre and t_i = <direction i, s>, the vector is made of these parts, each multiplied by
/// `scale`:
///
///   keeps_scores   s + sum_i (factor_i - 1) t_i direction_i     a number for each score
///   else           factor_i t_i                                 a number for each direction
///   sizes          size_i |t_i| - size_offset                   if there are sizes
///   norm_weight    norm_weight clip(2 |z| / sqrt(D) - 2, 1.5)   if it is not 0
///
/// then `constant`, if it is not 0, and the whole is shortened to `radius` where it is longer.
///
/// Privacy: the 2-norm is at most radius * kOvershoot for every record, whatever the parameters;
/// what floating point adds to it is far below that.
struct RecordVector {
  std::shared_ptr<const ScoreTables> scores;
  std::vector<double> centre;      ///< of each score; may be empty for zeros
  std::vector<double> directions;  ///< [directions][scores]; may be empty
  std::vector<double> factors;     ///< of each direction
  bool keeps_scores = true;
  std::vector<double> sizes;  ///< of each direction, or none
  double size_offset = 0.0;
  double norm_weight = 0.0;
  double constant = 0.0;
  double scale = 1.0;
  double radius = 1.0;

  static constexpr double kOvershoot = 1.0 + 1e-9;
  static constexpr double kLargestRadius = 65'536.0;
  static constexpr double kLargestParameter = 1e6;

  std::size_t direction_count() const { return factors.size(); }
  std::size_t dimension() const;

  /// The vector of a record with these scores, into out[0 .. dimension()). Depends on nothing else.
  void evaluate(const double* z, double* out) const;

  /// Throws Error(kInvalidArgument), beginning with `what`, unless the shapes fit, all numbers are
  /// finite and within the limits above, and the radius is positive.
  void validate(std::string_view what) const;

  bool operator==(const RecordVector& other) const;
};

/// Whether all are finite and at most RecordVector::kLargestParameter in size.
bool are_parameters(std::span<const double> values);

/// Shortens a vector to a length; one that is not finite becomes zero.
void shorten(std::span<double> vector, double radius);

}  // namespace mehler
