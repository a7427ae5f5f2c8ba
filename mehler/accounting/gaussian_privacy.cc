#include "mehler/accounting/gaussian_privacy.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "mehler/accounting/scaled_erfc.h"
#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr long double kSqrtHalf = 0.707106781186547524400844362104849039L;

/// Of delta_of_gaussian(), relative, and some to spare: a computed delta that is smaller than the
/// stated one by this share is truly not above it.
constexpr double kAccuracy = 1e-14;

/// (scaled_erfc(x - d) - scaled_erfc(x + d)) / (2 d) for small d, where the difference would
/// cancel: the integral of the derivative by Gauss and Legendre's rule of five points, exact to a
/// relative 1e-16 for d < 0.04.
long double slope_of_scaled_erfc(long double x, long double d) {
  constexpr long double kNodes[] = {0.0L, 0.538469310105683091036314420700208805L,
                                    0.906179845938663992797626878299392965L};
  constexpr long double kWeights[] = {0.568888888888888888888888888888888889L,
                                      0.478628670499366468041291514835638193L,
                                      0.236926885056189087514264040719917363L};
  long double sum = kWeights[0] * falling_of_scaled_erfc(x);
  for (int i = 1; i < 3; ++i) {
    sum += kWeights[i] *
           (falling_of_scaled_erfc(x - d * kNodes[i]) + falling_of_scaled_erfc(x + d * kNodes[i]));
  }
  return sum;
}

/// Where on a logarithmic scale `holds` changes, which is true below some point of [low, high],
/// both positive, and not above: the last place where it held and the first where it did not.
template <typename Holds>
std::pair<double, double> turning_point(double low, double high, const Holds& holds) {
  long double log_low = std::log(static_cast<long double>(low));
  long double log_high = std::log(static_cast<long double>(high));
  while (true) {
    const long double middle = 0.5L * (log_low + log_high);
    if (!(log_low < middle && middle < log_high)) {
      return {static_cast<double>(std::exp(log_low)), static_cast<double>(std::exp(log_high))};
    }
    (holds(static_cast<double>(std::exp(middle))) ? log_low : log_high) = middle;
  }
}

}  // namespace

void PrivacyBudget::validate() const {
  if (!(epsilon > 0.0 && epsilon <= kMaxEpsilon)) {  // written so that NaN fails too
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("epsilon must be greater than 0 and at most {}, but is {}; smaller is "
                            "more private, and 0.1 to 10 is usual",
                            kMaxEpsilon, epsilon));
  }
  if (!(delta > 0.0) || !(delta < 1.0)) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("delta must lie strictly between 0 and 1, but is {}; take it well below one "
                    "over the number of records, 1e-5 or 1e-9 say",
                    delta));
  }
}

double delta_of_gaussian(double mu, double epsilon) {
  MEHLER_ASSERT(mu > 0.0 && epsilon >= 0.0);
  const auto m = static_cast<long double>(mu);
  const long double x = static_cast<long double>(epsilon) / m * kSqrtHalf;
  const long double d = 0.5L * m * kSqrtHalf;
  const long double a = x - d;
  const long double b = x + d;
  // b^2 - a^2 = epsilon, so that e^epsilon Phi(-b) is e^(-a^2) scaled_erfc(b) / 2: both terms share
  // a factor.
  if (mu < 0.1) {
    return static_cast<double>(std::exp(-a * a) * d * slope_of_scaled_erfc(x, d));
  }
  if (a < 0.0L) {
    return static_cast<double>(0.5L * (std::erfc(a) - std::exp(-a * a) * scaled_erfc(b)));
  }
  return static_cast<double>(0.5L * std::exp(-a * a) * (scaled_erfc(a) - scaled_erfc(b)));
}

double epsilon_of_gaussian(double mu, double delta) {
  MEHLER_ASSERT(mu > 0.0 && delta > 0.0 && delta < 1.0);
  const auto is_too_small = [&](double epsilon) {
    return delta_of_gaussian(mu, epsilon) > delta * (1.0 - kAccuracy);
  };
  // delta falls as epsilon grows, and is below any double at the upper end.
  return is_too_small(0.0) ? turning_point(1e-300, mu * mu + 100.0 * mu + 1e-6, is_too_small).second
                           : 0.0;
}

double calibrate_mu(const PrivacyBudget& budget) {
  budget.validate();
  // delta grows with mu. An upper end: mu^2/2 = epsilon gives delta about 1/2, and delta -> 1 needs
  // a little more.
  const double high = 100.0 + 4.0 * std::sqrt(budget.epsilon);
  const auto keeps_the_budget = [&](double mu) {
    return delta_of_gaussian(mu, budget.epsilon) <= budget.delta * (1.0 - kAccuracy);
  };
  if (!keeps_the_budget(kMinMu * (1.0 + 1e-11))) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("epsilon {} and delta {} together ask for noise of more than {:g} times what "
                    "one record changes, through which nothing could be seen; choose a larger "
                    "epsilon or delta",
                    budget.epsilon, budget.delta, 1.0 / kMinMu));
  }
  return turning_point(kMinMu, high, keeps_the_budget).first * (1.0 - 1e-12);
}

}  // namespace mehler
