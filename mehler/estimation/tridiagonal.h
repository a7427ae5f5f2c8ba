#pragma once

#include <cstddef>
#include <vector>

namespace mehler {

/// A symmetric matrix turned by reflections until it has entries on the diagonal and beside it
/// alone.
///
/// Reflections are found a panel of columns at a time and applied to what is right of the panel
/// together: the matrix is read once for each and written once a panel.
class Tridiagonal {
 public:
  /// `matrix` is [size][size]; its lower triangle is read, and all of it is overwritten.
  Tridiagonal(std::vector<double> matrix, std::size_t size);

  std::size_t size() const { return size_; }
  const std::vector<double>& diagonal() const { return diagonal_; }
  /// beside()[i] couples i and i + 1; the last one is 0.
  const std::vector<double>& beside() const { return beside_; }

  /// Turns vectors, [count][size], from the tridiagonal matrix's coordinates to the given one's.
  void turn_back(double* vectors, std::size_t count) const;

 private:
  /// Reflects columns [first, last) and what follows from them.
  void reduce_panel(std::size_t first, std::size_t last);
  double* row(std::size_t i) { return &matrix_[i * size_]; }

  std::size_t size_;
  std::vector<double> matrix_;  ///< the lower triangle of what is still to be reduced
  std::vector<double> diagonal_;
  std::vector<double> beside_;
  /// Reflection k is I - factor v v^T, v having entries from k + 1 on, [size - k - 1].
  std::vector<std::vector<double>> reflections_;
  std::vector<double> factors_;
};

}  // namespace mehler
