#include "mehler/accounting/selection_privacy.h"

#include <cmath>
#include <numbers>

namespace mehler {
namespace {

/// More than what the few operations below are wrong by.
constexpr long double kRoundedUpALittle = 1.0L + 1e-15L;

/// x with erf(x) = value < 1, from below: erf is concave there, so that each step of Newton's stays
/// below.
long double inverse_erf(long double value) {
  long double x = 0.0L;
  for (int i = 0; i < 40; ++i) {
    const long double slope = 2.0L * std::numbers::inv_sqrtpi_v<long double> * std::exp(-x * x);
    const long double step = (value - std::erf(x)) / slope;
    if (!(std::fabs(step) > 1e-19L * x)) {
      break;
    }
    x += step;
  }
  return x;
}

/// x with log erfc(x) = value: a concave function, whose tangents meet the value above x.
long double inverse_log_erfc(long double value) {
  long double x = std::sqrt(-value);
  for (int i = 0; i < 60; ++i) {
    const long double tail = std::erfc(x);
    const long double slope =
        -2.0L * std::numbers::inv_sqrtpi_v<long double> * std::exp(-x * x) / tail;
    const long double step = (value - std::log(tail)) / slope;
    if (!(std::fabs(step) > 1e-19L * x)) {
      break;
    }
    x += step;
  }
  return x;
}

}  // namespace

double mu_of_selection(double epsilon) {
  // Phi(mu / 2) = (1 + erf(x)) / 2 with x = mu / (2 sqrt 2), and 2 / (1 + exp(-e/2)) - 1 = tanh(e /
  // 4): without cancellation below 1, as a tail above.
  const auto e = static_cast<long double>(epsilon);
  const long double x = e < 2.0L ? inverse_erf(std::tanh(e / 4.0L))
                                 : inverse_log_erfc(std::numbers::ln2_v<long double> - e / 2.0L -
                                                    std::log1p(std::exp(-e / 2.0L)));
  const long double mu = 2.0L * std::numbers::sqrt2_v<long double> * x * kRoundedUpALittle;
  return std::nextafter(static_cast<double>(mu), 1e300);
}

double epsilon_of_selection(double mu) {
  const long double x = static_cast<long double>(mu) / (2.0L * std::numbers::sqrt2_v<long double>);
  if (x < 0.5L) {
    return static_cast<double>(4.0L * std::atanh(std::erf(x)));
  }
  return static_cast<double>(2.0L * (std::log(std::erfc(-x)) - std::log(std::erfc(x))));
}

}  // namespace mehler
