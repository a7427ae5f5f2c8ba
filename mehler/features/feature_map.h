#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mehler/encoding/encoded_batch.h"
#include "mehler/features/hermite_bounds.h"
#include "mehler/features/hermite_features.h"
#include "mehler/features/random_fourier.h"

namespace mehler {

/// Features are summed in multiples of 2^-kGridExponent: integers, whose sums do not depend on
/// order.
inline constexpr int kGridExponent = 20;

/// The two factors of a product are rounded to multiples of 2^-kProductFactorExponent each.
inline constexpr int kProductFactorExponent = 17;

/// A number that a feature map takes: a column times a coefficient.
struct MapInput {
  std::size_t column = 0;  ///< index into Encoder::columns()
  double coefficient = 1.0;
  /// Of a column of images: which of an image's bytes.
  std::optional<std::size_t> element = std::nullopt;
  bool operator==(const MapInput&) const = default;
};

/// Features of a record: a constant, a one-hot code, Hermite features of a number, the same of
/// every pixel of an image, random Fourier features of several numbers or of all pixels, or whether
/// a number is missing.
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
    kFourier,  ///< random Fourier features; a number that is missing counts as 0, the middle of its
               ///< bounds
    kFourierOfPixels,  ///< the same of all bytes of an image together
    kMissing,          ///< 1 if a number is missing, else 0
    kPixels,  ///< the same Hermite features of each byte of an image, one byte after the other
  };

  static FeatureMap constant();
  /// `column` indexes Encoder::columns().
  static FeatureMap one_hot(std::size_t column, std::size_t codes);
  static FeatureMap hermite(std::size_t column, HermiteFeatures features, bool may_miss);
  /// Hermite features of the weighted sum of the inputs, which is missing if one of them is. The
  /// coefficients' absolute values must add up to at most 1, so that the sum stays in [-1, 1]; else
  /// throws Error(kInvalidArgument).
  static FeatureMap hermite(std::vector<MapInput> inputs, HermiteFeatures features, bool may_miss);
  /// Hermite features of one byte of a column of images.
  static FeatureMap pixel(std::size_t column, std::size_t element, HermiteFeatures features);
  /// The same features of each of the `elements` bytes of a column of images.
  static FeatureMap pixels(std::size_t column, std::size_t elements, HermiteFeatures features);
  /// One column for each input of the features.
  static FeatureMap fourier(const std::vector<std::size_t>& columns,
                            RandomFourierFeatures features);
  /// Of all bytes of a column of images, of which there are as many as inputs.
  static FeatureMap fourier_of_pixels(std::size_t column, RandomFourierFeatures features);
  /// Whether a number of a column is missing.
  static FeatureMap missing(std::size_t column);

  Kind kind() const { return kind_; }
  /// The columns that it takes: none for the constant, one for a one-hot code.
  const std::vector<MapInput>& inputs() const { return inputs_; }
  /// Parts that are maps of their own, of one number each: the bytes of an image, else 1.
  std::size_t elements() const { return elements_; }
  /// Takes one column as it is, or one byte of it.
  bool is_of_one_column() const { return inputs_.size() == 1 && inputs_[0].coefficient == 1.0; }
  /// That column; only for maps of one column.
  std::size_t column() const { return inputs_.at(0).column; }
  const HermiteFeatures& hermite() const { return *hermite_; }
  const RandomFourierFeatures& random_fourier() const { return *fourier_; }
  /// Whether they are random Fourier features, of numbers or of pixels.
  bool is_fourier() const { return fourier_.has_value(); }
  bool may_miss() const { return may_miss_; }
  std::size_t dimension() const { return dimension_; }
  /// Entries that can differ from 0 in one record: 1 for a one-hot code.
  std::size_t dense_dimension() const { return kind_ == Kind::kOneHot ? 1 : dimension_; }

  /// How the norm of Hermite features was bounded, before rounding and missing values.
  const CertifiedBound& norm_certificate() const { return norm_certificate_; }

  /// sup ||phi||^2 over all records.
  double squared_norm_bound() const { return squared_norm_bound_; }
  /// sup ||phi - phi'||^2 over all pairs of records. Certified anew at each call for Hermite
  /// features.
  double squared_difference_bound() const;

  /// The number of one record that Hermite features are taken of; NaN where it is missing.
  double number_of(const EncodedBatch& batch, std::size_t row) const;

  /// The unrounded features of one record into out[0 .. dimension): the reference that fast sums
  /// are tested with.
  void evaluate(const EncodedBatch& batch, std::size_t row, double* out) const;

  bool operator==(const FeatureMap&) const = default;

 private:
  FeatureMap() = default;

  Kind kind_ = Kind::kConstant;
  std::vector<MapInput> inputs_;
  std::size_t dimension_ = 1;
  std::size_t elements_ = 1;
  bool may_miss_ = false;
  double squared_norm_bound_ = 1.0;
  CertifiedBound norm_certificate_;
  std::optional<HermiteFeatures> hermite_;
  std::optional<RandomFourierFeatures> fourier_;
};

}  // namespace mehler
