// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/direction_histogram.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "mehler/simd/direction_histogram.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/wiping.h"

#ifndef MEHLER_SIMD_DIRECTION_HISTOGRAM_ONCE_
#define MEHLER_SIMD_DIRECTION_HISTOGRAM_ONCE_
namespace mehler {

constexpr std::size_t kCellLanes = kMostDirectionCells;
constexpr std::size_t kPaddedColumns = 128;  ///< room for a row of sums of one direction
/// A row of energies: a cell outside at each end, and up to a vector's lanes.
constexpr std::size_t kEnergyStride = kCellLanes + 2;

struct DirectionPixels {
  const float* lengths;
  const float* directions;
  std::size_t stride;
};

/// What is computed of one picture.
struct DirectionSums {
  float rows[kDirections][kPaddedColumns];                        ///< of the rows of one cell
  float cells[kMostDirectionCells][kDirections][kCellLanes];      ///< [down][direction][across]
  float energies[(kMostDirectionCells + 2) * kEnergyStride + 1];  ///< with a border of zeros
};

}  // namespace mehler
#endif  // MEHLER_SIMD_DIRECTION_HISTOGRAM_ONCE_

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors over columns; what is computed of pixels behind a row is not looked at.
void add_rows(const DirectionPixels& pixels, const CellRows& cell, size_t columns,
              DirectionSums& to) {
  const hn::CappedTag<float, 16> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  const V one = hn::Set(d, 1.0F);
  const V zero = hn::Zero(d);
  for (size_t c = 0; c < columns; c += lanes) {
    V s0 = zero, s1 = zero, s2 = zero, s3 = zero, s4 = zero, s5 = zero, s6 = zero, s7 = zero;
    size_t place = cell.first * pixels.stride + c;
    for (const float weight : cell.weights) {
      const V weighted = hn::Mul(hn::Set(d, weight), hn::LoadU(d, pixels.lengths + place));
      const V position = hn::LoadU(d, pixels.directions + place);
      const auto share = [&](float direction) HWY_ATTR {
        return hn::Sub(one, hn::Abs(hn::Sub(position, hn::Set(d, direction))));
      };
      const auto add = [&](V& sum, V near)
                           HWY_ATTR { sum = hn::Add(sum, hn::Mul(weighted, hn::Max(near, zero))); };
      add(s0, hn::Max(share(0.0F), share(8.0F)));  // a whole turn is none
      add(s1, share(1.0F));
      add(s2, share(2.0F));
      add(s3, share(3.0F));
      add(s4, share(4.0F));
      add(s5, share(5.0F));
      add(s6, share(6.0F));
      add(s7, share(7.0F));
      place += pixels.stride;
    }
    hn::StoreU(s0, d, to.rows[0] + c);
    hn::StoreU(s1, d, to.rows[1] + c);
    hn::StoreU(s2, d, to.rows[2] + c);
    hn::StoreU(s3, d, to.rows[3] + c);
    hn::StoreU(s4, d, to.rows[4] + c);
    hn::StoreU(s5, d, to.rows[5] + c);
    hn::StoreU(s6, d, to.rows[6] + c);
    hn::StoreU(s7, d, to.rows[7] + c);
  }
}

/// Vectors over the cells across, two directions at a time.
void add_columns(const DirectionCells& cells, const DirectionSums& from,
                 float (&to)[kDirections][kCellLanes]) {
  const hn::CappedTag<float, kCellLanes> d;
  using V = hn::Vec<decltype(d)>;
  for (size_t lane = 0; lane < kCellLanes; lane += hn::Lanes(d)) {
    for (size_t direction = 0; direction < kDirections; direction += 4) {
      V a = hn::Zero(d), b = hn::Zero(d), c = hn::Zero(d), e = hn::Zero(d);
      const float* weights = cells.across.data() + lane;
      for (size_t column = 0; column < cells.columns; ++column, weights += kCellLanes) {
        const V weight = hn::LoadU(d, weights);
        a = hn::Add(a, hn::Mul(weight, hn::Set(d, from.rows[direction][column])));
        b = hn::Add(b, hn::Mul(weight, hn::Set(d, from.rows[direction + 1][column])));
        c = hn::Add(c, hn::Mul(weight, hn::Set(d, from.rows[direction + 2][column])));
        e = hn::Add(e, hn::Mul(weight, hn::Set(d, from.rows[direction + 3][column])));
      }
      hn::StoreU(a, d, to[direction] + lane);
      hn::StoreU(b, d, to[direction + 1] + lane);
      hn::StoreU(c, d, to[direction + 2] + lane);
      hn::StoreU(e, d, to[direction + 3] + lane);
    }
  }
}

/// Divides cells by what is around them and cuts them; returns the sum of all squares.
double divide_by_surroundings(size_t cells_down, float least_energy, float largest,
                              DirectionSums& sums) {
  const hn::CappedTag<float, kCellLanes> d;
  using V = hn::Vec<decltype(d)>;
  std::fill(std::begin(sums.energies), std::end(sums.energies), 0.0F);
  float squares[kCellLanes] = {};
  for (size_t lane = 0; lane < kCellLanes; lane += hn::Lanes(d)) {
    for (size_t i = 0; i < cells_down; ++i) {
      V energy = hn::Zero(d);
      for (size_t direction = 0; direction < kDirections; ++direction) {
        const V value = hn::LoadU(d, sums.cells[i][direction] + lane);
        energy = hn::Add(energy, hn::Mul(value, value));
      }
      hn::StoreU(energy, d, sums.energies + (i + 1) * kEnergyStride + 1 + lane);
    }
  }
  for (size_t lane = 0; lane < kCellLanes; lane += hn::Lanes(d)) {
    V all = hn::Zero(d);
    for (size_t i = 0; i < cells_down; ++i) {
      V around = hn::Zero(d);
      for (size_t row = i; row < i + 3; ++row) {
        const float* first = sums.energies + row * kEnergyStride + lane;
        around = hn::Add(around, hn::Add(hn::Add(hn::LoadU(d, first), hn::LoadU(d, first + 1)),
                                         hn::LoadU(d, first + 2)));
      }
      const V mean = hn::Mul(around, hn::Set(d, 1.0F / 9.0F));
      const V divisor = hn::Sqrt(hn::Add(mean, hn::Set(d, least_energy)));
      const V factor = hn::Div(hn::Set(d, 1.0F), divisor);
      for (size_t direction = 0; direction < kDirections; ++direction) {
        float* place = sums.cells[i][direction] + lane;
        const V value = hn::Min(hn::Mul(hn::LoadU(d, place), factor), hn::Set(d, largest));
        all = hn::Add(all, hn::Mul(value, value));
        hn::StoreU(value, d, place);
      }
    }
    hn::StoreU(all, d, squares + lane);
  }
  double sum = 0.0;
  for (const float square : squares) {
    sum += static_cast<double>(square);
  }
  return sum;
}

void histogram_of_target(const DirectionCells& cells, const DirectionPixels& pixels,
                         float least_energy, float largest, DirectionSums& sums,
                         float* HWY_RESTRICT histogram) {
  const size_t down = cells.down.size();
  for (size_t i = 0; i < down; ++i) {
    add_rows(pixels, cells.down[i], cells.columns, sums);
    add_columns(cells, sums, sums.cells[i]);
  }
  const double squares = divide_by_surroundings(down, least_energy, largest, sums);
  const auto factor = static_cast<float>(squares > 0.0 ? 1.0 / std::sqrt(squares) : 1.0);
  for (size_t i = 0; i < down; ++i) {
    for (size_t j = 0; j < cells.cells_across; ++j) {
      for (size_t direction = 0; direction < kDirections; ++direction) {
        *histogram++ = factor * sums.cells[i][direction][j];
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(histogram_of_target);

}  // namespace

void direction_histogram(const DirectionCells& cells, const float* lengths, const float* directions,
                         std::size_t stride, float least_energy, float largest,
                         std::span<float> histogram) {
  MEHLER_ASSERT(cells.down.size() <= kMostDirectionCells &&
                cells.cells_across <= kMostDirectionCells &&
                cells.columns + kDirectionSlack <= kPaddedColumns &&
                cells.across.size() == cells.columns * kMostDirectionCells &&
                histogram.size() == cells.down.size() * cells.cells_across * kDirections);
  DirectionSums sums;  // only what was written is read
  HWY_DYNAMIC_DISPATCH(histogram_of_target)
  (cells, {lengths, directions, stride}, least_energy, largest, sums, histogram.data());
  wipe_memory(&sums, sizeof(sums));
}

}  // namespace mehler
#endif  // HWY_ONCE
