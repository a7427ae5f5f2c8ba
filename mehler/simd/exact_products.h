#pragma once

#include <cstddef>

namespace mehler {

/// sums[i][j] += the sum over rows of a[row][i] b[row][j], in double precision: a is [rows][m], b
/// is [rows][n], sums is [m][n]; strides are the distances between the beginnings of two rows.
///
/// Exact where every number of a is a multiple of 2^-p and every one of b a multiple of 2^-q, and
/// no sum of products, in whatever order, exceeds 2^(53 - p - q): then the sums are the same for
/// any order, tiles and instruction set.
///
/// Runs on the calling thread alone.
void add_exact_products(std::size_t rows, const double* a, std::size_t a_stride, std::size_t m,
                        const double* b, std::size_t b_stride, std::size_t n, double* sums,
                        std::size_t sums_stride);

}  // namespace mehler
