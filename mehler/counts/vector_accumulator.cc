#include "mehler/counts/vector_accumulator.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// The nearest multiple of 2^-exponent, as a whole number of them.
std::int64_t on_grid(double value, int exponent) {
  return std::llrint(value * static_cast<double>(std::int64_t{1} << exponent));
}

}  // namespace

VectorAccumulator::VectorAccumulator(const VectorSum& sum)
    : sum_(sum),
      own_(sum.vector->dimension()),
      scores_(sum.vector->scores->size()),
      vector_(own_),
      sums_(sum.dimension()) {
  if (sum.kind == SumKind::kProducts) {
    held_.assign(sum.class_count(), WipedVector<std::int32_t>(own_ * kHeldRecords));
    held_records_.assign(sum.class_count(), 0);
  } else if (sum.kind == SumKind::kLoadings) {
    second_.resize(sum.other->dimension());
  } else if (sum.kind == SumKind::kGradient) {
    second_.resize(sum.dimension());
  }
}

void VectorAccumulator::add(std::span<const std::uint32_t> leaves) {
  const std::size_t of_class =
      sum_.classes ? sum_.classes->cells->cell_of(leaves[sum_.classes->column]) : 0;
  sum_.vector->scores->evaluate(leaves, scores_.data());
  sum_.vector->evaluate(scores_.data(), vector_.data());
  switch (sum_.kind) {
    case SumKind::kLengths:
      return add_length(of_class);
    case SumKind::kMeans:
      return add_mean(of_class);
    case SumKind::kProducts:
      return hold_for_products(of_class);
    case SumKind::kLoadings:
      return add_loadings();
    case SumKind::kGradient:
      return add_gradient(of_class);
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

void VectorAccumulator::add_mean(std::size_t class_of_record) {
  for (std::size_t i = 0; i < own_; ++i) {
    sums_[class_of_record * own_ + i] += on_grid(vector_[i], VectorSum::kSumExponent);
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
      const std::int32_t* b = &held[j * kHeldRecords];
      std::int64_t products = 0;
      for (std::size_t r = 0; r < kHeldRecords; ++r) {
        products += std::int64_t{a[r]} * b[r];
      }
      *next++ += products;
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
  const double largest = *std::max_element(errors.begin(), errors.end());
  double all = 0.0;
  for (double& error : errors) {
    error = std::exp(error - largest);
    all += error;
  }
  for (std::size_t k = 0; k < classes; ++k) {
    errors[k] = errors[k] / all - (k == class_of_record ? 1.0 : 0.0);
  }
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
