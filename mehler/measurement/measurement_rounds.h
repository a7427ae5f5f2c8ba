#pragma once

#include <span>
#include <string>
#include <vector>

#include "mehler/measurement/private_counter.h"
#include "mehler/privacy/accountant.h"
#include "mehler/release/marginal_measurements.h"
#include "mehler/release/measured_sums.h"

namespace mehler {

/// Throws Error(kInvalidArgument) for noise that cannot be drawn, as MeasurementRounds::measure()
/// would for these: to find out before records are read.
void require_drawable_round(std::span<const CountBlock> blocks, std::span<const double> shares,
                            double mu_squared, const Schema& schema);

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

  /// With noise of the discrete Laplace kind, of this scale.
  void measure_pure(const std::string& what, std::vector<CountBlock> blocks, double scale,
                    const Context& context);

  /// Scores tables for choices (PrivateCounter::score): nothing of it is seen before a choice.
  std::size_t score(std::span<const ScoredTable> tables, const Context& context) {
    return codes_.score(tables, context);
  }
  /// Chooses one of some scored tables, by the exponential mechanism with at most this epsilon: a
  /// place in `candidates`. Charges the accountant first.
  std::size_t choose(const std::string& what, std::span<const std::size_t> candidates,
                     double epsilon);

  /// What was measured last, in the order of measuring.
  std::span<const NoisyBlock> noisy() const { return noisy_; }
  std::span<const CountBlock> blocks() const { return blocks_; }
  /// Standard deviation of the noise of a block.
  double sigma_of(std::size_t block) const;
  std::optional<std::uint64_t> public_rows() const { return codes_.public_rows(); }

  double epsilon() const { return accountant_.budget().epsilon; }

  /// Everything that is left to spend, less what rounding could add to it and what is kept for
  /// later.
  double left() const;
  /// Keeps a part of the budget, mu^2, out of what left() says, instead of what was kept before.
  void keep_for_later(double mu_squared);
  /// Whether the number of records is public or has been measured.
  bool knows_records() const;

  const MarginalMeasurements& measurements() const { return measurements_; }

  /// Spends `mu_squared` on one sum of vectors and returns it with its noise. Charges the
  /// accountant first.
  MeasuredSum measure_sum(const CountBlock& block, double mu_squared, const Context& context);

  /// Whether records have been measured: what was spent on it is gone, whatever happens later.
  bool any_measured() const { return any_measured_; }
  /// What the sums that were measured take in a release.
  std::size_t bytes() const { return bytes_; }

  /// The release of all rounds, by a method of this name; nothing is left of the budget, unless by
  /// rules that leave some of it.
  Release finish(std::string method, const NoiseRules& rules = {});

 private:
  void keep(std::vector<CountBlock> blocks, std::vector<NoisyBlock> noisy,
            std::vector<Charge> charges);

  PrivateCounter& codes_;
  const Encoder& encoder_;
  Accountant& accountant_;
  MarginalMeasurements measurements_;
  std::vector<CountBlock> blocks_;
  std::vector<NoisyBlock> noisy_;
  std::vector<Charge> earlier_charges_;
  std::vector<Charge> choices_;
  std::vector<Charge> charges_;
  double kept_for_later_ = 0.0;
  bool any_measured_ = false;
  std::size_t bytes_ = 0;
};

}  // namespace mehler
