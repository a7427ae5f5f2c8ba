// The guarantee of private training, through the code that is shipped: the worst record is present
// or not, and whoever sees the noisy gradients of all steps learns no more of it than is charged
// for.

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/accounting/composition.h"
#include "mehler/measurement/private_batches.h"
#include "tests/support/distinguisher.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace private_training_test {

/// Takes steps of a linear critic on two neighbouring tables.
class Audit {
 public:
  Audit(double rate, double noise, std::size_t steps)
      : accountant_({1e6, 0.5}),
        noise_(noise),
        rate_(rate),
        with_(batches_of(3)),
        without_(batches_of(2)),
        critic_({DenseLayer{1, 1}}, 1) {
    const TrainingPlan plan{.rate_numerator = TrainingPlan::numerator_of(rate),
                            .noise_multiplier = noise,
                            .steps = 2 * steps,
                            .clip_norm = 0.8};
    SubsampledMechanism paid(accountant_, "training", plan, 1, schema());
    WorkerPool pool(1);
    for (std::size_t step = 0; step < steps; ++step) {
      seen_with_.push_back(place_of(with_->noisy_gradient(critic_, kLoss, paid, 0, pool)));
      seen_without_.push_back(place_of(without_->noisy_gradient(critic_, kLoss, paid, 0, pool)));
    }
  }

  /// What was seen, along the direction of the record's gradient and in units of the clip norm.
  const std::vector<double>& with() const { return seen_with_; }
  const std::vector<double>& without() const { return seen_without_; }

  /// How much likelier what was seen is with the record than without it: a logarithm.
  double log_ratio(double place) const {
    return std::log1p(rate_ * std::expm1((place - 0.5) / (noise_ * noise_)));
  }

 private:
  static constexpr CriticLoss kLoss = CriticLoss::kWasserstein;

  static Schema schema() {
    return Schema::from_json(R"({"mehler_schema": 1, "columns": [
        {"name": "x", "kind": "numeric", "bounds": [-1, 1]}]})");
  }

  /// Two records at -1 and, if there are three, the worst one at 1.
  static std::unique_ptr<PrivateBatches> batches_of(std::size_t rows) {
    const Schema of = schema();
    Table table;
    const std::vector<double> values = {-1.0, -1.0, 1.0};
    table.columns.push_back(
        {"x",
         ColumnKind::kNumeric,
         std::vector<double>(values.begin(), values.begin() + std::ptrdiff_t(rows)),
         {}});
    const Encoder encoder(of);
    return std::make_unique<PrivateBatches>(PrivateTable({part_of({table})}, of), encoder,
                                            RecordInputs::Label::kLeftOut, Context{});
  }

  /// Along the gradient of -f at x = 1, (-1, -1), which is shortened to the clip norm. At x = -1 it
  /// is (1, -1), across.
  static double place_of(const std::vector<float>& gradient) {
    return -(static_cast<double>(gradient[0]) + static_cast<double>(gradient[1])) /
           (std::sqrt(2.0) * 0.8);
  }

  Accountant accountant_;
  double noise_;
  double rate_;
  std::unique_ptr<PrivateBatches> with_;
  std::unique_ptr<PrivateBatches> without_;
  Network critic_;
  std::vector<double> seen_with_;
  std::vector<double> seen_without_;
};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance_of(const std::vector<double>& values, double mean) {
  double sum = 0.0;
  for (const double value : values) {
    sum += (value - mean) * (value - mean);
  }
  return sum / static_cast<double>(values.size());
}

// Every record in every batch: T steps are together mu-Gaussian with mu = sqrt(T)/z, and the record
// moves what is seen by 1, the clip norm, in noise of z. 20,000 steps of each table (400 runs of
// 50) know the shift to .01 z: 7 standard deviations, a failure probability of 8e-12 in all, see 7
// % more shift or 3.5 % less noise than was charged for.
TEST(Guarantee, AStepShowsTheWorstRecordByItsClipNormAndNoMore) {
  constexpr std::size_t kSteps = 20'000;
  constexpr double kNoise = 1.0;
  const Audit audit(1.0, kNoise, kSteps);
  const double sigma = kNoise / std::sqrt(static_cast<double>(kSteps));
  EXPECT_NEAR(mean_of(audit.without()), 0.0, 7.0 * sigma);
  EXPECT_NEAR(mean_of(audit.with()), 1.0, 7.0 * sigma);
  for (const auto& [seen, mean] :
       {std::pair(&audit.with(), 1.0), std::pair(&audit.without(), 0.0)}) {
    EXPECT_NEAR(variance_of(*seen, mean), kNoise * kNoise,
                7.0 * std::sqrt(2.0 / kSteps) * kNoise * kNoise);
  }
}

// A record in a third of the batches. The best that anyone can do with what is seen of a run of
// steps is to add up log ratios. Of single steps there are 20,000 of each table: its gain over
// delta at epsilon .05, which is .11, is known to .0075, and 7 standard deviations are .055. Of
// runs of 50 steps there are 400: at epsilon 1, where delta is .8, it is known to .05, and 7 are
// .35. Six such comparisons: a failure probability below 1e-11.
TEST(Guarantee, SampledStepsSurviveTheOptimalDistinguisher) {
  constexpr std::size_t kSteps = 20'000;
  constexpr std::size_t kRun = 50;
  constexpr double kRate = 1.0 / 3.0;
  constexpr double kNoise = 1.0;
  const Audit audit(kRate, kNoise, kSteps);
  const auto ratios = [&](const std::vector<double>& seen, std::size_t steps, double sign) {
    std::vector<double> result(seen.size() / steps, 0.0);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      result[i / steps] += sign * audit.log_ratio(seen[i]);
    }
    return result;
  };
  for (const auto& [steps, epsilon, tolerance] :
       {std::tuple(kRun, 1.0, 0.35), std::tuple(std::size_t{1}, 0.05, 0.055)}) {
    const std::vector<Charge> charges = {SubsampledGaussian{"training", kNoise, kRate, steps}};
    const double delta = ComposedPrivacy(charges).delta_at(epsilon);
    const double removed = gain_of_distinguisher(ratios(audit.with(), steps, 1.0),
                                                 ratios(audit.without(), steps, 1.0), epsilon);
    const double added = gain_of_distinguisher(ratios(audit.without(), steps, -1.0),
                                               ratios(audit.with(), steps, -1.0), epsilon);
    EXPECT_GT(delta, 1.5 * tolerance);
    EXPECT_LE(removed, delta + tolerance) << steps;
    EXPECT_LE(added, delta + tolerance) << steps;
    EXPECT_GE(removed, delta - tolerance) << steps << ": the distinguisher sees too little";
  }
}

}  // namespace private_training_test
}  // namespace mehler
