// Per-target code shared by kernels that take batches of floats; includes itself once for each
// instruction set, as Highway asks of such headers.
#if defined(MEHLER_SIMD_VECTOR_GROUPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEHLER_SIMD_VECTOR_GROUPS_INL_H_
#undef MEHLER_SIMD_VECTOR_GROUPS_INL_H_
#else
#define MEHLER_SIMD_VECTOR_GROUPS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <span>

/// For lambdas that use vectors in registers: they must be inlined, as a call would move the
/// vectors to memory.
#ifndef MEHLER_IN_REGISTERS
#define MEHLER_IN_REGISTERS HWY_ATTR __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The most floats in a vector: what is padded to a multiple of it fits every instruction set.
constexpr size_t kMaxLanes = 16;
using FloatTag = hn::CappedTag<float, kMaxLanes>;
using FloatVector = hn::Vec<FloatTag>;

/// Whether there are 32 registers of vectors, and not 16.
constexpr bool kManyRegisters = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64;

/// Vectors of values that are worked on at once: three registers each, and enough independent
/// operations to hide the latency of a multiply-add.
constexpr size_t kGroupVectors = kManyRegisters ? 8 : 4;

/// Calls body.template run<N>(x, first, count) for all values, N vectors at a time: x points to the
/// values from `first` on. The last vector is filled up with zeros; count is the number of values
/// without them.
template <class Body>
HWY_INLINE void for_each_group(std::span<const float> values, const Body& body) {
  const size_t lanes = hn::Lanes(FloatTag());
  const size_t group = kGroupVectors * lanes;
  size_t first = 0;
  for (; first + group <= values.size(); first += group) {
    body.template run<kGroupVectors>(values.data() + first, first, group);
  }
  HWY_ALIGN float rest[kGroupVectors * kMaxLanes] = {};
  std::copy(values.begin() + static_cast<std::ptrdiff_t>(first), values.end(), rest);
  const float* x = rest;
  const auto finish = [&]<size_t N>() HWY_ATTR {
    if (first < values.size() && values.size() - first > (N - 1) * lanes) {
      const size_t count = std::min(N * lanes, values.size() - first);
      body.template run<N>(x, first, count);
      first += count;
      x += count;
    }
  };
  if constexpr (kGroupVectors > 4) {
    finish.template operator()<4>();
  }
  finish.template operator()<2>();
  finish.template operator()<1>();
  finish.template operator()<1>();
}

/// body(0), .. body(N - 1), written out: an array of vectors stays in registers only if none of its
/// indices is left to a loop, and compilers leave loops with long bodies as they are.
template <size_t N, class Body>
HWY_INLINE void unroll(const Body& body) {
  if constexpr (N > 1) {
    unroll<N - 1>(body);
  }
  body(N - 1);
}

/// The sum of N vectors, by pairs.
template <size_t N>
HWY_INLINE FloatVector sum_of(const FloatVector* vectors) {
  if constexpr (N == 1) {
    return vectors[0];
  } else {
    return hn::Add(sum_of<N / 2>(vectors), sum_of<N / 2>(vectors + N / 2));
  }
}

#if HWY_TARGET == HWY_SCALAR
// One float is a vector: there is nothing to add up, nor are there operations to do it with.
HWY_INLINE void add_up_lanes(const float* HWY_RESTRICT totals, size_t rows,
                             float* HWY_RESTRICT out) {
  std::copy_n(totals, rows, out);
}
#else
template <class D, class V>
HWY_INLINE void store_sum_of_blocks(D d, V vector, float* HWY_RESTRICT out) {
  if constexpr (hn::MaxLanes(d) > 4) {
    const hn::Half<D> half;
    store_sum_of_blocks(half, hn::Add(hn::LowerHalf(half, vector), hn::UpperHalf(half, vector)),
                        out);
  } else {
    hn::StoreU(vector, d, out);
  }
}

/// out[row] = the sum of the lanes of totals[row], for a number of rows that is a multiple of 4.
HWY_INLINE void add_up_lanes(const float* HWY_RESTRICT totals, size_t rows,
                             float* HWY_RESTRICT out) {
  const FloatTag d;
  const hn::RepartitionToWide<FloatTag> pairs;
  const size_t lanes = hn::Lanes(d);
  const auto fold = [&](const float* two_rows) HWY_ATTR {
    const FloatVector a = hn::Load(d, two_rows);
    const FloatVector b = hn::Load(d, two_rows + lanes);
    return hn::BitCast(pairs, hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
  };
  for (size_t row = 0; row < rows; row += 4) {
    // Four rows become one vector, whose blocks of four floats hold parts of the four sums.
    const auto ab = fold(totals + row * lanes);
    const auto ce = fold(totals + (row + 2) * lanes);
    const FloatVector sums = hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce)),
                                     hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce)));
    store_sum_of_blocks(d, sums, out + row);
  }
}
#endif  // HWY_SCALAR

/// Sums in single precision lose accuracy the more values they have: after this many, sums go on in
/// double.
constexpr size_t kValuesPerChunk = size_t{1} << 13;

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
