#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mehler {

/// Numbers of some records, column by column: columns[i][r].
using NumberColumns = std::span<const double* const>;

/// Adds to sums[2 j] and sums[2 j + 1] the sums over `records` records of
/// round(2^grid_exponent cos(w_j x) / sqrt F) and of the same with sin, for the F frequencies
/// w_j = frequencies[j * inputs .. ), inputs = columns.size().
///
/// Exact, as add_hermite_sums is: rounded features are integers whose sums wrap at 2^64, and every
/// instruction set gives the same bits. cos^2 + sin^2 of what is rounded is 1 to 1e-15 whatever the
/// angle; the angle itself is accurate to 1e-14 (1 + |w_j x|) for |w_j x| <= 10^6.
void add_fourier_sums(std::span<const double> frequencies, NumberColumns columns,
                      std::size_t records, int grid_exponent, std::span<std::int64_t> sums);

}  // namespace mehler
