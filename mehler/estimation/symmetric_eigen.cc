#include "mehler/estimation/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "mehler/estimation/inverse_iteration.h"
#include "mehler/estimation/tridiagonal.h"

namespace mehler {
namespace {

constexpr double kTiny = std::numeric_limits<double>::epsilon();

/// The length of (a, b), neither of which is near the limits of a double.
double length_of(double a, double b) { return std::sqrt(a * a + b * b); }

/// One implicit QL step on the entries from `low` to `high`, which are coupled.
void chase(std::vector<double>& d, std::vector<double>& e, std::size_t low, std::size_t high,
           const auto& turn) {
  // The shift: the eigenvalue of the first two by two entries that is nearer to the first.
  const double slope = (d[low + 1] - d[low]) / (2.0 * e[low]);
  double bulge = d[high] - d[low] + e[low] / (slope + std::copysign(length_of(slope, 1.0), slope));
  double sine = 1.0;
  double cosine = 1.0;
  double moved = 0.0;
  for (std::size_t i = high; i-- > low;) {
    const double across = sine * e[i];
    const double along = cosine * e[i];
    const double length = length_of(across, bulge);
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
    turn(i, cosine, sine);
  }
  d[low] -= moved;
  e[low] = bulge;
  e[high] = 0.0;
}

/// The eigenvalues of a tridiagonal matrix, in no order.
std::vector<double> eigenvalues(const Tridiagonal& matrix, const auto& turn) {
  std::vector<double> d = matrix.diagonal();
  std::vector<double> e = matrix.beside();
  constexpr int kMostSteps = 200;  // two or three are usual
  for (std::size_t low = 0; low < d.size(); ++low) {
    for (int step = 0; step < kMostSteps; ++step) {
      std::size_t high = low;
      while (high + 1 < d.size() &&
             std::fabs(e[high]) > kTiny * (std::fabs(d[high]) + std::fabs(d[high + 1]))) {
        ++high;
      }
      if (high == low) {
        break;
      }
      chase(d, e, low, high, turn);
    }
  }
  return d;
}

EigenPairs all_pairs(const Tridiagonal& reduced) {
  const std::size_t size = reduced.size();
  std::vector<double> rows(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    rows[i * size + i] = 1.0;
  }
  const std::vector<double> values =
      eigenvalues(reduced, [&](std::size_t i, double cosine, double sine) {
        double* first = &rows[i * size];
        double* second = first + size;
        for (std::size_t k = 0; k < size; ++k) {
          const double a = first[k];
          const double b = second[k];
          first[k] = cosine * a - sine * b;
          second[k] = sine * a + cosine * b;
        }
      });
  reduced.turn_back(rows.data(), size);
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  EigenPairs result;
  for (const std::size_t i : order) {
    result.values.push_back(values[i]);
    result.vectors.insert(result.vectors.end(), &rows[i * size], &rows[i * size] + size);
  }
  return result;
}

}  // namespace

EigenPairs symmetric_eigen(std::vector<double> matrix, std::size_t size) {
  return all_pairs(Tridiagonal(std::move(matrix), size));
}

EigenPairs leading_eigen(std::vector<double> matrix, std::size_t size, std::size_t count) {
  const Tridiagonal reduced(std::move(matrix), size);
  EigenPairs result;
  result.values = eigenvalues(reduced, [](std::size_t, double, double) {});
  std::sort(result.values.begin(), result.values.end(), std::greater<>());
  if (2 * count > size || !find_eigenvectors(reduced, result.values, count, result.vectors)) {
    result = all_pairs(reduced);
    result.vectors.resize(count * size);
    return result;
  }
  reduced.turn_back(result.vectors.data(), count);
  return result;
}

}  // namespace mehler
