// The guarantee of private training, through the code that is shipped: the worst record is present
// or not, and whoever sees the noisy gradients of all steps, or the noisy answers of private
// critics, learns no more of it than is charged for.

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/accounting/composition.h"
#include "mehler/measurement/private_batches.h"
#include "tests/support/distinguisher.h"
#include "tests/support/private_critics_test_peer.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace private_training_test {

constexpr std::size_t kSteps = 20'000;

Schema schema() {
  return Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "numeric", "bounds": [-1, 1]}]})");
}

/// Two records at -1 and, if there are three, the worst one at 1.
PrivateBatches batches_of(std::size_t rows) {
  const std::vector<double> values = {-1.0, -1.0, 1.0};
  Table table;
  table.columns.push_back(
      {"x",
       ColumnKind::kNumeric,
       std::vector<double>(values.begin(), values.begin() + std::ptrdiff_t(rows)),
       {}});
  return PrivateBatches(PrivateTable({part_of({table})}, schema()), Encoder(schema()),
                        {RecordInputs::Label::kLeftOut}, Context{});
}

/// What steps on two neighbouring tables show: along the direction in which the worst record moves
/// it, in units of how far it does.
struct Seen {
  std::vector<double> with;
  std::vector<double> without;
};

/// The noisy gradients of a linear critic.
Seen see_gradients(double rate, double noise) {
  constexpr CriticLoss kLoss = CriticLoss::kWasserstein;
  constexpr double kClipNorm = 0.8;
  Accountant accountant({1e6, 0.5});
  const TrainingPlan plan{.rate_numerator = TrainingPlan::numerator_of(rate),
                          .noise_multiplier = noise,
                          .steps = 2 * kSteps,
                          .clip_norm = kClipNorm};
  SubsampledMechanism paid(accountant, "training", plan, 1, schema());
  PrivateBatches with = batches_of(3);
  PrivateBatches without = batches_of(2);
  const Network critic({DenseLayer{1, 1}}, 1);
  WorkerPool pool(1);
  // Along the gradient of -f at x = 1, (-1, -1), which is shortened to the clip norm. At x = -1 it
  // is (1, -1), across.
  const auto place_of = [&](PrivateBatches& batches) {
    const std::vector<float> gradient = batches.noisy_gradient(critic, kLoss, paid, 0, pool);
    return -(static_cast<double>(gradient[0]) + static_cast<double>(gradient[1])) /
           (std::sqrt(2.0) * kClipNorm);
  };
  Seen seen;
  for (std::size_t step = 0; step < kSteps; ++step) {
    seen.with.push_back(place_of(with));
    seen.without.push_back(place_of(without));
  }
  return seen;
}

/// The noisy answers of private critics, linear ones that all begin with a slope of -1. Of the one
/// that has the worst record training makes the slope positive; the others stay: what they are
/// trained with is what is generated too. So the record turns an answer round.
Seen see_critics(std::uint64_t critics, double noise) {
  constexpr double kClipNorm = 0.5;
  Accountant accountant({1e6, 0.5});
  const TrainingPlan plan{.critics = TrainingCritics::kShards,
                          .noise_multiplier = noise,
                          .steps = 2 * kSteps,
                          .clip_norm = kClipNorm,
                          .shards = critics,
                          .queries = 1};
  SubsampledMechanism paid(accountant, "training", plan, 1, schema());
  const PrivateCriticTraining training{
      .hidden = {}, .learning_rate = 0.5, .penalty = 0.0, .drift = 0.0};
  WorkerPool pool(1);
  const auto look = [&](std::size_t rows) {
    const PrivateBatches batches = batches_of(rows);
    PrivateCritics trained(batches, training, paid);
    for (std::size_t c = 0; c < critics; ++c) {
      PrivateCriticsTestPeer::set_weights(trained, c, {-1.0F, 0.0F});
    }
    Matrix generated(10 * training.batch, 1);
    std::fill(generated.values.begin(), generated.values.end(), -1.0F);
    trained.train(generated, critics, 10, pool);
    const Matrix asked(1, 1);
    std::vector<double> places(kSteps);
    for (double& place : places) {
      trained.train(generated, 1, 1, pool);  // in turn, between the answers
      // The gradient of -f, from the clip norm to minus that.
      const auto answer = static_cast<double>(trained.noisy_gradients(asked, paid, pool).values[0]);
      place = (kClipNorm - answer) / (2.0 * kClipNorm);
    }
    return places;
  };
  return {look(3), look(2)};
}

/// Adds up, for runs of so many steps, how much likelier what was seen is with the record than
/// without it: logarithms.
std::vector<double> log_ratios(const std::vector<double>& seen, std::size_t steps, double rate,
                               double noise, double sign) {
  std::vector<double> result(seen.size() / steps, 0.0);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    result[i / steps] += sign * std::log1p(rate * std::expm1((seen[i] - 0.5) / (noise * noise)));
  }
  return result;
}

/// Single steps and runs of 50, of a record that is in a share `rate` of them, against the best
/// distinguisher, who adds up log ratios. Of single steps there are 20,000 of each table: the gain
/// over delta at epsilon .05, which is .11 with a third of the steps, is known to .0075, and 7
/// standard deviations are .055. Of runs of 50 steps there are 400: at epsilon 1, where delta is
/// .8, it is known to .05, and 7 are .35. Six such comparisons: a failure probability below 1e-11.
template <typename Charged>
void expect_no_more_than_charged(const Seen& seen, double rate, double noise) {
  for (const auto& [steps, epsilon, tolerance] :
       {std::tuple(std::size_t{50}, 1.0, 0.35), std::tuple(std::size_t{1}, 0.05, 0.055)}) {
    const auto delta_of = [&](const Charge& charge) {
      return ComposedPrivacy(std::vector<Charge>{charge}).delta_at(epsilon);
    };
    const double charged = delta_of(Charged{"training", noise, rate, steps});
    const double shown = delta_of(SubsampledGaussian{"training", noise, rate, steps});
    const auto ratios = [&](const std::vector<double>& of, double sign) {
      return log_ratios(of, steps, rate, noise, sign);
    };
    const double removed =
        gain_of_distinguisher(ratios(seen.with, 1.0), ratios(seen.without, 1.0), epsilon);
    const double added =
        gain_of_distinguisher(ratios(seen.without, -1.0), ratios(seen.with, -1.0), epsilon);
    EXPECT_GT(shown, 1.5 * tolerance);
    EXPECT_LE(removed, charged + tolerance) << steps;
    EXPECT_LE(added, charged + tolerance) << steps;
    EXPECT_GE(removed, shown - tolerance) << steps << ": the distinguisher sees too little";
  }
}

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
  constexpr double kNoise = 1.0;
  const Seen seen = see_gradients(1.0, kNoise);
  const double sigma = kNoise / std::sqrt(static_cast<double>(kSteps));
  for (const auto& [places, mean] : {std::pair(&seen.with, 1.0), std::pair(&seen.without, 0.0)}) {
    EXPECT_NEAR(mean_of(*places), mean, 7.0 * sigma);
    EXPECT_NEAR(variance_of(*places, mean), kNoise * kNoise,
                7.0 * std::sqrt(2.0 / kSteps) * kNoise * kNoise);
  }
}

// A record in a third of the batches.
TEST(Guarantee, SampledStepsSurviveTheOptimalDistinguisher) {
  constexpr double kRate = 1.0 / 3.0;
  constexpr double kNoise = 1.0;
  expect_no_more_than_charged<SubsampledGaussian>(see_gradients(kRate, kNoise), kRate, kNoise);
}

// A record of one of three critics, of which each answer is of one. It is charged for as if the
// other critics' answers were the worst for it too, which here they are not: what can be shown is
// a little less.
TEST(Guarantee, PrivateCriticsSurviveTheOptimalDistinguisher) {
  constexpr double kNoise = 1.0;
  expect_no_more_than_charged<ReplacedGaussian>(see_critics(3, kNoise), 1.0 / 3.0, kNoise);
}

}  // namespace private_training_test
}  // namespace mehler
