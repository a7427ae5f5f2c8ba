// Copies of many short rows; includes itself once for each instruction set, as Highway asks of such
// headers.
#if defined(MEHLER_SIMD_ROW_COPIES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEHLER_SIMD_ROW_COPIES_INL_H_
#undef MEHLER_SIMD_ROW_COPIES_INL_H_
#else
#define MEHLER_SIMD_ROW_COPIES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "mehler/simd/vector_groups-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Rows of at least a vector of this kind. The last vector of a row ends where the row ends: it
/// repeats what is there already, which costs less than a rest that fills no vector.
template <class D>
HWY_INLINE void copy_rows_by(D d, const float* HWY_RESTRICT from, size_t from_stride, size_t rows,
                             size_t columns, float* HWY_RESTRICT to, size_t to_stride) {
  const size_t lanes = hn::Lanes(d);
  const size_t last = columns - lanes;
  for (size_t y = 0; y < rows; ++y, from += from_stride, to += to_stride) {
    for (size_t x = 0; x < last; x += lanes) {
      hn::StoreU(hn::LoadU(d, from + x), d, to + x);
    }
    hn::StoreU(hn::LoadU(d, from + last), d, to + last);
  }
}

/// Copies rows of `columns` floats, which begin a stride apart. A call of memcpy for each would
/// take longer than the copy.
HWY_INLINE void copy_rows(const float* from, size_t from_stride, size_t rows, size_t columns,
                          float* to, size_t to_stride) {
  if (columns >= hn::Lanes(FloatTag())) {
    copy_rows_by(FloatTag(), from, from_stride, rows, columns, to, to_stride);
  } else if (columns >= hn::Lanes(hn::CappedTag<float, 8>())) {
    copy_rows_by(hn::CappedTag<float, 8>(), from, from_stride, rows, columns, to, to_stride);
  } else if (columns >= hn::Lanes(hn::CappedTag<float, 4>())) {
    copy_rows_by(hn::CappedTag<float, 4>(), from, from_stride, rows, columns, to, to_stride);
  } else {
    copy_rows_by(hn::CappedTag<float, 1>(), from, from_stride, rows, columns, to, to_stride);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
