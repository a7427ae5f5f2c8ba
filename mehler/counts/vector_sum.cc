#include "mehler/counts/vector_sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/euclidean_length.h"
#include "mehler/core/integer_math.h"

namespace mehler {
namespace {

constexpr std::size_t kMaxLengthCells = 4096;

/// The length of a vector of at most this radius, after its entries were rounded to multiples of
/// 2^-exponent.
double rounded_length(double radius, std::size_t dimension, int exponent) {
  return radius * RecordVector::kOvershoot +
         std::sqrt(static_cast<double>(dimension)) * std::ldexp(0.5, -exponent);
}

/// The length of the vectors of a sum, after their entries were rounded.
double vector_length(const VectorSum& sum, int exponent) {
  if (!sum.image) {
    return rounded_length(sum.vector->radius, sum.vector->dimension(), exponent);
  }
  const double entries = rounded_length(sum.image->bound(), sum.image->entries(), exponent);
  const double constant = sum.image->constant;
  return euclidean_length(entries,
                          constant == 0.0 ? 0.0 : std::fabs(constant) + std::ldexp(0.5, -exponent));
}

double factor_length(const RecordVector& vector) {
  return rounded_length(vector.radius, vector.dimension(), VectorSum::kFactorExponent);
}

/// How far the sums of vectors are apart that differ in one record. What comes after the entries of
/// an image is the same for all: it cancels, unless the records are of two classes or cells.
double exchanged_means(const VectorSum& sum) {
  if (!sum.image) {
    return 2.0 * vector_length(sum, VectorSum::kSumExponent);
  }
  const double entries =
      rounded_length(sum.image->bound(), sum.image->entries(), VectorSum::kSumExponent);
  const bool has_blocks = sum.class_count() * sum.cell_count() > 1;
  return std::max(2.0 * entries,
                  has_blocks ? std::sqrt(2.0) * vector_length(sum, VectorSum::kSumExponent) : 0.0);
}

std::size_t triangle(std::size_t size) { return multiply_saturating(size, size + 1) / 2; }

}  // namespace

std::size_t VectorSum::dimension() const {
  const std::size_t own = vector_dimension();
  switch (kind) {
    case SumKind::kLengths:
      return class_count() * cells;
    case SumKind::kMeans:
      return multiply_saturating(class_count() * cell_count(), own);
    case SumKind::kGradient:
    case SumKind::kRoundedGradient:
      return multiply_saturating(class_count(), own);
    case SumKind::kProducts:
      return multiply_saturating(class_count(), triangle(own));
    case SumKind::kLoadings:
      return multiply_saturating(own, other->dimension());
  }
  return 0;
}

int VectorSum::exact_exponent() const {
  switch (kind) {
    case SumKind::kLengths:
      return 0;
    case SumKind::kMeans:
    case SumKind::kGradient:
      return kSumExponent;
    case SumKind::kProducts:
    case SumKind::kLoadings:
      return 2 * kFactorExponent;
    case SumKind::kRoundedGradient:
      return 2 * kGradientExponent;
  }
  return 0;
}

std::vector<double> VectorSum::noise_scales() const {
  std::vector<double> scales(dimension(), 1.0);
  if (kind == SumKind::kProducts) {
    // An entry beside the diagonal stands for two of the matrix, whose norm counts both.
    const std::size_t own = vector_dimension();
    std::size_t next = 0;
    for (std::size_t c = 0; c < class_count(); ++c) {
      for (std::size_t i = 0; i < own; ++i) {
        for (std::size_t j = i; j < own; ++j) {
          scales[next++] = i == j ? 1.0 : std::sqrt(0.5);
        }
      }
    }
  }
  return scales;
}

double VectorSum::sensitivity(NeighbourRelation relation) const {
  const bool replace = relation == NeighbourRelation::kReplaceOne;
  const double twice = replace ? 2.0 : 1.0;
  // Of two vectors without negative products: cells, and matrices u u^T.
  const double apart = replace ? std::sqrt(2.0) : 1.0;
  switch (kind) {
    case SumKind::kLengths:
      return apart;
    case SumKind::kMeans:
      return replace ? exchanged_means(*this) : vector_length(*this, kSumExponent);
    case SumKind::kProducts: {
      const double length = vector_length(*this, kFactorExponent);
      return apart * length * length;
    }
    case SumKind::kLoadings:
      return twice * factor_length(*vector) * factor_length(*other);
    case SumKind::kGradient:
      return twice * rounded_length(gradient_radius, dimension(), kSumExponent);
    case SumKind::kRoundedGradient:
      return twice *
             (gradient_radius * RecordVector::kOvershoot +
              std::sqrt(static_cast<double>(class_count())) * std::ldexp(0.5, -kGradientExponent) *
                  vector_length(*this, kGradientExponent));
  }
  return 0.0;
}

double VectorSum::largest_entry() const {
  return std::ceil(std::ldexp(sensitivity(NeighbourRelation::kAddRemoveOne), exact_exponent()));
}

std::vector<std::uint32_t> VectorSum::leaves_of(const EncodedBatch& batch, std::size_t row) const {
  std::vector<std::uint32_t> leaves(batch.columns.size());
  const auto look_at = [&](const CountedColumn& counted) {
    leaves.at(counted.column) =
        counted.cells->leaves().leaf_of(batch.columns.at(counted.column), row);
  };
  for (const RecordVector* held : {vector.get(), other.get()}) {
    for (std::size_t i = 0; held != nullptr && i < held->scores->size(); ++i) {
      look_at(held->scores->columns[i].counted);
    }
  }
  if (classes) {
    look_at(*classes);
  }
  return leaves;
}

std::uint32_t VectorSum::class_of(const EncodedBatch& batch, std::size_t row) const {
  if (!classes) {
    return 0;
  }
  const std::uint32_t leaf =
      classes->cells->leaves().leaf_of(batch.columns.at(classes->column), row);
  return static_cast<std::uint32_t>(classes->cells->cell_of(leaf));
}

void VectorSum::validate(std::string_view what) const {
  const auto require = [&](bool holds, std::string_view complaint) {
    if (!holds) {  // written so that NaN fails too
      throw Error(ErrorCode::kInvalidArgument, fmt::format("{} {}", what, complaint));
    }
  };
  require((vector != nullptr) != (image != nullptr), "does not sum one kind of vector");
  if (image) {
    image->validate(what, class_count());
    require(kind != SumKind::kLoadings && kind != SumKind::kGradient,
            "sums images in a way that is for scores");
    require(image->cells == 0 || classes, "has cells of classes, but no classes");
    require(cell_count() == 1 || kind == SumKind::kMeans, "has cells where none are needed");
  } else {
    vector->validate(what);
    require(kind != SumKind::kRoundedGradient, "sums scores in a way that is for images");
  }
  require((other != nullptr) == (kind == SumKind::kLoadings),
          "has a second vector where none is needed, or none where one is");
  if (other) {
    other->validate(what);
    require(hold_the_same(vector->scores, other->scores), "has vectors of different scores");
  }
  require(!classes || (kind != SumKind::kLoadings && classes->cells->column().is_category() &&
                       class_count() >= 2 && class_count() <= kMaxClasses),
          "is by a column that does not have 2 to 64 classes");
  require(is_gradient() == (weights != nullptr) && (!is_gradient() || classes),
          "has weights or classes where none are needed, or none where they are");
  if (weights) {
    require(weights->size() == dimension() && std::all_of(weights->begin(), weights->end(),
                                                          [](double weight) {
                                                            return std::fabs(weight) <=
                                                                   RecordVector::kLargestParameter;
                                                          }),
            "does not have a finite weight for each entry of its vectors and each class");
    require(gradient_radius > 0.0 && gradient_radius <= RecordVector::kLargestRadius,
            "must have a radius of gradients in (0, 65536]");
    require(kind != SumKind::kRoundedGradient ||
                vector_length(*this, kGradientExponent) <= kLongestRounded,
            "rounds vectors that may be longer than 1.5");
  }
  require((kind == SumKind::kLengths) == (cells > 0) && cells <= kMaxLengthCells,
          "has cells of lengths where none are needed, or not 1 to 4096 where they are");
  require(
      kind != SumKind::kLengths || (cell_width > 0.0 && cell_width <= RecordVector::kLargestRadius),
      "must have cells whose width is in (0, 65536]");
}

bool VectorSum::operator==(const VectorSum& other_sum) const {
  return kind == other_sum.kind && hold_the_same(vector, other_sum.vector) &&
         hold_the_same(image, other_sum.image) && hold_the_same(other, other_sum.other) &&
         classes == other_sum.classes && cells == other_sum.cells &&
         cell_width == other_sum.cell_width && hold_the_same(weights, other_sum.weights) &&
         gradient_radius == other_sum.gradient_radius;
}

}  // namespace mehler
