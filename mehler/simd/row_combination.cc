// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/row_combination.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "mehler/simd/row_combination.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Four or two vectors of columns at a time, in registers. The last ones end where the row ends:
/// they repeat columns that were done before, which costs less than a rest that fills no vector. No
/// fused multiply-add: not every machine has it.
template <class Tag, class Number>
HWY_INLINE void combine_by_vectors(Tag d, std::span<const Number> weights, const Number* rows,
                                   size_t stride, std::span<Number> result) {
  const size_t lanes = hn::Lanes(d);
  const size_t last = result.size() - lanes;
  size_t column = 0;
  for (; column + 2 * lanes < result.size(); column += 4 * lanes) {
    const size_t b = std::min(column + lanes, last);
    const size_t c = std::min(column + 2 * lanes, last);
    const size_t e = std::min(column + 3 * lanes, last);
    auto sum_a = hn::Zero(d), sum_b = sum_a, sum_c = sum_a, sum_e = sum_a;
    const Number* row = rows;
    for (const Number weight : weights) {
      const auto factor = hn::Set(d, weight);
      sum_a = hn::Add(sum_a, hn::Mul(factor, hn::LoadU(d, row + column)));
      sum_b = hn::Add(sum_b, hn::Mul(factor, hn::LoadU(d, row + b)));
      sum_c = hn::Add(sum_c, hn::Mul(factor, hn::LoadU(d, row + c)));
      sum_e = hn::Add(sum_e, hn::Mul(factor, hn::LoadU(d, row + e)));
      row += stride;
    }
    hn::StoreU(sum_a, d, &result[column]);
    hn::StoreU(sum_b, d, &result[b]);
    hn::StoreU(sum_c, d, &result[c]);
    hn::StoreU(sum_e, d, &result[e]);
  }
  for (; column < result.size(); column += 2 * lanes) {
    const size_t left = std::min(column, last);
    const size_t right = std::min(column + lanes, last);
    auto left_sum = hn::Zero(d);
    auto right_sum = hn::Zero(d);
    const Number* row = rows;
    for (const Number weight : weights) {
      const auto factor = hn::Set(d, weight);
      left_sum = hn::Add(left_sum, hn::Mul(factor, hn::LoadU(d, row + left)));
      right_sum = hn::Add(right_sum, hn::Mul(factor, hn::LoadU(d, row + right)));
      row += stride;
    }
    hn::StoreU(left_sum, d, &result[left]);
    hn::StoreU(right_sum, d, &result[right]);
  }
}

template <class Number>
HWY_INLINE void combine(std::span<const Number> weights, const Number* rows, size_t stride,
                        std::span<Number> result) {
  const hn::ScalableTag<Number> whole;
  const hn::CappedTag<Number, 16 / sizeof(Number)> small;
  if (result.size() >= hn::Lanes(whole)) {
    combine_by_vectors(whole, weights, rows, stride, result);
  } else if (result.size() >= hn::Lanes(small)) {
    combine_by_vectors(small, weights, rows, stride, result);
  } else {
    combine_by_vectors(hn::CappedTag<Number, 1>(), weights, rows, stride, result);
  }
}

void combine_floats(std::span<const float> weights, const float* rows, size_t stride,
                    std::span<float> result) {
  combine(weights, rows, stride, result);
}

void combine_doubles(std::span<const double> weights, const double* rows, size_t stride,
                     std::span<double> result) {
  combine(weights, rows, stride, result);
}

/// Rows of at least a vector of this kind; the last vector of a row ends where the row ends.
template <class Tag>
HWY_INLINE void combine_sparsely_by(Tag d, const SparseRows& matrix, float start,
                                    const float* HWY_RESTRICT rows, size_t width,
                                    float* HWY_RESTRICT result) {
  const size_t lanes = hn::Lanes(d);
  const size_t last = width - lanes;
  const SparseRows::Term* term = matrix.terms.data();
  for (const size_t end : matrix.ends) {
    const SparseRows::Term* const first = term;
    const SparseRows::Term* const behind = matrix.terms.data() + end;
    for (size_t column = 0; column < width; column += 2 * lanes) {
      const size_t left = std::min(column, last);
      const size_t right = std::min(column + lanes, last);
      auto left_sum = hn::Set(d, start);
      auto right_sum = left_sum;
      for (term = first; term != behind; ++term) {
        const auto factor = hn::Set(d, term->weight);
        const float* row = rows + term->column * width;
        left_sum = hn::MulAdd(factor, hn::LoadU(d, row + left), left_sum);
        right_sum = hn::MulAdd(factor, hn::LoadU(d, row + right), right_sum);
      }
      hn::StoreU(left_sum, d, result + left);
      hn::StoreU(right_sum, d, result + right);
    }
    result += width;
  }
}

/// Rows shorter than a vector, where masked loads and stores leave memory outside of the mask
/// alone.
template <class Tag>
HWY_INLINE void combine_sparsely_masked(Tag d, const SparseRows& matrix, float start,
                                        const float* HWY_RESTRICT rows, size_t width,
                                        float* HWY_RESTRICT result) {
  const auto mask = hn::FirstN(d, width);
  const SparseRows::Term* term = matrix.terms.data();
  for (const size_t end : matrix.ends) {
    const SparseRows::Term* const behind = matrix.terms.data() + end;
    auto sum = hn::Set(d, start);
    for (; term != behind; ++term) {
      sum = hn::MulAdd(hn::Set(d, term->weight),
                       hn::MaskedLoad(mask, d, rows + term->column * width), sum);
    }
    hn::BlendedStore(sum, mask, d, result);
    result += width;
  }
}

void combine_sparsely(const SparseRows& matrix, float start, const float* rows, size_t width,
                      float* result) {
  const hn::ScalableTag<float> whole;
  const hn::CappedTag<float, 8> half;
  const hn::CappedTag<float, 4> small;
  if (width >= hn::Lanes(whole)) {
    combine_sparsely_by(whole, matrix, start, rows, width, result);
  } else if (HWY_TARGET <= HWY_AVX3 && width > hn::Lanes(half)) {
    combine_sparsely_masked(whole, matrix, start, rows, width, result);
  } else if (width >= hn::Lanes(half)) {
    combine_sparsely_by(half, matrix, start, rows, width, result);
  } else if (width >= hn::Lanes(small)) {
    combine_sparsely_by(small, matrix, start, rows, width, result);
  } else {
    combine_sparsely_by(hn::CappedTag<float, 1>(), matrix, start, rows, width, result);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(combine_floats);
HWY_EXPORT(combine_doubles);
HWY_EXPORT(combine_sparsely);

}  // namespace

void combine_rows(std::span<const float> weights, const float* rows, std::size_t stride,
                  std::span<float> result) {
  HWY_DYNAMIC_DISPATCH(combine_floats)(weights, rows, stride, result);
}

void combine_rows(std::span<const double> weights, const double* rows, std::size_t stride,
                  std::span<double> result) {
  HWY_DYNAMIC_DISPATCH(combine_doubles)(weights, rows, stride, result);
}

void combine_sparse_rows(const SparseRows& matrix, float start, const float* rows,
                         std::size_t width, float* result) {
  HWY_DYNAMIC_DISPATCH(combine_sparsely)(matrix, start, rows, width, result);
}

}  // namespace mehler
#endif  // HWY_ONCE
