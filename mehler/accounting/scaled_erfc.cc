#include "mehler/accounting/scaled_erfc.h"

#include <cmath>

namespace mehler {
namespace {

constexpr long double kInverseSqrtPi = 0.564189583547756286948079451560772586L;

/// From here on the continued fraction is used: 60 terms are exact to rounding.
constexpr long double kFractionFrom = 6.0L;

/// fraction(x) - x >= 0, where e^(x^2) erfc(x) = 1 / (sqrt(pi) fraction(x)) (Abramowitz and Stegun
/// 7.1.14), for x >= kFractionFrom.
long double fraction_beyond(long double x) {
  long double beyond = 0.0L;
  for (int k = 60; k >= 1; --k) {
    beyond = 0.5L * static_cast<long double>(k) / (x + beyond);
  }
  return beyond;
}

}  // namespace

long double scaled_erfc(long double x) {
  return x < kFractionFrom ? std::exp(x * x) * std::erfc(x)
                           : kInverseSqrtPi / (x + fraction_beyond(x));
}

long double log_erfc(long double x) {
  return x < 25.0L ? std::log(std::erfc(x)) : std::log(scaled_erfc(x)) - x * x;
}

long double falling_of_scaled_erfc(long double x) {
  if (x < kFractionFrom) {
    return kInverseSqrtPi - x * scaled_erfc(x);
  }
  const long double beyond = fraction_beyond(x);
  return kInverseSqrtPi * beyond / (x + beyond);
}

}  // namespace mehler
