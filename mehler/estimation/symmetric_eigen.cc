#include "mehler/estimation/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/core/euclidean_length.h"

namespace mehler {
namespace {

/// In several sums, which do not wait for one another.
double dot(const double* a, const double* b, std::size_t count) {
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (std::size_t s = 0; s < kSums; ++s) {
      sums[s] += a[i + s] * b[i + s];
    }
  }
  double sum = 0.0;
  for (; i < count; ++i) {
    sum += a[i] * b[i];
  }
  for (const double part : sums) {
    sum += part;
  }
  return sum;
}

/// to += factor * from.
void add_multiple(double factor, const double* from, double* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    to[i] += factor * from[i];
  }
}

/// A symmetric matrix with entries on the diagonal and beside it alone, and the orthogonal matrix
/// that turns the given one into it; its rows are turned into eigenvectors later.
struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> beside;  ///< beside[i] couples i and i + 1; the last one is 0
  std::vector<double> turned;  ///< [size][size]
};

/// Reflections I - factor v v^T, one a column, which leave nothing below the entry under the
/// diagonal.
Tridiagonal reduce(std::vector<double>& a, std::size_t size) {
  Tridiagonal result{std::vector<double>(size), std::vector<double>(size),
                     std::vector<double>(size * size)};
  std::vector<std::vector<double>> reflected(size);
  std::vector<double> factors(size, 0.0);
  for (std::size_t k = 0; k + 1 < size; ++k) {
    const std::size_t left = size - k - 1;
    std::vector<double> v(left);
    for (std::size_t i = 0; i < left; ++i) {
      v[i] = a[(k + 1 + i) * size + k];
    }
    const double length = std::sqrt(dot(v.data(), v.data(), left));
    const double to = v[0] > 0.0 ? -length : length;
    result.beside[k] = to;
    v[0] -= to;
    const double square = dot(v.data(), v.data(), left);
    if (square > 0.0) {
      const double factor = 2.0 / square;
      std::vector<double> p(left);
      for (std::size_t i = 0; i < left; ++i) {
        p[i] = factor * dot(&a[(k + 1 + i) * size + k + 1], v.data(), left);
      }
      add_multiple(-0.5 * factor * dot(p.data(), v.data(), left), v.data(), p.data(), left);
      for (std::size_t i = 0; i < left; ++i) {
        double* row = &a[(k + 1 + i) * size + k + 1];
        add_multiple(-v[i], p.data(), row, left);
        add_multiple(-p[i], v.data(), row, left);
      }
      factors[k] = factor;
      reflected[k] = std::move(v);
    }
  }
  // The product of all reflections, from the last one on, transposed: its rows will be turned.
  std::vector<double>& q = result.turned;
  for (std::size_t i = 0; i < size; ++i) {
    result.diagonal[i] = a[i * size + i];
    q[i * size + i] = 1.0;
  }
  for (std::size_t k = size; k-- > 0;) {
    if (factors[k] > 0.0) {
      const std::vector<double>& v = reflected[k];
      for (std::size_t i = k + 1; i < size; ++i) {
        double* row = &q[i * size + k + 1];
        add_multiple(-factors[k] * dot(row, v.data(), v.size()), v.data(), row, v.size());
      }
    }
  }
  return result;
}

/// Turns rows i and i + 1 by an angle.
void turn(std::vector<double>& rows, std::size_t size, std::size_t i, double cosine, double sine) {
  double* first = &rows[i * size];
  double* second = first + size;
  for (std::size_t k = 0; k < size; ++k) {
    const double a = first[k];
    const double b = second[k];
    first[k] = cosine * a - sine * b;
    second[k] = sine * a + cosine * b;
  }
}

/// One implicit QL step on the entries from `low` to `high`, which are coupled.
void chase(Tridiagonal& matrix, std::size_t size, std::size_t low, std::size_t high) {
  std::vector<double>& d = matrix.diagonal;
  std::vector<double>& e = matrix.beside;
  // The shift: the eigenvalue of the first two by two entries that is nearer to the first.
  const double slope = (d[low + 1] - d[low]) / (2.0 * e[low]);
  double bulge =
      d[high] - d[low] + e[low] / (slope + std::copysign(euclidean_length(slope, 1.0), slope));
  double sine = 1.0;
  double cosine = 1.0;
  double moved = 0.0;
  for (std::size_t i = high; i-- > low;) {
    const double across = sine * e[i];
    const double along = cosine * e[i];
    const double length = euclidean_length(across, bulge);
    e[i + 1] = length;
    if (length == 0.0) {  // split here
      d[i + 1] -= moved;
      e[high] = 0.0;
      return;
    }
    sine = across / length;
    cosine = bulge / length;
    const double old = d[i + 1] - moved;
    const double change = (d[i] - old) * sine + 2.0 * cosine * along;
    moved = sine * change;
    d[i + 1] = old + moved;
    bulge = cosine * change - along;
    turn(matrix.turned, size, i, cosine, sine);
  }
  d[low] -= moved;
  e[low] = bulge;
  e[high] = 0.0;
}

}  // namespace

EigenPairs symmetric_eigen(std::vector<double> matrix, std::size_t size) {
  MEHLER_ASSERT(size > 0 && matrix.size() == size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i + 1; j < size; ++j) {
      matrix[i * size + j] = matrix[j * size + i];
    }
  }
  Tridiagonal reduced = reduce(matrix, size);
  constexpr double kTiny = std::numeric_limits<double>::epsilon();
  constexpr int kMostSteps = 200;  // two or three are usual
  for (std::size_t low = 0; low < size; ++low) {
    for (int step = 0; step < kMostSteps; ++step) {
      std::size_t high = low;
      while (high + 1 < size &&
             std::fabs(reduced.beside[high]) > kTiny * (std::fabs(reduced.diagonal[high]) +
                                                        std::fabs(reduced.diagonal[high + 1]))) {
        ++high;
      }
      if (high == low) {
        break;
      }
      chase(reduced, size, low, high);
    }
  }
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return reduced.diagonal[a] > reduced.diagonal[b];
  });
  EigenPairs result;
  for (const std::size_t i : order) {
    result.values.push_back(reduced.diagonal[i]);
    result.vectors.insert(result.vectors.end(), &reduced.turned[i * size],
                          &reduced.turned[i * size] + size);
  }
  return result;
}

}  // namespace mehler
