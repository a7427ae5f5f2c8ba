// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/product_sums.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/simd/hermite_recursion-inl.h"
// clang-format on

#include "mehler/simd/product_sums.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void fill_rows_of_target(const HermiteRecursion& recursion, std::span<const double> values,
                         double* rows, size_t stride) {
  const hn::ScalableTag<double> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  const size_t order = recursion.up.size();
  const auto rest = hwy::AllocateAligned<double>(lanes);
  for (size_t start = 0; start < stride; start += lanes) {
    const double* source = values.data() + start;
    if (start + lanes > values.size()) {
      std::fill_n(rest.get(), lanes, std::numeric_limits<double>::quiet_NaN());
      if (start < values.size()) {
        std::copy(values.begin() + static_cast<std::ptrdiff_t>(start), values.end(), rest.get());
      }
      source = rest.get();
    }
    Lane<V> lane = begin_lane(d, recursion, 1.0, source);
    for (size_t k = 0;; ++k) {
      hn::StoreU(lane.current, d, rows + k * stride + start);
      if (k == order) {
        break;
      }
      advance(lane, hn::Set(d, recursion.up[k]), hn::Set(d, recursion.down[k]));
    }
  }
}

void multiply_rows_of_target(const double* outer, size_t outer_count, const double* inner,
                             size_t inner_count, size_t stride, double* product) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < outer_count; ++i) {
    for (size_t j = 0; j < inner_count; ++j) {
      const double* a = outer + i * stride;
      const double* b = inner + j * stride;
      double* out = product + (i * inner_count + j) * stride;
      for (size_t r = 0; r < stride; r += lanes) {
        hn::StoreU(hn::Mul(hn::LoadU(d, a + r), hn::LoadU(d, b + r)), d, out + r);
      }
    }
  }
}

void multiply_and_round_of_target(const double* outer, size_t outer_count, const double* inner,
                                  size_t inner_count, size_t stride, double scale, size_t first,
                                  size_t count, double* product) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, scale);
  const auto shift = hn::Set(d, kRoundingShift);
  for (size_t row = first; row < first + count; ++row, product += stride) {
    if (row >= outer_count * inner_count) {
      std::fill_n(product, stride, 0.0);
      continue;
    }
    const double* a = outer + row / inner_count * stride;
    const double* b = inner + row % inner_count * stride;
    for (size_t r = 0; r < stride; r += lanes) {
      // The product by a power of two is exact, so it does not matter whether it is fused.
      const auto scaled = hn::Mul(hn::Mul(hn::LoadU(d, a + r), hn::LoadU(d, b + r)), factor);
      hn::StoreU(hn::Sub(hn::Add(scaled, shift), shift), d, product + r);
    }
  }
}

// N vectors in registers; an array of them would live in memory.
template <class V, size_t N>
struct Vectors {
  V head;
  Vectors<V, N - 1> tail;
};
template <class V>
struct Vectors<V, 0> {};

template <size_t N, class D>
HWY_INLINE Vectors<hn::Vec<D>, N> zeros(D d) {
  if constexpr (N > 0) {
    return {hn::Zero(d), zeros<N - 1>(d)};
  } else {
    return {};
  }
}

// Records r .. of N rows.
template <size_t N, class D>
HWY_INLINE Vectors<hn::Vec<D>, N> load_rows(D d, const double* rows, size_t stride) {
  if constexpr (N > 0) {
    return {hn::LoadU(d, rows), load_rows<N - 1>(d, rows + stride, stride)};
  } else {
    return {};
  }
}

template <class V, size_t N>
HWY_INLINE void multiply_add(Vectors<V, N>& sums, V factor, const Vectors<V, N>& others) {
  if constexpr (N > 0) {
    sums.head = hn::MulAdd(factor, others.head, sums.head);
    multiply_add(sums.tail, factor, others.tail);
  }
}

#if HWY_TARGET == HWY_SCALAR
// One double is a vector: there is nothing to add up, nor are there operations to do it with.
template <class D, class V>
HWY_INLINE void add_lanes(D d, V a, V b, double* HWY_RESTRICT out) {
  hn::StoreU(a, d, out);
  hn::StoreU(b, d, out + 1);
}
#else
template <class D, class V>
HWY_INLINE void add_blocks(D d, V vector, double* HWY_RESTRICT out) {
  if constexpr (hn::MaxLanes(d) > 2) {
    const hn::Half<D> half;
    add_blocks(half, hn::Add(hn::LowerHalf(half, vector), hn::UpperHalf(half, vector)), out);
  } else {
    hn::StoreU(vector, d, out);
  }
}

// out[0] = the sum of the lanes of a, out[1] that of b.
template <class D, class V>
HWY_INLINE void add_lanes(D d, V a, V b, double* HWY_RESTRICT out) {
  add_blocks(d, hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)), out);
}
#endif

// out[i] = the sum of the lanes of totals i; N is even.
template <class D, class V, size_t N>
HWY_INLINE void add_lanes(D d, const Vectors<V, N>& totals, double* HWY_RESTRICT out) {
  if constexpr (N > 0) {
    add_lanes(d, totals.head, totals.tail.head, out);
    add_lanes(d, totals.tail.tail, out + 2);
  }
}

static_assert(kFirstRowPadding == 4 && kSecondRowPadding % 6 == 0);

// Four rows by kRows rows; 4 kRows sums, kRows loaded vectors and one more must fit the registers.
template <size_t kRows, class D>
HWY_INLINE void add_tile(D d, const double* first, std::span<const size_t> first_places,
                         const double* second, std::span<const size_t> second_places, size_t stride,
                         int64_t* sums) {
  const size_t lanes = hn::Lanes(d);
  auto a = zeros<kRows>(d);
  auto b = zeros<kRows>(d);
  auto c = zeros<kRows>(d);
  auto e = zeros<kRows>(d);
  for (size_t r = 0; r < stride; r += lanes) {
    const auto others = load_rows<kRows>(d, second + r, stride);
    multiply_add(a, hn::LoadU(d, first + r), others);
    multiply_add(b, hn::LoadU(d, first + stride + r), others);
    multiply_add(c, hn::LoadU(d, first + 2 * stride + r), others);
    multiply_add(e, hn::LoadU(d, first + 3 * stride + r), others);
  }
  const auto add = [&](const auto& totals, size_t row) HWY_ATTR {
    if (row >= first_places.size()) {
      return;  // a row of padding
    }
    double row_sums[kRows];
    add_lanes(d, totals, row_sums);
    int64_t* row_of_sums = sums + first_places[row];
    for (size_t j = 0; j < second_places.size(); ++j) {
      row_of_sums[second_places[j]] += static_cast<int64_t>(row_sums[j]);
    }
  };
  add(a, 0);
  add(b, 1);
  add(c, 2);
  add(e, 3);
}

void add_products_of_target(const double* first, std::span<const size_t> first_places,
                            const double* second, std::span<const size_t> second_places,
                            size_t stride, int64_t* sums) {
  const hn::ScalableTag<double> d;
  // 32 registers hold 4 x 6 sums, 16 hold 4 x 2.
  constexpr size_t kRows = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL ||
                                   HWY_TARGET == HWY_NEON || HWY_TARGET == HWY_SVE ||
                                   HWY_TARGET == HWY_SVE2
                               ? 6
                               : 2;
  // A tile's rows of `second` stay in the innermost cache while `first` goes by.
  for (size_t j = 0; j < second_places.size(); j += kRows) {
    const auto columns = second_places.subspan(j, std::min(kRows, second_places.size() - j));
    for (size_t i = 0; i < first_places.size(); i += kFirstRowPadding) {
      const auto rows =
          first_places.subspan(i, std::min(kFirstRowPadding, first_places.size() - i));
      add_tile<kRows>(d, first + i * stride, rows, second + j * stride, columns, stride, sums);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(fill_rows_of_target);
HWY_EXPORT(multiply_rows_of_target);
HWY_EXPORT(multiply_and_round_of_target);
HWY_EXPORT(add_products_of_target);

}  // namespace

void fill_hermite_rows(const HermiteRecursion& recursion, std::span<const double> values,
                       double* rows, std::size_t stride) {
  MEHLER_ASSERT(stride % kRecordPadding == 0 && values.size() <= stride);
  HWY_DYNAMIC_DISPATCH(fill_rows_of_target)(recursion, values, rows, stride);
}

void multiply_rows(const double* outer, std::size_t outer_count, const double* inner,
                   std::size_t inner_count, std::size_t stride, double* product) {
  MEHLER_ASSERT(stride % kRecordPadding == 0);
  HWY_DYNAMIC_DISPATCH(multiply_rows_of_target)
  (outer, outer_count, inner, inner_count, stride, product);
}

void multiply_and_round_rows(const double* outer, std::size_t outer_count, const double* inner,
                             std::size_t inner_count, std::size_t stride, int exponent,
                             std::size_t first, std::size_t count, double* product) {
  MEHLER_ASSERT(stride % kRecordPadding == 0 && exponent >= 0 && exponent <= 30);
  HWY_DYNAMIC_DISPATCH(multiply_and_round_of_target)
  (outer, outer_count, inner, inner_count, stride, std::ldexp(1.0, exponent), first, count,
   product);
}

void add_row_products(const double* first, std::span<const std::size_t> first_places,
                      const double* second, std::span<const std::size_t> second_places,
                      std::size_t stride, std::int64_t* sums) {
  MEHLER_ASSERT(stride % kRecordPadding == 0);
  HWY_DYNAMIC_DISPATCH(add_products_of_target)
  (first, first_places, second, second_places, stride, sums);
}

}  // namespace mehler
#endif  // HWY_ONCE
