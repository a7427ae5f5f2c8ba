// Packing of parts of matrices for the matrix product, in the order in which tiles read them.
// Includes itself once for each instruction set, as Highway asks of such headers.
#if defined(MEHLER_KERNELS_MATRIX_PACKING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEHLER_KERNELS_MATRIX_PACKING_INL_H_
#undef MEHLER_KERNELS_MATRIX_PACKING_INL_H_
#else
#define MEHLER_KERNELS_MATRIX_PACKING_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "mehler/kernels/vector_groups-inl.h"

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
    std::fill(to + j, to + width, 0.0F);
  }
}

/// The same of the transpose: from is [columns][rows].
HWY_INLINE void pack_transposed(const float* HWY_RESTRICT from, size_t stride, size_t rows,
                                size_t columns, size_t width, float* HWY_RESTRICT to) {
  for (size_t p = 0; p < rows; ++p) {
    for (size_t j = 0; j < columns; ++j) {
      to[p * width + j] = from[j * stride + p];
    }
    std::fill(to + p * width + columns, to + (p + 1) * width, 0.0F);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
