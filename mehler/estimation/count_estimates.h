#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mehler {

/// The nearest table (in the 2-norm) without negative counts that adds up to `total` >= 0.
std::vector<double> project_to_counts(std::span<const double> values, double total);

/// Subtracts from a table of several columns, the last one running fastest, what its totals over
/// each column explain: the totals of the result are 0.
void centre(std::vector<double>& table, std::span<const std::size_t> shape);

/// The likelihood of a table's deviations from what is expected of it, for strength 0 and a grid of
/// strengths tau up to `rows`. With strength tau the deviation of a cell has the variance tau *
/// expected, and its measurement `noise` more. Logarithms, up to a constant.
///
/// `deviations` and `expected` (positive) are tables of the same size; `freedom` is the share of
/// the deviations that is free, prod (d - 1) / prod d.
std::vector<double> strength_likelihood(std::span<const double> deviations,
                                        std::span<const double> expected, double noise,
                                        double freedom, double rows);

/// The posterior mean of the strength of each table, given its likelihood. The tables have one
/// prior, which is estimated with them (EM): where most tables show nothing but noise, a table that
/// shows a little is taken for noise too.
std::vector<double> estimate_strengths(std::span<const std::vector<double>> likelihoods,
                                       double rows);

/// The same, but of each table the posterior mean of tau / (tau + noises[table]): the share that is
/// kept of a deviation which has so many times the variance from the noise as from a strength of 1.
/// The strength behind a single deviation is hardly known, and its mean, of a few large ones that
/// are possible, would keep far more.
std::vector<double> estimate_kept_shares(std::span<const std::vector<double>> likelihoods,
                                         std::span<const double> noises, double rows);

}  // namespace mehler
