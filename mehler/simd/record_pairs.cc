// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/record_pairs.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include "mehler/simd/record_pairs.h"

#include <algorithm>

#include "mehler/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

PairKernelSums pair_sums_of_target(const PairRecords& a, size_t a_begin, size_t a_end,
                                   const PairRecords& b, size_t b_begin, size_t b_end) {
  const hn::CappedTag<double, kPairPadding> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  V sums = hn::Zero(d);
  V products = hn::Zero(d);
  for (size_t i = a_begin; i < a_end; ++i) {
    for (size_t j = b_begin; j < b_end; j += lanes) {
      V sum = hn::Zero(d);
      V product = hn::Set(d, 1.0);
      for (size_t column = 0; column < a.number_columns; ++column) {
        const V difference = hn::Sub(hn::Set(d, a.numbers[column * a.stride + i]),
                                     hn::LoadU(d, b.numbers + column * b.stride + j));
        const V value = hn::Exp(d, hn::Neg(hn::Mul(difference, difference)));
        sum = hn::Add(sum, value);
        product = hn::Mul(product, value);
      }
      for (size_t column = 0; column < a.code_columns; ++column) {
        const auto equal = hn::Eq(hn::Set(d, a.codes[column * a.stride + i]),
                                  hn::LoadU(d, b.codes + column * b.stride + j));
        sum = hn::Add(sum, hn::IfThenElseZero(equal, hn::Set(d, 1.0)));
        product = hn::IfThenElseZero(equal, product);
      }
      // Padding counts for nothing; nor does a pair of different labels.
      auto counts = hn::FirstN(d, std::min(lanes, b_end - j));
      if (a.label != nullptr) {
        counts = hn::And(counts, hn::Eq(hn::Set(d, a.label[i]), hn::LoadU(d, b.label + j)));
      }
      sums = hn::Add(sums, hn::IfThenElseZero(counts, sum));
      products = hn::Add(products, hn::IfThenElseZero(counts, product));
    }
  }
  return {hn::GetLane(hn::SumOfLanes(d, sums)), hn::GetLane(hn::SumOfLanes(d, products))};
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(pair_sums_of_target);

}  // namespace

PairKernelSums pair_kernel_sums(const PairRecords& a, std::size_t a_begin, std::size_t a_end,
                                const PairRecords& b, std::size_t b_begin, std::size_t b_end) {
  MEHLER_ASSERT(a.number_columns == b.number_columns && a.code_columns == b.code_columns);
  MEHLER_ASSERT((a.label == nullptr) == (b.label == nullptr));
  MEHLER_ASSERT(b.stride % kPairPadding == 0 && b_begin % kPairPadding == 0);
  MEHLER_ASSERT(a_end <= a.rows && b_end <= b.rows && b.rows <= b.stride);
  return HWY_DYNAMIC_DISPATCH(pair_sums_of_target)(a, a_begin, a_end, b, b_begin, b_end);
}

}  // namespace mehler
#endif  // HWY_ONCE
