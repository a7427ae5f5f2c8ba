// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/double_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "mehler/simd/double_rows.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kSums = 8;
using EightTag = hn::CappedTag<double, kSums>;

/// Eight sums in one register, or in two to eight.
template <size_t kParts>
HWY_INLINE size_t add_products(const double* a, const double* b, size_t count, double* sums) {
  const EightTag d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  if constexpr (kParts == 1) {
    auto sum = hn::Zero(d);
    for (; i + kSums <= count; i += kSums) {
      sum = hn::Add(sum, hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i)));
    }
    hn::StoreU(sum, d, sums);
  } else if constexpr (kParts == 2) {
    auto low = hn::Zero(d);
    auto high = hn::Zero(d);
    for (; i + kSums <= count; i += kSums) {
      low = hn::Add(low, hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i)));
      high = hn::Add(high, hn::Mul(hn::LoadU(d, a + i + lanes), hn::LoadU(d, b + i + lanes)));
    }
    hn::StoreU(low, d, sums);
    hn::StoreU(high, d, sums + lanes);
  } else {
    for (; i + kSums <= count; i += kSums) {
      for (size_t s = 0; s < kSums; ++s) {
        sums[s] += a[i + s] * b[i + s];
      }
    }
  }
  return i;
}

double dot_product_of_target(const double* a, const double* b, size_t count) {
  double sums[kSums] = {};
  size_t i = add_products<kSums / hn::MaxLanes(EightTag())>(a, b, count, sums);
  double sum = 0.0;
  for (; i < count; ++i) {
    sum += a[i] * b[i];
  }
  for (const double part : sums) {
    sum += part;
  }
  return sum;
}

void add_multiple_of_target(double factor, const double* from, double* to, size_t count) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  const auto factors = hn::Set(d, factor);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::Mul(factors, hn::LoadU(d, from + i))), d, to + i);
  }
  for (; i < count; ++i) {
    to[i] += factor * from[i];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(dot_product_of_target);
HWY_EXPORT(add_multiple_of_target);

}  // namespace

double dot_product(const double* a, const double* b, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(dot_product_of_target)(a, b, count);
}

void add_multiple(double factor, const double* from, double* to, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(add_multiple_of_target)(factor, from, to, count);
}

}  // namespace mehler
#endif  // HWY_ONCE
