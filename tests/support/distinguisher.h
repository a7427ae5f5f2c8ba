#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace mehler {

/// What an attacker gains who knows two neighbouring tables and sees releases of both: the largest
/// P(ratio > t | with) - e^epsilon P(ratio > t | without) over thresholds t, where `with` and
/// `without` are the likelihood ratios of releases of each. (epsilon, delta)-privacy bounds it by
/// delta, and Gaussian noise that spends the budget in full reaches it.
///
/// The threshold is chosen on the first half of the runs and judged on the second, so that the
/// estimate has no bias; it need not be the one that the stated noise would make best.
inline double gain_of_distinguisher(std::span<const double> with_record,
                                    std::span<const double> without, double epsilon) {
  const std::size_t half = with_record.size() / 2;
  const auto share_above = [](std::span<const double> ratios, double threshold) {
    return static_cast<double>(std::count_if(ratios.begin(), ratios.end(),
                                             [&](double ratio) { return ratio > threshold; })) /
           static_cast<double>(ratios.size());
  };
  std::vector<double> first(with_record.begin(), with_record.begin() + std::ptrdiff_t(half));
  std::vector<double> other(without.begin(), without.begin() + std::ptrdiff_t(half));
  std::sort(first.begin(), first.end());
  std::sort(other.begin(), other.end());
  double best = -1.0;
  double threshold = 0.0;
  for (std::size_t i = 0; i < half; i += 1 + half / 200) {
    const auto above = static_cast<double>(half - 1 - i) / static_cast<double>(half);
    const auto rank = std::upper_bound(other.begin(), other.end(), first[i]) - other.begin();
    const double gain =
        above - std::exp(epsilon) * (1.0 - static_cast<double>(rank) / static_cast<double>(half));
    if (gain > best) {
      best = gain;
      threshold = first[i];
    }
  }
  return share_above(with_record.subspan(half), threshold) -
         std::exp(epsilon) * share_above(without.subspan(half), threshold);
}

/// The logarithm of the likelihood ratio of a noisy number: how much likelier it is from `mine`
/// than from `other`, both with noise of that scale.
inline double log_ratio(double value, double mine, double other, double sigma) {
  const double from_mine = (value - mine) / sigma;
  const double from_other = (value - other) / sigma;
  return 0.5 * (from_other * from_other - from_mine * from_mine);
}

}  // namespace mehler
