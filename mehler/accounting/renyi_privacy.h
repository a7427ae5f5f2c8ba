#pragma once

#include <vector>

#include "mehler/accounting/loss_pair.h"

namespace mehler {

/// log E_Q[(P/Q)^order] of a pair: (order - 1) times its Renyi divergence, rounded up. order > 1.
///
/// - Sampled noise: Mironov, Talwar and Zhang 2019: a finite sum for whole orders, two series for
///   others (their section 3.3), raised by what is left out. The direction P against Q is the worse
///   one at every order (the same article), so that it bounds both.
/// - Replaced noise: no more than twice what the moments of sampled noise are above 1
///   (docs/design/0014-charges-and-composition.md).
/// - Randomised response: in closed form; no mechanism of pure epsilon has more (Mironov 2017).
///
/// Cost: as many terms as the order, at most 400 where it is not whole.
long double log_renyi_moment(const LossPair& pair, double order);

/// What composed Renyi privacy says of (epsilon, delta), by the conversion of Canonne, Kamath and
/// Steinke 2020 at the best of some 180 orders. Rounded up.
class RenyiPrivacy {
 public:
  explicit RenyiPrivacy(const LossPairCounts& pairs);

  /// A value, and the order at which it is found.
  struct Bound {
    double value = 0.0;
    double order = 0.0;
  };

  /// epsilon >= 0; the value is at most 1.
  Bound delta_at(double epsilon) const;
  /// 0 < delta < 1; the value is at least 0.
  Bound epsilon_at(double delta) const;

 private:
  struct Moment {
    long double order;
    long double log_moment;
  };
  std::vector<Moment> moments_;
};

}  // namespace mehler
