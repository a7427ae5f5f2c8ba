#pragma once

#include <cstddef>
#include <vector>

#include "mehler/estimation/tridiagonal.h"

namespace mehler {

/// The eigenvectors of the first `count` of a tridiagonal matrix's eigenvalues, which are all
/// given, largest first: [count][size], orthonormal, in its own coordinates. Those of eigenvalues
/// close to one another are made orthogonal as they are found. Returns false if one does not come
/// out to 1e-10 of the largest eigenvalue, and `vectors` is then of no use.
bool find_eigenvectors(const Tridiagonal& matrix, const std::vector<double>& values,
                       std::size_t count, std::vector<double>& vectors);

}  // namespace mehler
