#include "mehler/estimation/inverse_iteration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/core/seeded_random.h"
#include "mehler/simd/double_rows.h"

namespace mehler {
namespace {

constexpr double kClose = 1e-5;      ///< eigenvalues, over the largest absolute one
constexpr double kResidual = 1e-10;  ///< that is small enough, over the same
constexpr int kMostIterations = 6;   // two are usual
constexpr std::uint64_t kSeed = 1;

/// A tridiagonal matrix less a multiple of the identity, as a product of triangular ones, rows
/// exchanged where that is better.
class ShiftedFactors {
 public:
  ShiftedFactors(const Tridiagonal& matrix, double shift, double smallest)
      : size_(matrix.size()),
        below_(matrix.beside()),
        diagonal_(matrix.diagonal()),
        above_(matrix.beside()),
        second_(size_, 0.0),
        exchanged_(size_, false) {
    for (double& entry : diagonal_) {
      entry -= shift;
    }
    for (std::size_t i = 0; i + 1 < size_; ++i) {
      eliminate(i);
    }
    // The matrix is nearly singular: a pivot that is nearly 0 makes the result long, as it should.
    for (double& pivot : diagonal_) {
      if (std::fabs(pivot) < smallest) {
        pivot = std::copysign(smallest, pivot);
      }
    }
  }

  void solve(double* x) const {
    for (std::size_t i = 0; i + 1 < size_; ++i) {
      if (exchanged_[i]) {
        std::swap(x[i], x[i + 1]);
      }
      x[i + 1] -= below_[i] * x[i];
    }
    for (std::size_t i = size_; i-- > 0;) {
      if (i + 1 < size_) {
        x[i] -= above_[i] * x[i + 1];
      }
      if (i + 2 < size_) {
        x[i] -= second_[i] * x[i + 2];
      }
      x[i] /= diagonal_[i];
    }
  }

 private:
  void eliminate(std::size_t i) {
    if (std::fabs(diagonal_[i]) >= std::fabs(below_[i])) {
      below_[i] = diagonal_[i] != 0.0 ? below_[i] / diagonal_[i] : 0.0;
      diagonal_[i + 1] -= below_[i] * above_[i];
      return;
    }
    exchanged_[i] = true;
    const double factor = diagonal_[i] / below_[i];
    diagonal_[i] = below_[i];
    below_[i] = factor;
    const double old = above_[i];
    above_[i] = diagonal_[i + 1];
    diagonal_[i + 1] = old - factor * above_[i];
    if (i + 2 < size_) {
      second_[i] = above_[i + 1];
      above_[i + 1] *= -factor;
    }
  }

  std::size_t size_;
  std::vector<double> below_;
  std::vector<double> diagonal_;
  std::vector<double> above_;
  std::vector<double> second_;  ///< two right of the diagonal
  std::vector<bool> exchanged_;
};

bool scale_to_one(double* x, std::size_t size) {
  const double length = std::sqrt(dot_product(x, x, size));
  if (!(length > 0.0) || !std::isfinite(length)) {
    return false;
  }
  for (std::size_t i = 0; i < size; ++i) {
    x[i] /= length;
  }
  return true;
}

/// |(matrix - value) x|.
double residual(const Tridiagonal& matrix, double value, const double* x) {
  const std::size_t size = matrix.size();
  double squares = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    double entry = (matrix.diagonal()[i] - value) * x[i];
    if (i > 0) {
      entry += matrix.beside()[i - 1] * x[i - 1];
    }
    if (i + 1 < size) {
      entry += matrix.beside()[i] * x[i + 1];
    }
    squares += entry * entry;
  }
  return std::sqrt(squares);
}

}  // namespace

bool find_eigenvectors(const Tridiagonal& matrix, const std::vector<double>& values,
                       std::size_t count, std::vector<double>& vectors) {
  const std::size_t size = matrix.size();
  const double largest = std::max(std::fabs(values.front()), std::fabs(values.back()));
  const double smallest = std::numeric_limits<double>::epsilon() * std::max(largest, 1e-300);
  SeededRandom random(kSeed);
  vectors.resize(count * size);
  std::size_t first_close = 0;
  for (std::size_t v = 0; v < count; ++v) {
    if (v > 0 && values[v - 1] - values[v] > kClose * largest) {
      first_close = v;
    }
    const ShiftedFactors factors(matrix, values[v], smallest);
    double* x = &vectors[v * size];
    bool found = false;
    for (int iteration = 0; !found && iteration < kMostIterations; ++iteration) {
      if (iteration % 3 == 0) {  // from somewhere else
        std::generate_n(x, size, [&] { return random.uniform() - 0.5; });
      }
      factors.solve(x);
      if (!scale_to_one(x, size)) {
        return false;
      }
      // Twice: what is left after the first time may be a small difference.
      for (int time = 0; time < 2; ++time) {
        for (std::size_t w = first_close; w < v; ++w) {
          add_multiple(-dot_product(&vectors[w * size], x, size), &vectors[w * size], x, size);
        }
        if (!scale_to_one(x, size)) {
          return false;
        }
      }
      found = iteration % 3 > 0 && residual(matrix, values[v], x) <= kResidual * largest;
    }
    if (!found) {
      return false;
    }
  }
  return true;
}

}  // namespace mehler
