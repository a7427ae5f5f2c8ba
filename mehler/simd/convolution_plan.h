#pragma once

#include <algorithm>
#include <cstddef>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/simd/convolution.h"

namespace mehler {

/// What lies where while a convolution is computed.
///
/// The rows of a channel stand one behind the other with zeros between them, as many as a kernel
/// reaches over an edge, so that one gap serves the end of a row and the beginning of the next. A
/// step of the kernel is then a fixed distance. Positions are numbered with the gaps.
struct ConvolutionPlan {
  /// Vectors that are worked on at once may reach behind the last position.
  static constexpr std::size_t kMostFloatsBehind = 8 * 16;

  explicit ConvolutionPlan(const ConvolutionSize& of) : size(of) {
    MEHLER_ASSERT(size.rows > 0 && size.columns > 0 && size.inputs > 0 && size.outputs > 0);
    MEHLER_ASSERT(size.before < size.kernel);
    const std::size_t after = size.kernel - 1 - size.before;
    const std::size_t rows_after = size.kernel_rows() - 1 - size.rows_before();
    row = size.columns + std::max(size.before, after);
    lead = size.rows_before() * row + size.before;
    positions = size.rows * row;
    plane =
        round_up(lead + positions + rows_after * row + after + kMostFloatsBehind, std::size_t{16});
    result_plane = round_up(positions + kMostFloatsBehind, std::size_t{16});
    slope_plane = round_up(positions, std::size_t{16});
  }

  ConvolutionSize size;
  std::size_t row = 0;           ///< floats from one row to the next
  std::size_t lead = 0;          ///< floats before the first row of a channel
  std::size_t positions = 0;     ///< of a channel, gaps included
  std::size_t plane = 0;         ///< floats of a channel of the image
  std::size_t result_plane = 0;  ///< of one of the result, if it is computed with gaps
  std::size_t slope_plane = 0;   ///< of one of the slopes, which has nothing around it
};

}  // namespace mehler
