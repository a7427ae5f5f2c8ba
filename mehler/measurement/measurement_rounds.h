#pragma once

#include <span>
#include <string>
#include <vector>

#include "mehler/measurement/private_counter.h"
#include "mehler/privacy/accountant.h"
#include "mehler/release/marginal_measurements.h"
#include "mehler/release/measured_sums.h"

namespace mehler {

/// Measures blocks of counts round by round and keeps what was measured, for later rounds and for
/// the release.
class MeasurementRounds {
 public:
  /// All three must outlive it. What the accountant was charged for before is stated in the
  /// release, after its own blocks.
  MeasurementRounds(PrivateCounter& codes, const Encoder& encoder, Accountant& accountant);

  /// mu^2 that a precision of 1 on a block's contrasts costs.
  double cost(const CountBlock& block) const;

  /// Spends `mu_squared` on the blocks, with precisions proportional to `shares`. Blocks without a
  /// share are left out. Charges the accountant first.
  void measure(const std::string& what, std::vector<CountBlock> blocks, std::vector<double> shares,
               double mu_squared, const Context& context);

  double epsilon() const { return accountant_.budget().epsilon; }

  /// Everything that is left to spend, less what rounding could add to it.
  double left() const;

  const MarginalMeasurements& measurements() const { return measurements_; }

  /// Spends `mu_squared` on one sum of vectors and returns it with its noise. Charges the
  /// accountant first.
  MeasuredSum measure_sum(const CountBlock& block, double mu_squared, const Context& context);

  /// Whether records have been measured: what was spent on it is gone, whatever happens later.
  bool any_measured() const { return any_measured_; }
  /// What the sums that were measured take in a release.
  std::size_t bytes() const { return bytes_; }

  /// The release of all rounds, by a method of this name; nothing is left of the budget.
  Release finish(std::string method);

 private:
  PrivateCounter& codes_;
  const Encoder& encoder_;
  Accountant& accountant_;
  MarginalMeasurements measurements_;
  std::vector<CountBlock> blocks_;
  std::vector<NoisyBlock> noisy_;
  std::vector<Charge> earlier_charges_;
  std::vector<Charge> charges_;
  bool any_measured_ = false;
  std::size_t bytes_ = 0;
};

}  // namespace mehler
