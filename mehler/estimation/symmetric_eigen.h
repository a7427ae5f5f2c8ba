#pragma once

#include <cstddef>
#include <vector>

namespace mehler {

/// The eigenvalues of a symmetric matrix, largest first, and the eigenvectors of all of them or of
/// the first ones.
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

/// The same with the eigenvectors of the `count` largest eigenvalues alone, by inverse iteration:
/// 4/3 size^3 operations and 2 size^2 for each. Vectors of eigenvalues that are further apart than
/// 1e-5 of the largest absolute one are orthogonal to 1e-10.
EigenPairs leading_eigen(std::vector<double> matrix, std::size_t size, std::size_t count);

}  // namespace mehler
