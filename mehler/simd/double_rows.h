#pragma once

#include <cstddef>

namespace mehler {

// Long vectors of doubles. The same bits on every instruction set: nothing is fused, and sums are
// eight, by the place modulo 8, which are added up at the end.

/// sum_i a[i] b[i].
double dot_product(const double* a, const double* b, std::size_t count);

/// to[i] += factor from[i].
void add_multiple(double factor, const double* from, double* to, std::size_t count);

}  // namespace mehler
