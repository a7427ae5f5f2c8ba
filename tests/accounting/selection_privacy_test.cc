#include "mehler/accounting/selection_privacy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/accounting/gaussian_privacy.h"

namespace mehler {
namespace selection_privacy_test {

// 2 Phi^-1(1 / (1 + exp(-epsilon / 2))) by Wichura's algorithm AS 241.
TEST(SelectionPrivacy, HasTheKnownMus) {
  struct Known {
    double epsilon, mu;
  };
  constexpr Known kKnown[] = {{.01, .00626656788487810},
                              {.1, .0626629055410031},
                              {1, .623892592098508},
                              {2, 1.23203538534490},
                              {4, 2.35796148564725}};
  for (const auto& [epsilon, mu] : kKnown) {
    EXPECT_NEAR(mu_of_selection(epsilon) / mu, 1.0, 1e-13) << epsilon;
  }
}

TEST(SelectionPrivacy, InvertsItselfAndIsNeverBelow) {
  for (const double epsilon : {1e-9, 1e-3, 0.7, 1.999, 2.0, 2.001, 30.0, 1000.0}) {
    const double mu = mu_of_selection(epsilon);
    EXPECT_NEAR(epsilon_of_selection(mu) / epsilon, 1.0, 1e-13) << epsilon;
    EXPECT_GE(epsilon_of_selection(mu), epsilon * (1.0 - 1e-15)) << epsilon;
  }
}

// The trade-off of a loss in [t - e, t]: delta(x) = p (e^t - e^x)_+ / e^t + q (e^(t - e) - e^x)_+ /
// e^(t - e), where p and q are the probabilities of the two losses. The Gaussian is above it.
TEST(SelectionPrivacy, CoversEveryBoundedRange) {
  for (const double e : {0.05, 0.5, 2.0, 6.0}) {
    const double mu = mu_of_selection(e);
    for (double t = 0.02 * e; t < e; t += 0.02 * e) {
      // P(loss t) = p under P; under Q it is p exp(-t): both add up to 1.
      const double p = (std::exp(e - t) - 1.0) / (std::exp(e - t) - std::exp(-t));
      for (double x = 0.0; x <= e; x += 0.05 * e) {
        const double delta = p * std::max(0.0, 1.0 - std::exp(x - t)) +
                             (1.0 - p) * std::max(0.0, 1.0 - std::exp(x - (t - e)));
        EXPECT_GE(delta_of_gaussian(mu, x), delta - 1e-12) << e << " " << t << " " << x;
      }
    }
  }
}

}  // namespace selection_privacy_test
}  // namespace mehler
