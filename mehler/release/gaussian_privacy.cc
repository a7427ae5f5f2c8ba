#include "mehler/release/gaussian_privacy.h"

#include <fmt/format.h>

#include <cmath>

#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr long double kSqrtHalf = 0.707106781186547524400844362104849039L;
constexpr long double kInverseSqrtPi = 0.564189583547756286948079451560772586L;

/// e^(x^2) erfc(x) for x >= 0.
long double scaled_erfc(long double x) {
  if (x < 20.0L) {
    return std::exp(x * x) * std::erfc(x);
  }
  // Continued fraction (Abramowitz and Stegun 7.1.14); 60 terms are exact to rounding for x >= 20.
  long double fraction = x;
  for (int k = 60; k >= 1; --k) {
    fraction = x + 0.5L * static_cast<long double>(k) / fraction;
  }
  return kInverseSqrtPi / fraction;
}

/// The largest argument in [low, high], both positive, for which `holds`, which holds below some
/// point and not above. Bisection of the logarithm.
template <typename Holds>
double largest_that(double low, double high, const Holds& holds) {
  long double log_low = std::log(static_cast<long double>(low));
  long double log_high = std::log(static_cast<long double>(high));
  for (int step = 0; step < 200; ++step) {
    const long double middle = 0.5L * (log_low + log_high);
    (holds(static_cast<double>(std::exp(middle))) ? log_low : log_high) = middle;
  }
  return static_cast<double>(std::exp(log_low));
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
  const auto e = static_cast<long double>(epsilon);
  const long double a = (e / m - m / 2.0L) * kSqrtHalf;
  const long double b = (e / m + m / 2.0L) * kSqrtHalf;
  // b^2 - a^2 = epsilon, so that e^epsilon Phi(-b) is e^(-a^2) scaled_erfc(b) / 2: both terms share
  // a factor.
  if (a < 0.0L) {
    return static_cast<double>(0.5L * (std::erfc(a) - std::exp(-a * a) * scaled_erfc(b)));
  }
  long double difference = 0.0L;
  if (mu < 1e-6) {
    // Midpoint rule on the derivative, 2/sqrt(pi) - 2 x scaled_erfc(x); its error is a relative
    // mu^2.
    const long double x = 0.5L * (a + b);
    difference = (b - a) * 2.0L * (kInverseSqrtPi - x * scaled_erfc(x));
  } else {
    difference = scaled_erfc(a) - scaled_erfc(b);
  }
  return static_cast<double>(0.5L * std::exp(-a * a) * difference);
}

double epsilon_of_gaussian(double mu, double delta) {
  MEHLER_ASSERT(mu > 0.0 && delta > 0.0 && delta < 1.0);
  if (delta_of_gaussian(mu, 0.0) <= delta) {
    return 0.0;
  }
  // delta falls as epsilon grows.
  return largest_that(1e-300, mu * mu + 100.0 * mu + 1e-6,
                      [&](double epsilon) { return delta_of_gaussian(mu, epsilon) > delta; });
}

double calibrate_mu(const PrivacyBudget& budget) {
  budget.validate();
  // delta grows with mu. An upper end: mu^2/2 = epsilon gives delta about 1/2, and delta -> 1 needs
  // a little more.
  const double high = 100.0 + 4.0 * std::sqrt(budget.epsilon);
  const double mu = largest_that(1e-300, high, [&](double candidate) {
    return delta_of_gaussian(candidate, budget.epsilon) <= budget.delta;
  });
  return mu * (1.0 - 1e-12);
}

}  // namespace mehler
