// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/chebyshev_route.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/simd/vector_groups-inl.h"
// clang-format on

#include "mehler/simd/chebyshev_route.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cmath>
#include <numbers>

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using V = FloatVector;

bool in_range_of_target(std::span<const float> values) {
  const FloatTag d;
  const size_t lanes = hn::Lanes(d);
  const V one = hn::Set(d, 1.0F);
  auto inside = hn::FirstN(d, kMaxLanes);
  size_t place = 0;
  for (; place + lanes <= values.size(); place += lanes) {
    inside = hn::And(inside, hn::Le(hn::Abs(hn::LoadU(d, values.data() + place)), one));
  }
  bool rest_inside = true;
  for (; place < values.size(); ++place) {
    rest_inside = rest_inside && std::fabs(values[place]) <= 1.0F;
  }
  return rest_inside && hn::AllTrue(d, inside);
}

/// Adds T_j of groups of values to totals[j * lanes ..].
class MomentsOfGroups {
 public:
  MomentsOfGroups(size_t degree, std::span<const float> presence, float* totals)
      : degree_(degree), presence_(presence), totals_(totals) {}

  template <size_t N>
  HWY_INLINE void run(const float* HWY_RESTRICT x, size_t first, size_t count) const {
    const FloatTag d;
    const size_t lanes = hn::Lanes(d);
    HWY_ALIGN float weights[N * kMaxLanes];
    if (count < N * lanes) {
      std::fill_n(weights, N * kMaxLanes, 0.0F);
    }
    if (presence_.empty()) {
      std::fill_n(weights, count, 1.0F);
    } else {
      std::copy_n(presence_.data() + first, count, weights);
    }
    V current[N];
    V previous[N];
    V twice[N];
    for (size_t i = 0; i < N; ++i) {
      const V value = hn::LoadU(d, x + i * lanes);
      twice[i] = hn::Add(value, value);
      current[i] = hn::Load(d, weights + i * lanes);
      previous[i] = hn::Mul(value, current[i]);  // T_{-1} = T_1
    }
    // Two steps at a time: moving the terms from one array to the other would cost as much as the
    // arithmetic.
    const auto add = [&](size_t j, const V* terms) HWY_ATTR {
      float* HWY_RESTRICT total = totals_ + j * lanes;
      hn::Store(hn::Add(hn::Load(d, total), sum_of<N>(terms)), d, total);
    };
    const auto step = [&](const V* newest, V* older) HWY_ATTR {
      for (size_t i = 0; i < N; ++i) {
        older[i] = hn::MulSub(twice[i], newest[i], older[i]);
      }
    };
    size_t j = 0;
    for (; j + 1 < degree_; j += 2) {
      add(j, current);
      step(current, previous);
      add(j + 1, previous);
      step(previous, current);
    }
    add(j, current);
    if (j < degree_) {
      step(current, previous);
      add(degree_, previous);
    }
  }

 private:
  size_t degree_;
  std::span<const float> presence_;
  float* totals_;
};

/// Sums of T_0 .. T_degree over the values.
void chebyshev_moments(size_t degree, std::span<const float> values,
                       std::span<const float> presence, std::span<double> moments) {
  const size_t lanes = hn::Lanes(FloatTag());
  const size_t rows = hwy::RoundUpTo(degree + 1, 4);
  const auto totals = hwy::AllocateAligned<float>(rows * lanes + rows);
  float* const sums = totals.get() + rows * lanes;
  for (size_t first = 0; first < values.size(); first += kValuesPerChunk) {
    const size_t count = std::min(kValuesPerChunk, values.size() - first);
    std::fill_n(totals.get(), rows * lanes, 0.0F);
    for_each_group(
        values.subspan(first, count),
        MomentsOfGroups(degree, presence.empty() ? presence : presence.subspan(first, count),
                        totals.get()));
    add_up_lanes(totals.get(), rows, sums);
    for (size_t j = 0; j <= degree; ++j) {
      moments[j] += static_cast<double>(sums[j]);
    }
  }
}

/// out[parity + 2 m] = the sum of inputs[i] matrix[i][m] over i = parity + odd, .. in steps of 2
/// (modulo 2).
void multiply_of_target(const ChebyshevRoute::Matrix& matrix, std::span<const float> inputs,
                        bool odd, std::span<float> out) {
  const FloatTag d;
  const size_t lanes = hn::Lanes(d);
  constexpr size_t kBlock = 4;
  HWY_ALIGN float block[kBlock * kMaxLanes];
  for (size_t parity = 0; parity < 2; ++parity) {
    const size_t length = (out.size() + 1 - parity) / 2;
    for (size_t start = 0; start < length; start += kBlock * lanes) {
      const size_t vectors = std::min(kBlock, hwy::DivCeil(length - start, lanes));
      V a = hn::Zero(d);
      V b = hn::Zero(d);
      V c = hn::Zero(d);
      V e = hn::Zero(d);
      for (size_t i = parity ^ (odd ? 1 : 0); i < inputs.size(); i += 2) {
        const float* HWY_RESTRICT row = matrix.values.data() + i * matrix.row_length + start;
        const V input = hn::Set(d, inputs[i]);
        a = hn::MulAdd(input, hn::LoadU(d, row), a);
        if (vectors > 1) {
          b = hn::MulAdd(input, hn::LoadU(d, row + lanes), b);
        }
        if (vectors > 2) {
          c = hn::MulAdd(input, hn::LoadU(d, row + 2 * lanes), c);
        }
        if (vectors > 3) {
          e = hn::MulAdd(input, hn::LoadU(d, row + 3 * lanes), e);
        }
      }
      hn::Store(a, d, block);
      hn::Store(b, d, block + lanes);
      hn::Store(c, d, block + 2 * lanes);
      hn::Store(e, d, block + 3 * lanes);
      for (size_t m = 0; m < std::min(kBlock * lanes, length - start); ++m) {
        out[parity + 2 * (start + m)] = block[m];
      }
    }
  }
}

/// results[i] = sum_j coefficients[j] T_j(x), by Clenshaw's recursion.
class ChebyshevSeriesOfGroups {
 public:
  ChebyshevSeriesOfGroups(std::span<const float> coefficients, float* results)
      : coefficients_(coefficients), results_(results) {}

  template <size_t N>
  HWY_INLINE void run(const float* HWY_RESTRICT x, size_t first, size_t count) const {
    const FloatTag d;
    const size_t lanes = hn::Lanes(d);
    V above[N];
    V two_above[N];
    V twice[N];
    const auto step = [&](size_t j, const V* lower, V* upper) HWY_ATTR {
      const V coefficient = hn::Set(d, coefficients_[j]);
      for (size_t i = 0; i < N; ++i) {
        upper[i] = hn::MulAdd(twice[i], lower[i], hn::Sub(coefficient, upper[i]));
      }
    };
    size_t j = coefficients_.size() - 1;
    const bool odd = j % 2 == 1;
    for (size_t i = 0; i < N; ++i) {
      const V value = hn::LoadU(d, x + i * lanes);
      twice[i] = hn::Add(value, value);
      above[i] = odd ? hn::Set(d, coefficients_[j]) : hn::Zero(d);
      two_above[i] = hn::Zero(d);
    }
    for (j -= odd ? 1 : 0; j > 0; j -= 2) {
      step(j, above, two_above);
      step(j - 1, two_above, above);
    }
    HWY_ALIGN float rest[N * kMaxLanes];
    const bool whole = count == N * lanes;
    float* const results = whole ? results_ + first : rest;
    const V constant = hn::Set(d, coefficients_[0]);
    unroll<N>([&](size_t i) HWY_ATTR {
      const V value = hn::Mul(twice[i], hn::Set(d, 0.5F));
      hn::StoreU(hn::MulAdd(value, above[i], hn::Sub(constant, two_above[i])), d,
                 results + i * lanes);
    });
    if (!whole) {
      std::copy_n(rest, count, results_ + first);
    }
  }

 private:
  std::span<const float> coefficients_;
  float* results_;
};

void chebyshev_series(std::span<const float> coefficients, std::span<const float> values,
                      std::span<float> results) {
  for_each_group(values, ChebyshevSeriesOfGroups(coefficients, results.data()));
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(in_range_of_target);
HWY_EXPORT(chebyshev_moments);
HWY_EXPORT(multiply_of_target);
HWY_EXPORT(chebyshev_series);

constexpr double kRemainder = 1e-7;
constexpr double kSlopeRemainder = 2e-6;

struct Norms {
  double features = 0.0;
  double slopes = 0.0;
};

/// Chebyshev coefficients of phi_0 .. phi_order from as many nodes: [order + 1][nodes]. `largest`
/// receives the largest norms of phi and of its derivative at the nodes.
std::vector<std::vector<double>> coefficients_at_nodes(const HermiteRecursion& recursion,
                                                       std::size_t nodes, Norms& largest) {
  const std::size_t order = recursion.up.size();
  // cos(pi i / (2 nodes)); all angles that occur are multiples of that one.
  std::vector<double> cosines(4 * nodes);
  for (std::size_t i = 0; i < cosines.size(); ++i) {
    cosines[i] =
        std::cos(std::numbers::pi * static_cast<double>(i) / (2.0 * static_cast<double>(nodes)));
  }
  std::vector<std::vector<double>> coefficients(order + 1, std::vector<double>(nodes, 0.0));
  std::vector<double> phi(order + 1);
  // Only nodes above 0: the others double what these give.
  for (std::size_t node = 0; node < nodes / 2; ++node) {
    const double z = recursion.scale * cosines[2 * node + 1];
    phi[0] = recursion.front * std::exp(-recursion.decay * z * z);
    const double steepness = 2.0 * recursion.decay * z;
    Norms squares = {phi[0] * phi[0], steepness * steepness * phi[0] * phi[0]};
    for (std::size_t k = 0; k < order; ++k) {
      phi[k + 1] = recursion.up[k] * z * phi[k] - (k == 0 ? 0.0 : recursion.down[k] * phi[k - 1]);
      // phi_k'(z) = sqrt(2 rho k) phi_{k-1} - 2 decay z phi_k; and k up[k-1] = sqrt(2 rho k).
      const double slope =
          static_cast<double>(k + 1) * recursion.up[k] * phi[k] - steepness * phi[k + 1];
      squares.features += phi[k + 1] * phi[k + 1];
      squares.slopes += slope * slope;
    }
    largest.features = std::max(largest.features, std::sqrt(squares.features));
    largest.slopes = std::max(largest.slopes, recursion.scale * std::sqrt(squares.slopes));
    std::vector<double> row(nodes);
    for (std::size_t j = 0; j < nodes; ++j) {
      row[j] = cosines[j * (2 * node + 1) % (4 * nodes)] * (j == 0 ? 2.0 : 4.0) /
               static_cast<double>(nodes);
    }
    for (std::size_t k = 0; k <= order; ++k) {
      for (std::size_t j = k % 2; j < nodes; j += 2) {
        coefficients[k][j] += phi[k] * row[j];
      }
    }
  }
  return coefficients;
}

/// The smallest degree that leaves a remainder below kRemainder of the features and below
/// kSlopeRemainder of their derivatives.
std::size_t smallest_degree(const std::vector<std::vector<double>>& coefficients,
                            const Norms& largest) {
  std::vector<Norms> remainders(coefficients.size());
  for (std::size_t j = coefficients[0].size(); j-- > 0;) {
    const auto steepest = static_cast<double>(j) * static_cast<double>(j);  // of T_j, at 1
    Norms squares;
    for (std::size_t k = 0; k < remainders.size(); ++k) {
      const double size = std::fabs(coefficients[k][j]);
      remainders[k].features += size;
      remainders[k].slopes += steepest * size;
      squares.features += remainders[k].features * remainders[k].features;
      squares.slopes += remainders[k].slopes * remainders[k].slopes;
    }
    if (!(std::sqrt(squares.features) < kRemainder * largest.features &&
          std::sqrt(squares.slopes) < kSlopeRemainder * largest.slopes)) {
      return j;
    }
  }
  return 0;
}

/// Rows of every second entry(row, column): column = (row + odd) mod 2, and so on.
template <class Entry>
ChebyshevRoute::Matrix every_second(std::size_t rows, std::size_t columns, std::size_t odd,
                                    const Entry& entry) {
  ChebyshevRoute::Matrix matrix;
  matrix.row_length = hwy::RoundUpTo((columns + 1) / 2, 16);
  matrix.values.assign(rows * matrix.row_length, 0.0F);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = (row + odd) % 2; column < columns; column += 2) {
      matrix.values[row * matrix.row_length + column / 2] = static_cast<float>(entry(row, column));
    }
  }
  return matrix;
}

}  // namespace

std::optional<ChebyshevRoute> ChebyshevRoute::find(const HermiteRecursion& recursion) {
  ChebyshevRoute route;
  route.order = recursion.up.size();
  if (route.order > kMaxOrder) {
    return std::nullopt;
  }
  // Coefficients that this many nodes do not resolve fold back onto the last ones, where they show.
  const std::size_t nodes = 2 * route.order + 64;
  Norms largest;
  const auto coefficients = coefficients_at_nodes(recursion, nodes, largest);
  route.degree = std::max<std::size_t>(smallest_degree(coefficients, largest), 1);
  if (route.degree + 8 > nodes) {
    return std::nullopt;
  }
  std::vector<std::vector<double>> slopes;
  for (const std::vector<double>& row : coefficients) {
    // The series of the derivative: s_{j-1} = s_{j+1} + 2 j a_j, and s_0 by half.
    std::vector<double> slope(route.degree + 2, 0.0);
    for (std::size_t j = route.degree; j > 0; --j) {
      slope[j - 1] = slope[j + 1] + 2.0 * static_cast<double>(j) * row[j];
    }
    slope[0] *= 0.5;
    slopes.push_back(std::move(slope));
  }
  const std::size_t features = route.order + 1;
  const std::size_t terms = route.degree + 1;
  route.features_of_moments =
      every_second(terms, features, 0, [&](auto j, auto k) { return coefficients[k][j]; });
  route.coefficients_of_weights =
      every_second(features, terms, 0, [&](auto k, auto j) { return coefficients[k][j]; });
  route.slopes_of_weights =
      every_second(features, route.degree, 1, [&](auto k, auto j) { return slopes[k][j]; });
  return route;
}

bool all_in_chebyshev_range(std::span<const float> values) {
  return HWY_DYNAMIC_DISPATCH(in_range_of_target)(values);
}

void add_sums_by_chebyshev(const ChebyshevRoute& route, std::span<const float> values,
                           std::span<const float> presence, std::span<float> sums) {
  std::vector<double> moments(route.degree + 1, 0.0);
  HWY_DYNAMIC_DISPATCH(chebyshev_moments)(route.degree, values, presence, moments);
  const std::vector<float> rounded(moments.begin(), moments.end());
  std::vector<float> added(route.order + 1);
  HWY_DYNAMIC_DISPATCH(multiply_of_target)(route.features_of_moments, rounded, false, added);
  for (std::size_t k = 0; k < added.size(); ++k) {
    sums[k] += added[k];
  }
}

void evaluate_by_chebyshev(const ChebyshevRoute& route, std::span<const float> weights,
                           std::span<const float> values, std::span<float> series,
                           std::span<float> gradient) {
  std::vector<float> coefficients(route.degree + 1);
  if (!series.empty()) {
    HWY_DYNAMIC_DISPATCH(multiply_of_target)
    (route.coefficients_of_weights, weights, false, coefficients);
    HWY_DYNAMIC_DISPATCH(chebyshev_series)(coefficients, values, series);
  }
  coefficients.resize(route.degree);
  HWY_DYNAMIC_DISPATCH(multiply_of_target)(route.slopes_of_weights, weights, true, coefficients);
  HWY_DYNAMIC_DISPATCH(chebyshev_series)(coefficients, values, gradient);
}

}  // namespace mehler
#endif  // HWY_ONCE
