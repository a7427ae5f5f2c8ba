#pragma once

#include <cstddef>

namespace mehler {

/// Records column by column for pair_kernel_sums. Borrows its storage.
///
/// A column's values stand `stride` apart from the next column's; stride is a multiple of
/// kPairPadding, at least `rows`, and what stands in the padding may be anything finite.
struct PairRecords {
  std::size_t rows = 0;
  std::size_t stride = 0;
  std::size_t number_columns = 0;
  std::size_t code_columns = 0;
  const double* numbers = nullptr;  ///< [number_columns][stride], at most 1e150 in size
  const double* codes = nullptr;    ///< [code_columns][stride]
  const double* label = nullptr;    ///< [stride]; nullptr without a label
};

inline constexpr std::size_t kPairPadding = 64;

/// Sums over pairs of records of their column kernels, added up and multiplied.
struct PairKernelSums {
  double sum = 0.0;
  double product = 0.0;
};

/// Over all pairs of the records [a_begin, a_end) of a and [b_begin, b_end) of b, which have the
/// same columns: with k = exp(-(u - v)^2) for numbers and k = (u == v) for codes, sums the sum and
/// the product of the k of a pair; a pair of different labels counts as 0 in both. b_begin is a
/// multiple of kPairPadding.
///
/// Relative error below 1e-13 of the sums. Cost: one exponential a pair and column of numbers.
PairKernelSums pair_kernel_sums(const PairRecords& a, std::size_t a_begin, std::size_t a_end,
                                const PairRecords& b, std::size_t b_begin, std::size_t b_end);

}  // namespace mehler
