#pragma once

#include <cstddef>
#include <cstdint>

namespace mehler {

/// Records of integer_products come in multiples of this; those behind the last one are 0.
inline constexpr std::size_t kIntegerPadding = 16;

/// Adds sum_r rows[i][r] rows[j][r] for all i <= j, row by row, to the count (count + 1) / 2 sums:
/// rows are [count][records]. Exact where no sum leaves the 64 bits.
void add_upper_products(const std::int32_t* rows, std::size_t count, std::size_t records,
                        std::int64_t* sums);

}  // namespace mehler
