#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mehler/counts/image_vector.h"
#include "mehler/counts/record_vector.h"
#include "mehler/encoding/encoded_batch.h"
#include "mehler/table/schema.h"

namespace mehler {

/// What is summed over records, of u, a record's vector.
enum class SumKind {
  kLengths,   ///< records whose |u| lies in each of some cells of equal width
  kMeans,     ///< u
  kProducts,  ///< u u^T: its diagonal and what is right of it, row by row
  kLoadings,  ///< u v^T, v another vector of the record
  kGradient,  ///< u (p - y)^T shortened to `gradient_radius`; p: softmax of u^T weights, y: class
  /// The same of long vectors of many records: u is rounded, p - y is shortened such that the
  /// product is, then rounded as well, and products are exact.
  kRoundedGradient,
};

/// A sum over records of a public map of each: of its scores (RecordVector), or of an image
/// (ImageVector). Lengths, means and products may be told apart by class, means of images also by
/// cell of a class: a block of numbers for each, of which a record touches one.
///
/// What a record adds is computed from it alone, then rounded to a grid, and summed in integers:
/// the sums are the same for any order of the records and any number of threads. Of products and
/// loadings the vectors' entries are rounded and their products are exact.
///
/// Privacy: sensitivity() holds for every record, rounding included (docs/design/0017, "Proof").
struct VectorSum {
  SumKind kind = SumKind::kMeans;
  std::shared_ptr<const RecordVector> vector;
  std::shared_ptr<const ImageVector> image;   ///< instead of `vector`
  std::shared_ptr<const RecordVector> other;  ///< kLoadings
  /// The column of the classes, whose cells they are; gradients need it.
  std::optional<CountedColumn> classes;
  std::size_t cells = 0;    ///< kLengths: how many
  double cell_width = 0.0;  ///< kLengths; the last cell has all longer ones
  std::shared_ptr<const std::vector<double>> weights;  ///< gradients: [dimension of u][classes]
  double gradient_radius = 1.0;                        ///< gradients

  static constexpr std::size_t kMaxClasses = 64;
  static constexpr int kSumExponent = 20;
  /// Of the entries of vectors that are multiplied.
  static constexpr int kFactorExponent = 12;
  /// Of both factors of a rounded gradient, whose entries fit 16 bits.
  static constexpr int kGradientExponent = 14;
  static constexpr double kLongestRounded = 1.5;

  std::size_t class_count() const { return classes ? classes->cells->size() : 1; }
  /// Of u.
  std::size_t vector_dimension() const { return image ? image->dimension() : vector->dimension(); }
  bool is_gradient() const {
    return kind == SumKind::kGradient || kind == SumKind::kRoundedGradient;
  }
  /// Cells that a record of a class may be in.
  std::size_t cell_count() const {
    return image && image->cells > 0 && !image->from_cells ? image->cells : 1;
  }
  /// Numbers in all: [classes][cells][of one cell]; gradients: [dimension of u][classes].
  std::size_t dimension() const;
  bool is_count() const { return kind == SumKind::kLengths; }
  /// The exact sums are multiples of 2^-exact_exponent().
  int exact_exponent() const;
  /// See CountBlock.
  std::vector<double> noise_scales() const;
  double sensitivity(NeighbourRelation relation) const;
  /// No entry of what one record adds is larger, in multiples of 2^-exact_exponent().
  double largest_entry() const;

  /// The leaves of one record that the sum looks at, by column of the encoder; 0 elsewhere and for
  /// images.
  std::vector<std::uint32_t> leaves_of(const EncodedBatch& batch, std::size_t row) const;

  /// The class of one record; 0 where the sum has none.
  std::uint32_t class_of(const EncodedBatch& batch, std::size_t row) const;

  /// Throws Error(kInvalidArgument), beginning with `what`, unless the parts fit the kind.
  void validate(std::string_view what) const;

  bool operator==(const VectorSum& other) const;
};

}  // namespace mehler
