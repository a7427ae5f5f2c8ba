#pragma once

#include <cstddef>
#include <cstdint>

#include "mehler/table/schema.h"
#include "mehler/table/table.h"

namespace mehler {

/// The paper's two-dimensional example: 25 Gaussian clusters of standard deviation 0.2 on the grid
/// {-2, ..., 2}^2, equally likely, in 5 classes. The cluster at (i, j) has the class (i + 2 j) mod
/// 5, so that each class has one cluster in every row and in every column.
Schema mixture_schema();

Table simulate_mixture(std::size_t rows, std::uint64_t seed);

/// The logarithm of the true density of (x, y), whatever the class. Its mean over the truth itself
/// is -2.783 (-2.838 if the clusters did not overlap).
double mixture_log_density(double x, double y);

}  // namespace mehler
