// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/crossing_squares.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "mehler/simd/crossing_squares.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Calls work(d, column) for vectors of doubles. The last one ends where the columns end: what it
/// repeats of the one before must not change by being done twice.
template <class Work>
HWY_INLINE void for_overlapping_columns(size_t columns, const Work& work) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  if (columns < lanes) {
    for (size_t column = 0; column < columns; ++column) {
      work(hn::CappedTag<double, 1>(), column);
    }
    return;
  }
  for (size_t column = 0; column < columns; column += lanes) {
    work(d, std::min(column, columns - lanes));
  }
}

/// Distances along columns: to the crossing above (`down`), and as parts of the step to the next
/// row where one crosses it, -1 elsewhere.
void walk_down(const double* heights, size_t rows, size_t columns, double* parts, double* down) {
  for (size_t row = 1; row < rows; ++row) {
    const double* above = heights + (row - 1) * columns;
    const double* last = down + (row - 1) * columns;
    for_overlapping_columns(columns, [&](auto d, size_t c) HWY_ATTR {
      const auto one = hn::Set(d, 1.0);
      const auto zero = hn::Zero(d);
      const auto from = hn::LoadU(d, above + c);
      const auto to = hn::LoadU(d, above + columns + c);
      const auto crosses = hn::Xor(hn::Gt(from, zero), hn::Gt(to, zero));
      const auto part = hn::Div(from, hn::IfThenElse(crosses, hn::Sub(from, to), one));
      hn::StoreU(hn::IfThenElse(crosses, part, hn::Set(d, -1.0)), d,
                 parts + (row - 1) * columns + c);
      hn::StoreU(hn::IfThenElse(crosses, hn::Sub(one, part), hn::Add(hn::LoadU(d, last + c), one)),
                 d, down + row * columns + c);
    });
  }
}

void walk_up(const double* parts, size_t rows, size_t columns, double* up) {
  for (size_t row = rows - 1; row-- > 0;) {
    for_overlapping_columns(columns, [&](auto d, size_t c) HWY_ATTR {
      const auto part = hn::LoadU(d, parts + row * columns + c);
      const auto further = hn::Add(hn::LoadU(d, up + (row + 1) * columns + c), hn::Set(d, 1.0));
      hn::StoreU(hn::IfThenElse(hn::Ge(part, hn::Zero(d)), part, further), d,
                 up + row * columns + c);
    });
  }
}

/// Of each column that is within reach what its crossings mean for a pixel, by Pythagoras: the
/// least of padded[c + aside] + aside^2. `padded` is [rows][`furthest` more on both sides].
void look_aside(const double* padded, size_t rows, size_t columns, size_t furthest,
                double* squares) {
  for (size_t row = 0; row < rows; ++row) {
    const double* from = padded + row * (columns + 2 * furthest) + furthest;
    for_overlapping_columns(columns, [&](auto d, size_t c) HWY_ATTR {
      auto least = hn::LoadU(d, from + c);
      for (size_t aside = 1; aside <= furthest; ++aside) {
        const auto both = hn::Min(hn::LoadU(d, from + c - aside), hn::LoadU(d, from + c + aside));
        least = hn::Min(least, hn::Add(both, hn::Set(d, static_cast<double>(aside * aside))));
      }
      hn::StoreU(least, d, squares + row * columns + c);
    });
  }
}

void crossing_squares_of_target(const double* heights, size_t rows, size_t columns, double reach,
                                double* scratch, double* squares) {
  const size_t pixels = rows * columns;
  double* parts = scratch;
  double* down = scratch + 3 * pixels;
  double* up = scratch + 4 * pixels;
  std::fill_n(down, columns, reach);
  std::fill_n(up + pixels - columns, columns, reach);
  walk_down(heights, rows, columns, parts, down);
  walk_up(parts, rows, columns, up);
  double* padded = scratch;  // the parts are not needed any more
  const size_t furthest = std::min(static_cast<size_t>(std::ceil(reach)), columns) - 1;
  std::fill_n(padded, rows * (columns + 2 * furthest), reach * reach);
  for (size_t row = 0; row < rows; ++row) {
    double* to = padded + row * (columns + 2 * furthest) + furthest;
    for_overlapping_columns(columns, [&](auto d, size_t c) HWY_ATTR {
      const size_t i = row * columns + c;
      const auto along = hn::Min(hn::LoadU(d, down + i), hn::LoadU(d, up + i));
      const auto nearest = hn::Min(along, hn::Set(d, reach));
      hn::StoreU(hn::Mul(nearest, nearest), d, to + c);
    });
  }
  look_aside(padded, rows, columns, furthest, squares);
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(crossing_squares_of_target);

}  // namespace

void crossing_squares(std::span<const double> heights, std::size_t rows, std::size_t columns,
                      double reach, std::span<double> scratch, std::span<double> squares) {
  const std::size_t pixels = rows * columns;
  MEHLER_ASSERT(pixels > 0 && heights.size() == pixels && squares.size() == pixels);
  MEHLER_ASSERT(scratch.size() == kCrossingScratch * pixels && reach > 0.0);
  HWY_DYNAMIC_DISPATCH(crossing_squares_of_target)
  (heights.data(), rows, columns, reach, scratch.data(), squares.data());
}

}  // namespace mehler
#endif  // HWY_ONCE
