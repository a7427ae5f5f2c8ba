#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "mehler/encoding/encoded_batch.h"
#include "mehler/features/hermite_features.h"

namespace mehler {

/// Features are summed in multiples of 2^-kGridExponent: integers, whose sums do not depend on
/// order.
inline constexpr int kGridExponent = 20;

/// The two factors of a product are rounded to multiples of 2^-kProductFactorExponent each.
inline constexpr int kProductFactorExponent = 17;

/// The features of one coordinate of a record: a constant, a one-hot code, or Hermite features.
///
/// Privacy: squared_norm_bound() and squared_difference_bound() hold for the rounded features that
/// are summed, for every value that encoding can give, missing ones included.
class FeatureMap {
 public:
  enum class Kind {
    kConstant,  ///< the number 1; no column
    kOneHot,    ///< 1 at the code, 0 elsewhere
    kHermite,  ///< Hermite features; where values may be missing, one more entry: 1 if missing (the
               ///< others then 0)
  };

  static FeatureMap constant();
  /// `column` indexes Encoder::columns().
  static FeatureMap one_hot(std::size_t column, std::size_t codes);
  static FeatureMap hermite(std::size_t column, HermiteFeatures features, bool may_miss);

  Kind kind() const { return kind_; }
  /// Index into Encoder::columns(); only for maps that have a column.
  std::size_t column() const { return column_; }
  const HermiteFeatures& hermite() const { return *hermite_; }
  bool may_miss() const { return may_miss_; }
  std::size_t dimension() const { return dimension_; }
  /// Entries that can differ from 0 in one record: 1 for a one-hot code.
  std::size_t dense_dimension() const { return kind_ == Kind::kHermite ? dimension_ : 1; }

  /// sup ||phi||^2 over all records.
  double squared_norm_bound() const { return squared_norm_bound_; }
  /// sup ||phi - phi'||^2 over all pairs of records. Certified anew at each call for Hermite
  /// features.
  double squared_difference_bound() const;

  /// The unrounded features of one record into out[0 .. dimension): the reference that fast sums
  /// are tested with.
  void evaluate(const EncodedBatch& batch, std::size_t row, double* out) const;

  bool operator==(const FeatureMap&) const = default;

 private:
  FeatureMap() = default;

  Kind kind_ = Kind::kConstant;
  std::size_t column_ = 0;
  std::size_t dimension_ = 1;
  bool may_miss_ = false;
  double squared_norm_bound_ = 1.0;
  std::optional<HermiteFeatures> hermite_;
};

}  // namespace mehler
