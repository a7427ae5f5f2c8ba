#pragma once

#include <cstddef>

namespace mehler {

// Chebyshev polynomials of numbers that stand side by side, such as the pixels of an image: vectors
// go across columns. In single precision; |values| <= 1, and NaN gives NaN. Rows of numbers are
// `stride` floats apart.
//
// Degrees are stored even ones first: T_j stands in row chebyshev_row(j, terms) of `terms` rows.

/// Where degree j stands.
constexpr std::size_t chebyshev_row(std::size_t j, std::size_t terms) {
  return j / 2 + (j % 2 == 0 ? 0 : (terms + 1) / 2);
}

/// moments[chebyshev_row(j, terms) * columns + i] = the sum over rows of T_j(values[row][i]), for j
/// below `terms`, which are at least 2. Some thousands of rows at most.
void fill_chebyshev_moments(const float* values, std::size_t stride, std::size_t rows,
                            std::size_t columns, std::size_t terms, float* moments);

/// results[row][i] = the sum over j below `terms` of coefficients[chebyshev_row(j, terms) * columns
/// + i] T_j(values[row][i]). Values and results have the same stride.
void evaluate_chebyshev_columns(const float* values, std::size_t stride, std::size_t rows,
                                std::size_t columns, std::size_t terms, const float* coefficients,
                                float* results);

}  // namespace mehler
