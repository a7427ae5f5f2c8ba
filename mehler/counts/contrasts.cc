#include "mehler/counts/contrasts.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"

namespace mehler {
namespace {

/// Calls work(start, step) for every line of cells along `axis`: cells start, start + step, ...
void for_lines(std::span<const std::size_t> shape, std::size_t axis, const auto& work) {
  std::size_t outer = 1;
  std::size_t inner = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    (i < axis ? outer : inner) *= i == axis ? 1 : shape[i];
  }
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < inner; ++i) {
      work(o * shape[axis] * inner + i, inner);
    }
  }
}

/// Sums over a table's cells of products of numbers f_k(code), one for each column and k = 1 .. d -
/// 1, where f_k is 1 below k, at_k(k) at k and 0 above. They take the place of the first cells.
template <typename Number>
void sum_along_columns(std::span<Number> cells, std::span<const std::size_t> shape,
                       const auto& at_k) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    for_lines(shape, axis, [&](std::size_t start, std::size_t step) {
      Number before = cells[start];
      for (std::size_t k = 1; k < shape[axis]; ++k) {
        Number& cell = cells[start + k * step];
        const Number sum = before + at_k(k) * cell;
        before += cell;
        cell = sum;
      }
    });
  }
  // The sums stand where all codes are at least 1.
  std::size_t sums = 0;
  std::vector<std::size_t> code(shape.size(), 0);
  for (const Number value : cells) {
    if (std::find(code.begin(), code.end(), 0) == code.end()) {
      cells[sums++] = value;
    }
    for (std::size_t i = shape.size(); i-- > 0;) {
      if (++code[i] < shape[i]) {
        break;
      }
      code[i] = 0;
    }
  }
}

}  // namespace

double contrast_scale(std::size_t k) {
  const auto number = static_cast<double>(k);
  return std::sqrt(number * (number + 1.0)) * (1.0 + 1e-15);
}

std::size_t contrast_count(std::span<const std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t size : shape) {
    MEHLER_ASSERT(size >= 1);
    count = multiply_saturating(count, size - 1);
  }
  return count;
}

std::vector<double> contrast_scales(std::span<const std::size_t> shape) {
  std::vector<double> scales = {1.0};
  for (const std::size_t size : shape) {
    std::vector<double> longer;
    longer.reserve(scales.size() * (size - 1));
    for (const double scale : scales) {
      for (std::size_t k = 1; k < size; ++k) {
        longer.push_back(scale * contrast_scale(k));
      }
    }
    scales = std::move(longer);
  }
  return scales;
}

std::vector<std::int64_t> contrasts_of_counts(std::vector<std::int64_t> counts,
                                              std::span<const std::size_t> shape) {
  turn_into_contrasts(counts, shape);
  counts.resize(contrast_count(shape));
  return counts;
}

void turn_into_contrasts(std::span<std::int64_t> counts, std::span<const std::size_t> shape) {
  sum_along_columns(counts, shape, [](std::size_t k) { return -static_cast<std::int64_t>(k); });
}

std::vector<double> squared_contrasts_of_counts(std::span<const std::int64_t> counts,
                                                std::span<const std::size_t> shape) {
  std::vector<double> sums(counts.begin(), counts.end());
  sum_along_columns<double>(sums, shape, [](std::size_t k) { return static_cast<double>(k * k); });
  sums.resize(contrast_count(shape));
  return sums;
}

std::vector<double> cells_of_contrasts(std::span<const double> contrasts,
                                       std::span<const std::size_t> shape) {
  MEHLER_ASSERT(contrasts.size() == contrast_count(shape));
  std::vector<double> table(contrasts.begin(), contrasts.end());
  std::vector<std::size_t> partial(shape.begin(), shape.end());
  for (std::size_t& size : partial) {
    --size;
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::vector<std::size_t> longer = partial;
    longer[axis] = shape[axis];
    std::size_t cells = 1;
    for (const std::size_t size : longer) {
      cells *= size;
    }
    std::vector<double> next(cells, 0.0);
    std::vector<std::size_t> from;
    for_lines(partial, axis, [&](std::size_t start, std::size_t) { from.push_back(start); });
    std::size_t line = 0;
    for_lines(longer, axis, [&](std::size_t start, std::size_t step) {
      // cell_j = sum_{k > j} s_k / (k (k + 1)) - s_j / (j + 1)
      double after = 0.0;
      for (std::size_t j = shape[axis]; j-- > 0;) {
        const auto number = static_cast<double>(j);
        const double own = j == 0 ? 0.0 : table[from[line] + (j - 1) * step];
        next[start + j * step] = after - own / (number + 1.0);
        after += j == 0 ? 0.0 : own / (number * (number + 1.0));
      }
      ++line;
    });
    table = std::move(next);
    partial = std::move(longer);
  }
  return table;
}

double squared_contrast_norm(std::span<const std::size_t> shape) {
  double product = 1.0;
  for (const std::size_t size : shape) {
    product *= 1.0 - 1.0 / static_cast<double>(size);
  }
  return product;
}

double squared_contrast_difference(std::span<const std::size_t> shape) {
  const double norm = squared_contrast_norm(shape);
  MEHLER_ASSERT(shape.size() < 16);
  double least = norm;  // the same record: no distance
  for (std::uint32_t differing = 1; differing < 1U << shape.size(); ++differing) {
    double product = 1.0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const double reciprocal = 1.0 / static_cast<double>(shape[i]);
      product *= (differing >> i & 1U) != 0 ? -reciprocal : 1.0 - reciprocal;
    }
    least = std::min(least, product);
  }
  return 2.0 * (norm - least);
}

}  // namespace mehler
