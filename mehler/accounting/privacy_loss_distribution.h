#pragma once

#include <cstdint>
#include <vector>

#include "mehler/accounting/loss_pair.h"

namespace mehler {

/// Whether the first table has the record that the second lacks, or the other way round: the loss
/// is log P/Q of an output drawn from P, or log Q/P of one drawn from Q. Randomised response and
/// replaced noise are the same both ways.
enum class LossDirection { kRemoved, kAdded };

/// Between which losses a distribution is kept.
struct LossRange {
  double low = 0.0;
  double high = 0.0;
};

/// All losses but for a probability of at most `upper_tail` above, and of 1e-20 below.
LossRange range_of(const LossPair& pair, LossDirection direction, double upper_tail);

/// A distribution of the privacy loss on multiples of a step that is never more private than the
/// pair's own.
///
/// Between two multiples of the step, neighbours unless the loss is large, both probabilities, a of
/// P and b of Q, are kept and put on the two ends; a spread of the likelihood ratio with the same
/// mean, which raises every convex function of it and so delta at every epsilon (connect the dots:
/// Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022). Losses above the range count as infinite,
/// those below as its lower end. a is rounded up and b down by the error of the computation.
class LossDistribution {
 public:
  LossDistribution(const LossPair& pair, LossDirection direction, const LossRange& range,
                   double step);

  double step() const { return step_; }
  /// The loss of probabilities()[i] is (first() + i) step.
  std::int64_t first() const { return first_; }
  const std::vector<double>& probabilities() const { return probabilities_; }
  /// The probability of an infinite loss.
  double infinite() const { return infinite_; }
  /// By how much a loss may be larger than stated, because logarithms are rounded.
  double slack() const { return slack_; }

  /// log E[exp(order loss)] over the finite losses, rounded up. order is any number.
  double log_moment(double order) const;
  double variance() const;

 private:
  void add_sampled_noise(const SampledNoisePair& pair, LossDirection direction);
  void add_replaced_noise(const ReplacedNoisePair& pair);
  void add_randomised_response(const RandomisedResponsePair& pair);
  /// Adds probability a at a point of the grid; what is too small for a double counts as an
  /// infinite loss.
  void put(std::int64_t index, long double a);
  /// Puts a (of P) and b (of Q), whose losses lie between two points of the grid, on these.
  void connect(std::int64_t low, std::int64_t high, long double a, long double b);

  double step_;
  std::int64_t first_;
  std::vector<double> probabilities_;
  double infinite_ = 0.0;
  double slack_ = 0.0;
};

}  // namespace mehler
