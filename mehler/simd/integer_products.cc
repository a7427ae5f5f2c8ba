// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/integer_products.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "mehler/simd/integer_products.h"

#include "mehler/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
// A vector of one number has no neighbour to be multiplied with.
void add_upper_of_target(const int32_t* rows, size_t count, size_t records, int64_t* sums) {
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = i; j < count; ++j) {
      int64_t sum = 0;
      for (size_t r = 0; r < records; ++r) {
        sum += int64_t{rows[i * records + r]} * rows[j * records + r];
      }
      *sums++ += sum;
    }
  }
}
#else
using Words = hn::CappedTag<int32_t, kIntegerPadding>;
using Sums = hn::RepartitionToWide<Words>;

/// The numbers at odd places, at the even ones.
HWY_INLINE hn::Vec<Words> odd_numbers(hn::Vec<Words> numbers) {
  const Words d;
  const hn::RepartitionToWide<hn::RebindToUnsigned<Words> > wide;
  return hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, numbers)));
}

HWY_INLINE hn::Vec<Sums> products(hn::Vec<Words> a, hn::Vec<Words> odd_a, hn::Vec<Words> b,
                                  hn::Vec<Words> odd_b) {
  return hn::Add(hn::MulEven(a, b), hn::MulEven(odd_a, odd_b));
}

HWY_INLINE int64_t sum_of(hn::Vec<Sums> sum) { return hn::GetLane(hn::SumOfLanes(Sums(), sum)); }

/// The products of row i with four rows from j on.
HWY_INLINE void add_four(const int32_t* a, const int32_t* b, size_t records, int64_t* sums) {
  const Words d;
  auto sum0 = hn::Zero(Sums()), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  for (size_t r = 0; r < records; r += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, a + r);
    const auto odd_x = odd_numbers(x);
    const auto add = [&](hn::Vec<Sums>& sum, const int32_t* row) HWY_ATTR {
      const auto y = hn::LoadU(d, row + r);
      sum = hn::Add(sum, products(x, odd_x, y, odd_numbers(y)));
    };
    add(sum0, b);
    add(sum1, b + records);
    add(sum2, b + 2 * records);
    add(sum3, b + 3 * records);
  }
  sums[0] += sum_of(sum0);
  sums[1] += sum_of(sum1);
  sums[2] += sum_of(sum2);
  sums[3] += sum_of(sum3);
}

HWY_INLINE int64_t product_sum(const int32_t* a, const int32_t* b, size_t records) {
  const Words d;
  auto sum = hn::Zero(Sums());
  for (size_t r = 0; r < records; r += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, a + r);
    const auto y = hn::LoadU(d, b + r);
    sum = hn::Add(sum, products(x, odd_numbers(x), y, odd_numbers(y)));
  }
  return sum_of(sum);
}

void add_upper_of_target(const int32_t* rows, size_t count, size_t records, int64_t* sums) {
  for (size_t i = 0; i < count; ++i) {
    const int32_t* a = rows + i * records;
    size_t j = i;
    for (; j + 4 <= count; j += 4, sums += 4) {
      add_four(a, rows + j * records, records, sums);
    }
    for (; j < count; ++j) {
      *sums++ += product_sum(a, rows + j * records, records);
    }
  }
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(add_upper_of_target);

}  // namespace

void add_upper_products(const std::int32_t* rows, std::size_t count, std::size_t records,
                        std::int64_t* sums) {
  MEHLER_ASSERT(records % kIntegerPadding == 0);
  HWY_DYNAMIC_DISPATCH(add_upper_of_target)(rows, count, records, sums);
}

}  // namespace mehler
#endif  // HWY_ONCE
