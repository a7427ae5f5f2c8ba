// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/rounded_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "mehler/simd/rounded_rows.h"

#include "mehler/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr bool kHasManyRegisters = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL ||
                                   HWY_TARGET == HWY_NEON || HWY_TARGET == HWY_SVE ||
                                   HWY_TARGET == HWY_SVE2;

/// Five sums, each in a register: an array would live in memory.
template <class V>
struct FiveSums {
  V a, b, c, e, f;

  HWY_INLINE void add(V value, V wa, V wb, V wc, V we, V wf) {
    a = hn::MulAdd(value, wa, a);
    b = hn::MulAdd(value, wb, b);
    c = hn::MulAdd(value, wc, c);
    e = hn::MulAdd(value, we, e);
    f = hn::MulAdd(value, wf, f);
  }
};
static_assert(kRoundedClasses == 5);

template <class D>
HWY_INLINE FiveSums<hn::Vec<D>> five_zeros(D d) {
  const auto zero = hn::Zero(d);
  return {zero, zero, zero, zero, zero};
}

template <class D>
HWY_INLINE hn::Vec<D> float_row(D d, const int16_t* values) {
  const hn::Rebind<int16_t, D> d16;
  const hn::Rebind<int32_t, D> d32;
  return hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d16, values)));
}

template <class D>
HWY_INLINE void store_sums(D d, const FiveSums<hn::Vec<D>>& sums, float* results) {
  results[0] = hn::GetLane(hn::SumOfLanes(d, sums.a));
  results[1] = hn::GetLane(hn::SumOfLanes(d, sums.b));
  results[2] = hn::GetLane(hn::SumOfLanes(d, sums.c));
  results[3] = hn::GetLane(hn::SumOfLanes(d, sums.e));
  results[4] = hn::GetLane(hn::SumOfLanes(d, sums.f));
}

/// Two rows by five classes, vectors along the rows. Of one row the second is the first again.
template <class D>
HWY_INLINE void multiply_two(D d, const int16_t* first, const int16_t* second, size_t stride,
                             const float* weights, float* of_first, float* of_second) {
  auto one = five_zeros(d);
  auto two = five_zeros(d);
  for (size_t i = 0; i < stride; i += hn::Lanes(d)) {
    const float* place = weights + i;
    const auto wa = hn::LoadU(d, place);
    const auto wb = hn::LoadU(d, place + stride);
    const auto wc = hn::LoadU(d, place + 2 * stride);
    const auto we = hn::LoadU(d, place + 3 * stride);
    const auto wf = hn::LoadU(d, place + 4 * stride);
    one.add(float_row(d, first + i), wa, wb, wc, we, wf);
    two.add(float_row(d, second + i), wa, wb, wc, we, wf);
  }
  store_sums(d, one, of_first);
  store_sums(d, two, of_second);
}

void multiply_of_target(const RoundedRows& rows, const float* weights, size_t classes,
                        float* results) {
  const hn::CappedTag<float, kRoundedPadding> d;
  for (size_t r = 0; r < rows.count; r += 2) {
    const size_t other = r + 1 < rows.count ? r + 1 : r;
    for (size_t k = 0; k < classes; k += kRoundedClasses) {
      multiply_two(d, rows.values + r * rows.stride, rows.values + other * rows.stride, rows.stride,
                   weights + k * rows.stride, results + r * classes + k,
                   results + other * classes + k);
    }
  }
}

template <class D>
HWY_INLINE hn::Vec<D> double_row(D d, const int16_t* values) {
  const hn::Rebind<int16_t, D> d16;
  const hn::Rebind<int32_t, D> d32;
  return hn::PromoteTo(d, hn::PromoteTo(d32, hn::LoadU(d16, values)));
}

template <class D>
HWY_INLINE void add_to_places(D d, const FiveSums<hn::Vec<D>>& sums, double* place, size_t stride) {
  hn::StoreU(hn::Add(hn::LoadU(d, place), sums.a), d, place);
  place += stride;
  hn::StoreU(hn::Add(hn::LoadU(d, place), sums.b), d, place);
  place += stride;
  hn::StoreU(hn::Add(hn::LoadU(d, place), sums.c), d, place);
  place += stride;
  hn::StoreU(hn::Add(hn::LoadU(d, place), sums.e), d, place);
  place += stride;
  hn::StoreU(hn::Add(hn::LoadU(d, place), sums.f), d, place);
}

/// Two or four vectors of entries by five classes, over all rows.
template <bool kFour, class D>
HWY_INLINE void add_entries(D d, const RoundedRows& rows, const double* factors, size_t classes,
                            size_t entry, double* sums) {
  const size_t lanes = hn::Lanes(d);
  auto one = five_zeros(d);
  auto two = five_zeros(d);
  auto three = five_zeros(d);
  auto four = five_zeros(d);
  const int16_t* row = rows.values + entry;
  for (size_t r = 0; r < rows.count; ++r, row += rows.stride, factors += classes) {
    const auto fa = hn::Set(d, factors[0]);
    const auto fb = hn::Set(d, factors[1]);
    const auto fc = hn::Set(d, factors[2]);
    const auto fe = hn::Set(d, factors[3]);
    const auto ff = hn::Set(d, factors[4]);
    one.add(double_row(d, row), fa, fb, fc, fe, ff);
    two.add(double_row(d, row + lanes), fa, fb, fc, fe, ff);
    if constexpr (kFour) {
      three.add(double_row(d, row + 2 * lanes), fa, fb, fc, fe, ff);
      four.add(double_row(d, row + 3 * lanes), fa, fb, fc, fe, ff);
    }
  }
  add_to_places(d, one, sums + entry, rows.stride);
  add_to_places(d, two, sums + entry + lanes, rows.stride);
  if constexpr (kFour) {
    add_to_places(d, three, sums + entry + 2 * lanes, rows.stride);
    add_to_places(d, four, sums + entry + 3 * lanes, rows.stride);
  }
}

void add_products_of_target(const RoundedRows& rows, const double* factors, size_t classes,
                            double* sums) {
  const hn::CappedTag<double, kRoundedPadding / 4> d;
  const size_t step = (kHasManyRegisters ? 4 : 2) * hn::Lanes(d);
  for (size_t entry = 0; entry < rows.stride; entry += step) {
    for (size_t k = 0; k < classes; k += kRoundedClasses) {
      add_entries<kHasManyRegisters>(d, rows, factors + k, classes, entry, sums + k * rows.stride);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(multiply_of_target);
HWY_EXPORT(add_products_of_target);

void check_paddings(const RoundedRows& rows, std::size_t classes) {
  MEHLER_ASSERT(rows.stride % kRoundedPadding == 0 && classes % kRoundedClasses == 0);
}

}  // namespace

void multiply_rounded_rows(const RoundedRows& rows, const float* weights, std::size_t classes,
                           float* results) {
  check_paddings(rows, classes);
  HWY_DYNAMIC_DISPATCH(multiply_of_target)(rows, weights, classes, results);
}

void add_rounded_products(const RoundedRows& rows, const double* factors, std::size_t classes,
                          double* sums) {
  check_paddings(rows, classes);
  HWY_DYNAMIC_DISPATCH(add_products_of_target)(rows, factors, classes, sums);
}

}  // namespace mehler
#endif  // HWY_ONCE
