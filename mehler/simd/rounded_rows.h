#pragma once

#include <cstddef>
#include <cstdint>

namespace mehler {

// Linear classifiers of rows of 16-bit numbers, which are a half of floats and exact.

/// Some rows of numbers between -32767 and 32767, one behind the other.
struct RoundedRows {
  const std::int16_t* values = nullptr;
  std::size_t count = 0;
  std::size_t stride = 0;  ///< a multiple of kRoundedPadding; what lies behind a row's numbers is 0
};

inline constexpr std::size_t kRoundedPadding = 32;
/// Classes come in multiples of this; there may be some more than there are.
inline constexpr std::size_t kRoundedClasses = 5;

/// results[r][k] = sum_i rows[r][i] weights[k][i], in floats; weights are [classes][stride], finite
/// behind a row's numbers too. A row's results depend on the row alone, on one instruction set.
void multiply_rounded_rows(const RoundedRows& rows, const float* weights, std::size_t classes,
                           float* results);

/// sums[k][i] += sum_r factors[r][k] rows[r][i]; sums are [classes][stride].
///
/// Exact, whatever the instruction set, where factors are whole numbers and no sum of products
/// exceeds 2^53.
void add_rounded_products(const RoundedRows& rows, const double* factors, std::size_t classes,
                          double* sums);

}  // namespace mehler
