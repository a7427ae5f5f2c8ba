// Packing of parts of matrices for the matrix product, in the order in which tiles read them.
// Includes itself once for each instruction set, as Highway asks of such headers.
#if defined(MEHLER_SIMD_MATRIX_PACKING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEHLER_SIMD_MATRIX_PACKING_INL_H_
#undef MEHLER_SIMD_MATRIX_PACKING_INL_H_
#else
#define MEHLER_SIMD_MATRIX_PACKING_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "mehler/simd/vector_groups-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Copies `rows` rows of `columns` floats; a row of the copy has `width` floats, the rest zeros.
HWY_INLINE void pack_rows(const float* HWY_RESTRICT from, size_t stride, size_t rows,
                          size_t columns, size_t width, float* HWY_RESTRICT to) {
  const FloatTag d;
  const size_t lanes = hn::Lanes(d);
  for (size_t p = 0; p < rows; ++p, from += stride, to += width) {
    size_t j = 0;
    for (; j + lanes <= columns; j += lanes) {
      hn::StoreU(hn::LoadU(d, from + j), d, to + j);
    }
    for (; j < columns; ++j) {
      to[j] = from[j];
    }
    for (; j < width; ++j) {
      to[j] = 0.0F;
    }
  }
}

#if HWY_TARGET == HWY_SCALAR
// One float is a vector: there is nothing to shuffle.
HWY_INLINE void pack_transposed(const float* HWY_RESTRICT from, size_t stride, size_t rows,
                                size_t columns, size_t width, float* HWY_RESTRICT to) {
  for (size_t p = 0; p < rows; ++p) {
    for (size_t j = 0; j < width; ++j) {
      to[p * width + j] = j < columns ? from[j * stride + p] : 0.0F;
    }
  }
}
#else
/// Four floats at `offset` of rows i, i + 4, .. as many as the vector has blocks of four floats.
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const float* const* rows, size_t offset) {
  if constexpr (hn::MaxLanes(d) == 4) {
    return hn::LoadU(d, *rows + offset);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_blocks(half, rows + hn::MaxLanes(half), offset),
                       load_blocks(half, rows, offset));
  }
}

/// The same of the transpose: from is [columns][rows]. Beyond `columns` stand copies of the last
/// one, in place of zeros.
HWY_INLINE void pack_transposed(const float* HWY_RESTRICT from, size_t stride, size_t rows,
                                size_t columns, size_t width, float* HWY_RESTRICT to) {
  const FloatTag d;
  const hn::RepartitionToWide<FloatTag> pairs;
  constexpr size_t kLanes = hn::MaxLanes(d);
  for (size_t column = 0; column < width; column += kLanes, to += kLanes) {
    const float* sources[kLanes];
    for (size_t j = 0; j < kLanes; ++j) {
      sources[j] = from + std::min(column + j, columns - 1) * stride;
    }
    size_t p = 0;
    for (; p + 4 <= rows; p += 4) {
      const auto a = load_blocks(d, sources, p);
      const auto b = load_blocks(d, sources + 1, p);
      const auto c = load_blocks(d, sources + 2, p);
      const auto e = load_blocks(d, sources + 3, p);
      const auto ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
      const auto ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
      const auto ab_upper = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
      const auto ce_upper = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
      float* place = to + p * width;
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce)), d, place);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce)), d, place + width);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_upper, ce_upper)), d,
                 place + 2 * width);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_upper, ce_upper)), d,
                 place + 3 * width);
    }
    for (; p < rows; ++p) {
      for (size_t j = 0; j < kLanes; ++j) {
        to[p * width + j] = sources[j][p];
      }
    }
  }
}
#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
