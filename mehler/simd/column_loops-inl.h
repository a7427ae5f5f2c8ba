// Loops over columns that stand side by side, by vectors. Included once for each instruction set,
// so it has no include guard of the usual kind.

#if defined(MEHLER_SIMD_COLUMN_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEHLER_SIMD_COLUMN_LOOPS_INL_H_
#undef MEHLER_SIMD_COLUMN_LOOPS_INL_H_
#else
#define MEHLER_SIMD_COLUMN_LOOPS_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

// Calls work(d, column) for vectors of floats, then work(d1, column) for single ones that fill no
// vector.
template <class Work>
HWY_INLINE void for_columns(size_t columns, const Work& work) {
  const hwy::HWY_NAMESPACE::ScalableTag<float> d;
  const size_t lanes = hwy::HWY_NAMESPACE::Lanes(d);
  size_t column = 0;
  for (; column + lanes <= columns; column += lanes) {
    work(d, column);
  }
  const hwy::HWY_NAMESPACE::CappedTag<float, 1> one;
  for (; column < columns; ++column) {
    work(one, column);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#endif
