#include "mehler/estimation/tridiagonal.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/simd/double_rows.h"

namespace mehler {
namespace {

constexpr std::size_t kPanelColumns = 32;
/// Vectors that are turned together: they stay in a core's cache while the reflections go by.
constexpr std::size_t kTurnedTogether = 16;

/// product += A x for the symmetric matrix whose lower triangle is [count][stride].
void add_symmetric_product(const double* lower, std::size_t stride, const double* x,
                           std::size_t count, double* product) {
  for (std::size_t i = 0; i < count; ++i) {
    const double* row = lower + i * stride;
    product[i] += dot_product(row, x, i) + row[i] * x[i];
    add_multiple(x[i], row, product, i);
  }
}

}  // namespace

Tridiagonal::Tridiagonal(std::vector<double> matrix, std::size_t size)
    : size_(size),
      matrix_(std::move(matrix)),
      diagonal_(size),
      beside_(size, 0.0),
      reflections_(size),
      factors_(size, 0.0) {
  MEHLER_ASSERT(size > 0 && matrix_.size() == size * size);
  for (std::size_t first = 0; first + 1 < size; first += kPanelColumns) {
    reduce_panel(first, std::min(first + kPanelColumns, size - 1));
  }
  diagonal_.back() = matrix_.back();
  matrix_.clear();
  matrix_.shrink_to_fit();
}

// After the reflections k of a panel the matrix is A - sum_k (v_k p_k^T + p_k v_k^T), of which only
// the column that is reflected next is computed; the rest when the panel is done.
void Tridiagonal::reduce_panel(std::size_t first, std::size_t last) {
  std::vector<std::vector<double>> others;  // the p_k, as long as the v_k
  std::vector<double> column(size_);
  // Entry i of a vector of reflection k.
  const auto at = [](const std::vector<double>& vector, std::size_t k, std::size_t i) {
    return &vector[i - k - 1];
  };
  for (std::size_t k = first; k < last; ++k) {
    for (std::size_t i = k; i < size_; ++i) {
      column[i] = row(i)[k];
    }
    for (std::size_t j = first; j < k; ++j) {
      const double* v = at(reflections_[j], j, k);
      const double* p = at(others[j - first], j, k);
      add_multiple(-p[0], v, &column[k], size_ - k);
      add_multiple(-v[0], p, &column[k], size_ - k);
    }
    diagonal_[k] = column[k];
    const std::size_t left = size_ - k - 1;
    std::vector<double> v(column.begin() + static_cast<std::ptrdiff_t>(k + 1), column.end());
    const double length = std::sqrt(dot_product(v.data(), v.data(), left));
    const double to = v[0] > 0.0 ? -length : length;
    beside_[k] = to;
    v[0] -= to;
    const double square = dot_product(v.data(), v.data(), left);
    std::vector<double> p(left, 0.0);
    if (square > 0.0) {
      factors_[k] = 2.0 / square;
      add_symmetric_product(row(k + 1) + k + 1, size_, v.data(), left, p.data());
      for (std::size_t j = first; j < k; ++j) {
        const double* v_j = at(reflections_[j], j, k + 1);
        const double* p_j = at(others[j - first], j, k + 1);
        const double along_p = dot_product(p_j, v.data(), left);
        add_multiple(-dot_product(v_j, v.data(), left), p_j, p.data(), left);
        add_multiple(-along_p, v_j, p.data(), left);
      }
      for (double& entry : p) {
        entry *= factors_[k];
      }
      add_multiple(-0.5 * factors_[k] * dot_product(p.data(), v.data(), left), v.data(), p.data(),
                   left);
    } else {
      std::fill(v.begin(), v.end(), 0.0);
    }
    reflections_[k] = std::move(v);
    others.push_back(std::move(p));
  }
  for (std::size_t i = last; i < size_; ++i) {
    for (std::size_t k = first; k < last; ++k) {
      const double* v = at(reflections_[k], k, last);
      const double* p = at(others[k - first], k, last);
      double* of_row = row(i) + last;
      const std::size_t place = i - last;
      for (std::size_t j = 0; j <= place; ++j) {
        of_row[j] -= v[place] * p[j] + p[place] * v[j];
      }
    }
  }
}

void Tridiagonal::turn_back(double* vectors, std::size_t count) const {
  for (std::size_t first = 0; first < count; first += kTurnedTogether) {
    const std::size_t last = std::min(first + kTurnedTogether, count);
    for (std::size_t k = size_; k-- > 0;) {
      if (factors_[k] > 0.0) {
        const std::vector<double>& v = reflections_[k];
        for (std::size_t i = first; i < last; ++i) {
          double* entries = vectors + i * size_ + k + 1;
          add_multiple(-factors_[k] * dot_product(entries, v.data(), v.size()), v.data(), entries,
                       v.size());
        }
      }
    }
  }
}

}  // namespace mehler
