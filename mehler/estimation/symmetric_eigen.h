#pragma once

#include <cstddef>
#include <vector>

namespace mehler {

/// The eigenvalues of a symmetric matrix, largest first, and their eigenvectors.
struct EigenPairs {
  std::vector<double> values;
  std::vector<double> vectors;  ///< [value][entry], orthonormal rows

  const double* vector(std::size_t i) const { return &vectors[i * values.size()]; }
};

/// Of a symmetric matrix, [size][size], of which the lower triangle is read. Tridiagonal form by
/// reflections, then implicit QL steps: about 9 size^3 operations, on the calling thread. Errors
/// are a few hundred roundings of the largest eigenvalue. The same bits for the same matrix on one
/// machine. The entries must be finite.
EigenPairs symmetric_eigen(std::vector<double> matrix, std::size_t size);

}  // namespace mehler
