#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mehler {

/// Helmert contrasts: the part of a table of counts that its totals do not tell.
///
/// Contrast k = 1 .. d - 1 of a code x in {0, .., d - 1} is
///
///   h_k(x) = 1 for x < k,  -k for x = k,  0 for x > k,
///
/// an integer; h_k / sqrt(k (k + 1)) are orthonormal, and orthogonal to the constant. So
///
///   sum_k h_k(x)^2 / (k (k + 1)) = 1 - 1/d   for every x,
///   sum_k h_k(x) h_k(y) / (k (k + 1)) = -1/d  for x != y.
///
/// A table of several columns has the products of their contrasts. Summed over records they are the
/// contrasts of the counts: integers, so that sums are exact without any rounding.

/// sqrt(k (k + 1)), not rounded down: the noise of contrast k has this many times the standard
/// deviation of the orthonormal one's.
double contrast_scale(std::size_t k);

/// Contrasts in a table of this shape: the product of (d - 1).
std::size_t contrast_count(std::span<const std::size_t> shape);

/// The contrast scales of a table, as many as its contrasts, the last column's running fastest.
std::vector<double> contrast_scales(std::span<const std::size_t> shape);

/// The contrasts of a table of counts, [d_1][d_2].. with the last column running fastest. Exact as
/// long as they fit into 64 bits: at most (number of records) * prod (d - 1).
std::vector<std::int64_t> contrasts_of_counts(std::vector<std::int64_t> counts,
                                              std::span<const std::size_t> shape);

/// The same in the place of the counts: the first contrast_count(shape) entries are the contrasts,
/// the others have no meaning.
void turn_into_contrasts(std::span<std::int64_t> counts, std::span<const std::size_t> shape);

/// The same with every contrast squared: sums over records of h(x)^2, which say how much the
/// contrasts of records drawn at random vary.
std::vector<double> squared_contrasts_of_counts(std::span<const std::int64_t> counts,
                                                std::span<const std::size_t> shape);

/// The table with these contrasts and all totals over a column 0: what the contrasts add to the
/// table that the totals would give.
std::vector<double> cells_of_contrasts(std::span<const double> contrasts,
                                       std::span<const std::size_t> shape);

/// The largest squared length of the orthonormal contrasts of one record: prod (1 - 1/d).
double squared_contrast_norm(std::span<const std::size_t> shape);

/// The largest squared distance between those of two records.
///
/// With c_i = 1 - 1/d_i it is 2 prod c_i - 2 prod g_i, where g_i = c_i if they agree in column i
/// and -1/d_i if not: the maximum over all ways to agree is attained.
double squared_contrast_difference(std::span<const std::size_t> shape);

}  // namespace mehler
