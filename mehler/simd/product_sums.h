#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mehler/simd/hermite_sums.h"

namespace mehler {

// Exact sums of products of features. Features stand row by row, one row of `stride` records for
// each feature; a record's place in all rows is the same. Every function gives the same bits for
// every instruction set: no fused multiply-adds before rounding, and integers after it.

/// Strides are multiples of this; what lies behind the last record is 0.
inline constexpr std::size_t kRecordPadding = 16;
/// Rows of the two factors of add_row_products come in multiples of these.
inline constexpr std::size_t kFirstRowPadding = 4;
inline constexpr std::size_t kSecondRowPadding = 6;

/// rows[k * stride + i] = phi_k(values[i]) for k = 0 .. order; 0 where the value is NaN and behind
/// the last value. Error below 1e-13, as for add_hermite_sums.
void fill_hermite_rows(const HermiteRecursion& recursion, std::span<const double> values,
                       double* rows, std::size_t stride);

/// product[(i * inner_count + j) * stride + r] = outer[i * stride + r] * inner[j * stride + r].
void multiply_rows(const double* outer, std::size_t outer_count, const double* inner,
                   std::size_t inner_count, std::size_t stride, double* product);

/// `count` rows from row `first` on of the same product, rounded: round(2^exponent x), |x| <= 1 and
/// exponent <= 30. Rows behind the last one are 0.
void multiply_and_round_rows(const double* outer, std::size_t outer_count, const double* inner,
                             std::size_t inner_count, std::size_t stride, int exponent,
                             std::size_t first, std::size_t count, double* product);

/// sums[first_places[i] + second_places[j]] += sum_r first[i * stride + r] second[j * stride + r],
/// for rows of integers.
///
/// Exact as long as every such sum stays below 2^53: with factors of at most 2^17 each, up to 2^19
/// records. `first` and `second` have rows of zeros up to the paddings above. Cost: a multiply-add
/// for each pair of rows and record; nearly the machine's double-precision peak for some hundreds
/// of records, as long as `first` stays in a core's cache.
void add_row_products(const double* first, std::span<const std::size_t> first_places,
                      const double* second, std::span<const std::size_t> second_places,
                      std::size_t stride, std::int64_t* sums);

}  // namespace mehler
