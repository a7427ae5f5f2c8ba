#pragma once

#include <cstddef>

#include "mehler/estimation/dense.h"
#include "mehler/release/measured_sums.h"

namespace mehler {

/// One class's symmetric matrix of a sum of products, over `rows`.
Dense products_of(const MeasuredSum& measured, std::size_t of_class, double rows);

}  // namespace mehler
