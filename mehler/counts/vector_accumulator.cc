#include "mehler/counts/vector_accumulator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/simd/matrix_product.h"
#include "mehler/simd/product_sums.h"

namespace mehler {
namespace {

constexpr float kGradientUnit = 1.0F / (1 << VectorSum::kGradientExponent);

/// The nearest multiple of 2^-exponent, as a whole number of them.
std::int64_t on_grid(double value, int exponent) {
  return std::llrint(value * static_cast<double>(std::int64_t{1} << exponent));
}

/// sum of a_r b_r, exact.
std::int64_t product_sum(const std::int32_t* a, const std::int32_t* b, std::size_t count) {
  std::int64_t sum = 0;
  for (std::size_t r = 0; r < count; ++r) {
    sum += std::int64_t{a[r]} * b[r];
  }
  return sum;
}

std::size_t padded(std::size_t rows, std::size_t padding) {
  return (rows + padding - 1) / padding * padding;
}

}  // namespace

VectorAccumulator::VectorAccumulator(const VectorSum& sum)
    : sum_(sum),
      own_(sum.vector_dimension()),
      scores_(sum.vector ? sum.vector->scores->size() : 0),
      vector_(own_),
      sums_(sum.dimension()) {
  if (sum.kind == SumKind::kProducts) {
    held_.assign(sum.class_count(), WipedVector<std::int32_t>(own_ * kHeldRecords));
    held_records_.assign(sum.class_count(), 0);
  } else if (sum.kind == SumKind::kLoadings) {
    second_.resize(sum.other->dimension());
  } else if (sum.kind == SumKind::kGradient) {
    second_.resize(sum.dimension());
  } else if (sum.kind == SumKind::kRoundedGradient) {
    const std::size_t classes = sum.class_count();
    gradients_.vectors.resize(padded(own_, kFirstRowPadding) * kTileImages);
    gradients_.errors.resize(padded(classes, kSecondRowPadding) * kTileImages);
    for (std::size_t i = 0; i < own_; ++i) {
      gradients_.vector_places.push_back(i * classes);
    }
    gradients_.error_places.resize(classes);
    std::iota(gradients_.error_places.begin(), gradients_.error_places.end(), std::size_t{0});
    gradients_.weights.assign(sum.weights->begin(), sum.weights->end());
  }
}

void VectorAccumulator::add(std::span<const std::uint32_t> leaves) {
  const std::size_t of_class =
      sum_.classes ? sum_.classes->cells->cell_of(leaves[sum_.classes->column]) : 0;
  sum_.vector->scores->evaluate(leaves, scores_.data());
  sum_.vector->evaluate(scores_.data(), vector_.data());
  add_vector(of_class);
}

void VectorAccumulator::add_vector(std::size_t block) {
  switch (sum_.kind) {
    case SumKind::kLengths:
      return add_length(block);
    case SumKind::kMeans:
      return add_mean(block);
    case SumKind::kProducts:
      return hold_for_products(block);
    case SumKind::kLoadings:
      return add_loadings();
    case SumKind::kGradient:
      return add_gradient(block);
    case SumKind::kRoundedGradient:
      MEHLER_ASSERT(false && "rounded gradients are added by add_rounded");
  }
}

void VectorAccumulator::add_images(std::span<const float> scores,
                                   std::span<const std::uint32_t> classes) {
  const ImageVector& image = *sum_.image;
  if (sum_.kind == SumKind::kRoundedGradient) {
    const std::size_t size = image.scores->size();
    WipedVector<std::int16_t> tile(own_ * kTileImages);
    for (std::size_t first = 0; first < classes.size(); first += kTileImages) {
      const std::size_t count = std::min(kTileImages, classes.size() - first);
      const auto of_tile = classes.subspan(first, count);
      round_into_tile(image, scores.subspan(first * size, count * size), of_tile, tile);
      add_rounded(tile, of_tile);
    }
    return;
  }
  Numbers vectors(classes.size() * own_);
  WipedVector<std::uint32_t> cells(classes.size(), 0);
  image.evaluate(scores, classes, vectors, cells);
  const std::size_t cell_count = sum_.cell_count();
  for (std::size_t r = 0; r < classes.size(); ++r) {
    std::copy_n(&vectors[r * own_], own_, vector_.begin());
    const std::size_t of_class = sum_.classes ? classes[r] : 0;
    add_vector(cell_count > 1 ? of_class * cell_count + cells[r] : of_class);
  }
}

void round_vectors(const ImageVector& vector, std::span<const float> scores,
                   std::span<const std::uint32_t> classes, std::span<std::int16_t> rounded) {
  WipedVector<double> vectors(classes.size() * vector.dimension());
  vector.evaluate(scores, classes, vectors, {});
  MEHLER_ASSERT(rounded.size() == vectors.size());
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    rounded[i] = static_cast<std::int16_t>(on_grid(vectors[i], VectorSum::kGradientExponent));
  }
}

void round_into_tile(const ImageVector& vector, std::span<const float> scores,
                     std::span<const std::uint32_t> classes, std::span<std::int16_t> tile) {
  const std::size_t own = vector.dimension();
  constexpr std::size_t kStride = VectorAccumulator::kTileImages;
  MEHLER_ASSERT(classes.size() <= kStride && tile.size() == own * kStride);
  WipedVector<std::int16_t> rounded(classes.size() * own);
  round_vectors(vector, scores, classes, rounded);
  for (std::size_t i = 0; i < own; ++i) {
    for (std::size_t r = 0; r < classes.size(); ++r) {
      tile[i * kStride + r] = rounded[r * own + i];
    }
    std::fill_n(&tile[i * kStride + classes.size()], kStride - classes.size(), std::int16_t{0});
  }
}

void VectorAccumulator::add_rounded(std::span<const std::int16_t> tile,
                                    std::span<const std::uint32_t> classes) {
  MEHLER_ASSERT(tile.size() == own_ * kTileImages && classes.size() <= kTileImages);
  GradientTile& now = gradients_;
  now.entries.resize(tile.size());
  now.squares.assign(kTileImages, 0);
  for (std::size_t i = 0; i < own_; ++i) {
    for (std::size_t r = 0; r < kTileImages; ++r) {
      const std::int32_t entry = tile[i * kTileImages + r];
      now.vectors[i * kTileImages + r] = entry;
      now.entries[i * kTileImages + r] = kGradientUnit * static_cast<float>(entry);
      now.squares[r] += entry * entry;  // below 2^31
    }
  }
  // An image's logits depend on the image alone (matrix_product.h).
  now.logits.resize(kTileImages * sum_.class_count());
  multiply(Transpose::kYes, Transpose::kNo, kTileImages, sum_.class_count(), own_,
           now.entries.data(), now.weights.data(), now.logits.data(), false);
  std::fill(now.errors.begin(), now.errors.end(), 0.0);
  for (std::size_t r = 0; r < classes.size(); ++r) {
    fill_errors(r, classes[r]);
  }
  // Whole numbers below 2^15 each: a sum of 64 products is exact.
  add_row_products(now.vectors.data(), now.vector_places, now.errors.data(), now.error_places,
                   kTileImages, sums_.data());
}

void VectorAccumulator::fill_errors(std::size_t image, std::size_t class_of_image) {
  const auto logits =
      gradients_.logits.begin() + static_cast<std::ptrdiff_t>(image * sum_.class_count());
  second_.assign(logits, logits + static_cast<std::ptrdiff_t>(sum_.class_count()));
  turn_into_errors(second_, class_of_image);
  // |u (p - y)^T| is the product of both lengths; that of u is exact.
  const double length = kGradientUnit * std::sqrt(static_cast<double>(gradients_.squares[image]));
  if (length > 0.0) {
    shorten(second_, sum_.gradient_radius / length);
  }
  for (std::size_t k = 0; k < second_.size(); ++k) {
    gradients_.errors[k * kTileImages + image] =
        static_cast<double>(on_grid(second_[k], VectorSum::kGradientExponent));
  }
}

void VectorAccumulator::add_length(std::size_t class_of_record) {
  double squares = 0.0;
  for (const double entry : vector_) {
    squares += entry * entry;
  }
  const auto last = static_cast<double>(sum_.cells - 1);
  const double cell = std::min(std::floor(std::sqrt(squares) / sum_.cell_width), last);
  ++sums_[class_of_record * sum_.cells + static_cast<std::size_t>(cell)];
}

void VectorAccumulator::add_mean(std::size_t block) {
  for (std::size_t i = 0; i < own_; ++i) {
    sums_[block * own_ + i] += on_grid(vector_[i], VectorSum::kSumExponent);
  }
}

void VectorAccumulator::hold_for_products(std::size_t class_of_record) {
  std::size_t& records = held_records_[class_of_record];
  for (std::size_t i = 0; i < own_; ++i) {
    held_[class_of_record][i * kHeldRecords + records] =
        static_cast<std::int32_t>(on_grid(vector_[i], VectorSum::kFactorExponent));
  }
  if (++records == kHeldRecords) {
    sum_held(class_of_record);
  }
}

void VectorAccumulator::sum_held(std::size_t class_of_record) {
  WipedVector<std::int32_t>& held = held_[class_of_record];
  std::int64_t* next = &sums_[class_of_record * (sums_.size() / sum_.class_count())];
  for (std::size_t i = 0; i < own_; ++i) {
    const std::int32_t* a = &held[i * kHeldRecords];
    for (std::size_t j = i; j < own_; ++j) {
      *next++ += product_sum(a, &held[j * kHeldRecords], kHeldRecords);
    }
  }
  std::fill(held.begin(), held.end(), 0);
  held_records_[class_of_record] = 0;
}

void VectorAccumulator::add_loadings() {
  sum_.other->evaluate(scores_.data(), second_.data());
  for (std::size_t i = 0; i < own_; ++i) {
    const std::int64_t first = on_grid(vector_[i], VectorSum::kFactorExponent);
    for (std::size_t j = 0; j < second_.size(); ++j) {
      sums_[i * second_.size() + j] += first * on_grid(second_[j], VectorSum::kFactorExponent);
    }
  }
}

void VectorAccumulator::add_gradient(std::size_t class_of_record) {
  const std::size_t classes = sum_.class_count();
  const std::vector<double>& weights = *sum_.weights;
  Numbers errors(classes);
  for (std::size_t i = 0; i < own_; ++i) {
    for (std::size_t k = 0; k < classes; ++k) {
      errors[k] += vector_[i] * weights[i * classes + k];
    }
  }
  turn_into_errors(errors, class_of_record);
  for (std::size_t i = 0; i < own_; ++i) {
    for (std::size_t k = 0; k < classes; ++k) {
      second_[i * classes + k] = vector_[i] * errors[k];
    }
  }
  shorten(second_, sum_.gradient_radius);
  for (std::size_t i = 0; i < second_.size(); ++i) {
    sums_[i] += on_grid(second_[i], VectorSum::kSumExponent);
  }
}

void VectorAccumulator::turn_into_errors(std::span<double> logits,
                                         std::size_t class_of_record) const {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double all = 0.0;
  for (double& logit : logits) {
    logit = std::exp(logit - largest);
    all += logit;
  }
  for (std::size_t k = 0; k < logits.size(); ++k) {
    logits[k] = logits[k] / all - (k == class_of_record ? 1.0 : 0.0);
  }
}

void VectorAccumulator::add_to(std::span<std::int64_t> sums) {
  MEHLER_ASSERT(sums.size() == sums_.size());
  for (std::size_t c = 0; c < held_.size(); ++c) {
    sum_held(c);
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] += sums_[i];
    sums_[i] = 0;
  }
}

}  // namespace mehler
