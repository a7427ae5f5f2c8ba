#pragma once

#include <cstddef>
#include <vector>

#include "mehler/estimation/symmetric_eigen.h"

namespace mehler {

/// A matrix of doubles, row by row, for small problems.
struct Dense {
  std::size_t rows;
  std::size_t columns;
  std::vector<double> values;

  Dense(std::size_t rows_, std::size_t columns_)
      : rows(rows_), columns(columns_), values(rows_ * columns_, 0.0) {}
  double& at(std::size_t i, std::size_t j) { return values[i * columns + j]; }
  double at(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
};

inline Dense product(const Dense& a, const Dense& b) {
  Dense result(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t k = 0; k < a.columns; ++k) {
      const double factor = a.at(i, k);
      for (std::size_t j = 0; j < b.columns; ++j) {
        result.at(i, j) += factor * b.at(k, j);
      }
    }
  }
  return result;
}

/// sum over eigenpairs of f(value) v v^T.
inline Dense apply(const EigenPairs& pairs, const auto& f) {
  const std::size_t size = pairs.values.size();
  Dense result(size, size);
  for (std::size_t d = 0; d < size; ++d) {
    const double factor = f(pairs.values[d]);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        result.at(i, j) += factor * pairs.vector(d)[i] * pairs.vector(d)[j];
      }
    }
  }
  return result;
}

}  // namespace mehler
