#pragma once

#include <cstddef>
#include <span>

namespace mehler {

/// How many times the pixels crossing_squares needs room for.
constexpr std::size_t kCrossingScratch = 5;

/// For each pixel of [rows][columns] the squared distance to the nearest place between two pixels
/// of a column where `heights` change their sign (from at most 0 to above, or back; on the line
/// between the two), at most reach^2. Columns further aside than reach are not looked at: the time
/// is linear in the pixels, times reach. The same bits on every instruction set; reach > 0.
void crossing_squares(std::span<const double> heights, std::size_t rows, std::size_t columns,
                      double reach, std::span<double> scratch, std::span<double> squares);

}  // namespace mehler
