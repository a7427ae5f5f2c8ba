#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/simd/recursion_route.h"

namespace mehler {
namespace {

/// Coefficients of 2^r on [-1/2, 1/2], interpolated at Chebyshev nodes; relative error 3e-9.
constexpr std::array<double, 7> kPowerOfTwo = {
    1.0000000000000009,   0.6931472067028335,  0.24022650922288294,   0.05550327226668675,
    0.009618056678553505, 0.00134004281782533, 0.00015461444693294768};

constexpr double kLog2OfE = 1.4426950408889634;
constexpr double kNearExponent = 110.0;
constexpr double kLargestScale = 1024.0;

}  // namespace

RecursionRoute::RecursionRoute(const HermiteRecursion& recursion) : order(recursion.up.size()) {
  const double rho = recursion.decay / (1.0 - recursion.decay);
  for (std::size_t k = 0; k <= order + 1; ++k) {
    slopes.push_back(std::sqrt(2.0 * rho * static_cast<double>(k)) * recursion.scale / (1.0 + rho));
  }
  const double natural = recursion.decay * recursion.scale * recursion.scale;
  const double exponent = natural * kLog2OfE;
  exponent_high = static_cast<float>(exponent);
  exponent_low = static_cast<float>(exponent - static_cast<double>(exponent_high));
  for (std::size_t i = 0; i < kPowerOfTwo.size(); ++i) {
    power_of_two[i] = static_cast<float>(recursion.front * kPowerOfTwo[i]);
  }
  near_square = static_cast<float>(kNearExponent / exponent);
  // phi_k^2 as a distribution over k has a mean of at least decay z^2, which is here above twice
  // the highest order.
  far = static_cast<float>(std::sqrt((2.0 * static_cast<double>(order + 1) + 100.0) / natural));

  // One order more than the features have: the derivative of a series needs it.
  const auto steps = order + 1;
  const auto up = [&](std::size_t k) {
    return recursion.scale * std::sqrt(2.0 * rho / static_cast<double>(k + 1));
  };
  scales.assign(1, 1.0);
  while (scales.size() <= steps) {
    // Of the powers of two around the first step's own factor, the one with the longest segment.
    // Of an even length, unless it is the last one: kernels take two steps at a time.
    const std::size_t begin = scales.size() - 1;
    std::vector<double> longest;
    double factor = 0.0;
    const int nearest = std::ilogb(up(begin));
    for (int power = nearest - 2; power <= nearest + 2; ++power) {
      std::vector<double> tried;
      double scale = scales.back();
      for (std::size_t k = begin; k < steps; ++k) {
        scale *= up(k) / std::ldexp(1.0, power);
        if (scale > kLargestScale || scale < 1.0 / kLargestScale) {
          break;
        }
        tried.push_back(scale);
      }
      if (tried.size() > longest.size()) {
        longest = std::move(tried);
        factor = std::ldexp(1.0, power);
      }
    }
    if (begin + longest.size() < steps && longest.size() % 2 == 1) {
      longest.pop_back();
    }
    MEHLER_ASSERT(!longest.empty());
    scales.insert(scales.end(), longest.begin(), longest.end());
    const double before = segments.empty() ? 1.0 : static_cast<double>(last_factor);
    last_factor = static_cast<float>(factor);
    segments.push_back({scales.size() - 1, static_cast<float>(factor / before)});
  }
  down.push_back(0.0F);
  for (std::size_t k = 1; k < steps; ++k) {
    const double down_k = rho * std::sqrt(static_cast<double>(k) / static_cast<double>(k + 1));
    down.push_back(static_cast<float>(down_k * scales[k - 1] / scales[k + 1]));
  }
  down.push_back(0.0F);  // read, but multiplied by 0, at the beginning of a backward recursion
}

}  // namespace mehler
