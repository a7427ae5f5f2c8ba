#include "mehler/counts/vector_accumulator.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/simd/integer_products.h"
#include "mehler/simd/rounded_rows.h"

namespace mehler {
namespace {

constexpr float kGradientUnit = 1.0F / (1 << VectorSum::kGradientExponent);
/// Images whose rounded vectors stay in a core's cache.
constexpr std::size_t kGradientImages = 64;
/// A product of rounded numbers is below 2^30: so many images' are summed in 53 bits.
constexpr std::size_t kMostSummedImages = std::size_t{1} << 22;

/// The nearest multiple of 2^-exponent, as a whole number of them.
std::int64_t on_grid(double value, int exponent) {
  return std::llrint(value * static_cast<double>(std::int64_t{1} << exponent));
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
    const std::size_t stride = rounded_stride(own_);
    gradients_.classes = padded(sum.class_count(), kRoundedClasses);
    gradients_.weights.assign(gradients_.classes * stride, 0.0F);
    for (std::size_t i = 0; i < own_; ++i) {
      for (std::size_t k = 0; k < sum.class_count(); ++k) {
        gradients_.weights[k * stride + i] =
            kGradientUnit * static_cast<float>((*sum.weights)[i * sum.class_count() + k]);
      }
    }
    gradients_.sums.resize(gradients_.classes * stride);
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
    WipedVector<std::int16_t> rounded(classes.size() * rounded_stride(own_));
    round_vectors(image, scores, classes, rounded);
    add_rounded(rounded, classes);
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

std::size_t rounded_stride(std::size_t dimension) { return padded(dimension, kRoundedPadding); }

void round_vectors(const ImageVector& vector, std::span<const float> scores,
                   std::span<const std::uint32_t> classes, std::span<std::int16_t> rounded) {
  const std::size_t own = vector.dimension();
  const std::size_t stride = rounded_stride(own);
  MEHLER_ASSERT(rounded.size() == classes.size() * stride);
  WipedVector<double> vectors(classes.size() * own);
  vector.evaluate(scores, classes, vectors, {});
  constexpr double kUnits = 1 << VectorSum::kGradientExponent;
  for (std::size_t r = 0; r < classes.size(); ++r) {
    const auto row = rounded.subspan(r * stride, stride);
    for (std::size_t i = 0; i < own; ++i) {
      // The nearest, halves to even, as std::llrint() has it: adding this leaves no fraction.
      constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52
      row[i] = static_cast<std::int16_t>(
          static_cast<std::int32_t>((vectors[r * own + i] * kUnits + kShift) - kShift));
    }
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(own), row.end(), std::int16_t{0});
  }
}

void VectorAccumulator::add_rounded(std::span<const std::int16_t> rounded,
                                    std::span<const std::uint32_t> classes) {
  const std::size_t stride = rounded_stride(own_);
  MEHLER_ASSERT(rounded.size() == classes.size() * stride);
  RoundedGradients& now = gradients_;
  for (std::size_t first = 0; first < classes.size(); first += kGradientImages) {
    const std::size_t count = std::min(kGradientImages, classes.size() - first);
    const RoundedRows rows{&rounded[first * stride], count, stride};
    now.logits.resize(kGradientImages * now.classes);
    now.errors.resize(kGradientImages * now.classes);
    // An image's logits depend on the image alone.
    multiply_rounded_rows(rows, now.weights.data(), now.classes, now.logits.data());
    for (std::size_t r = 0; r < count; ++r) {
      fill_errors(std::span(now.logits).subspan(r * now.classes, sum_.class_count()),
                  rounded.subspan((first + r) * stride, stride), classes[first + r],
                  std::span(now.errors).subspan(r * now.classes, sum_.class_count()));
    }
    if (now.summed_images + count > kMostSummedImages) {
      sum_gradients();
    }
    now.summed_images += count;
    add_rounded_products(rows, now.errors.data(), now.classes, now.sums.data());
  }
}

void VectorAccumulator::fill_errors(std::span<const float> logits,
                                    std::span<const std::int16_t> vector,
                                    std::size_t class_of_image, std::span<double> errors) {
  second_.assign(logits.begin(), logits.end());
  turn_into_errors(second_, class_of_image);
  // |u (p - y)^T| is the product of both lengths; that of u is exact, its square below 2^31.
  std::int32_t squares = 0;
  for (const std::int16_t entry : vector) {
    squares += std::int32_t{entry} * entry;
  }
  const double length = kGradientUnit * std::sqrt(static_cast<double>(squares));
  if (length > 0.0) {
    shorten(second_, sum_.gradient_radius / length);
  }
  for (std::size_t k = 0; k < second_.size(); ++k) {
    errors[k] = static_cast<double>(on_grid(second_[k], VectorSum::kGradientExponent));
  }
}

void VectorAccumulator::sum_gradients() {
  const std::size_t classes = sum_.class_count();
  const std::size_t stride = rounded_stride(own_);
  for (std::size_t i = 0; i < own_; ++i) {
    for (std::size_t k = 0; k < classes; ++k) {
      sums_[i * classes + k] += static_cast<std::int64_t>(gradients_.sums[k * stride + i]);
    }
  }
  std::fill(gradients_.sums.begin(), gradients_.sums.end(), 0.0);
  gradients_.summed_images = 0;
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
  std::int64_t* const next = &sums_[class_of_record * (sums_.size() / sum_.class_count())];
  add_upper_products(held.data(), own_, kHeldRecords, next);
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
  if (sum_.kind == SumKind::kRoundedGradient) {
    sum_gradients();
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] += sums_[i];
    sums_[i] = 0;
  }
}

}  // namespace mehler
