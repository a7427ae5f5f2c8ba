#pragma once

#include <span>
#include <vector>

namespace mehler {

/// Counts of many small cells from noisy ones, given what is expected of each.
///
/// The prior: a cell is empty, or, with probability `filled`, its count is exponentially
/// distributed around expected / filled. Where columns determine one another few cells are filled;
/// where they hardly go together nearly all are. `filled` is the most likely of 1, 1/2, 1/4, ..; if
/// none is more likely than that all counts are the expected ones, those are returned.
///
/// `noisy` and `expected` have one entry for each cell, expected ones above 0; `sigma` > 0 is the
/// standard deviation of the normal noise. A cell that is more likely empty than not gets 0: of a
/// million empty cells the small means together would be many records. Others get their posterior
/// mean.
std::vector<double> estimate_sparse_counts(std::span<const double> noisy,
                                           std::span<const double> expected, double sigma);

}  // namespace mehler
