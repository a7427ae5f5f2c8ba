#include "mehler/accounting/training_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"

namespace mehler {
namespace {

void require(bool holds, std::string_view quantity, std::string_view range, const auto& value) {
  if (!holds) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("the {} of a private training must {}, but is {}", quantity, range, value));
  }
}

}  // namespace

std::uint64_t TrainingPlan::numerator_of(double rate) {
  require(rate > 0.0 && rate <= 1.0, "sampling rate", "be greater than 0 and at most 1", rate);
  return std::max<std::uint64_t>(1, std::llround(std::ldexp(rate, kRateExponent)));
}

double TrainingPlan::rate() const {
  return critics == TrainingCritics::kShards
             ? 1.0 / static_cast<double>(shards)
             : std::ldexp(static_cast<double>(rate_numerator), -kRateExponent);
}

double TrainingPlan::charged_multiplier() const {
  return drawn_jointly ? noise_multiplier / std::sqrt(static_cast<double>(queries))
                       : noise_multiplier;
}

std::uint64_t TrainingPlan::charged_steps() const {
  return critics == TrainingCritics::kShards && !drawn_jointly ? steps * queries : steps;
}

Charge TrainingPlan::charge(const std::string& name) const {
  if (critics == TrainingCritics::kShards) {
    return ReplacedGaussian{name, charged_multiplier(), rate(), charged_steps()};
  }
  return SubsampledGaussian{name, noise_multiplier, rate(), steps};
}

void TrainingPlan::validate() const {
  // Written so that NaN fails too.
  require(noise_multiplier >= kMinNoiseMultiplier && noise_multiplier <= kMaxNoiseMultiplier,
          "noise multiplier",
          fmt::format("lie in [{:g}, {:g}]", kMinNoiseMultiplier, kMaxNoiseMultiplier),
          noise_multiplier);
  require(clip_norm >= kMinClipNorm && clip_norm <= kMaxClipNorm, "clip norm",
          fmt::format("lie in [{:g}, {:g}]", kMinClipNorm, kMaxClipNorm), clip_norm);
  require(steps >= 1 && steps <= kMaxSteps, "number of steps",
          fmt::format("lie in [1, {}]", kMaxSteps), steps);
  if (critics == TrainingCritics::kShards) {
    require(shards >= 2 && shards <= kMaxShards, "number of shards",
            fmt::format("lie in [2, {}]", kMaxShards), shards);
    require(queries >= 1 && queries <= kMaxQueries, "number of queries of a step",
            fmt::format("lie in [1, {}]", kMaxQueries), queries);
    require(rate_numerator == 0, "rate numerator", "be 0 for shards", rate_numerator);
    mehler::validate(charge("training"));  // of all queries together
    return;
  }
  require(rate_numerator >= 1 && rate_numerator <= kFullRate, "rate numerator",
          fmt::format("lie in [1, {}]", kFullRate), rate_numerator);
  require(shards == 0, "number of shards", "be 0 for batches", shards);
  require(queries == 0, "number of queries of a step", "be 0 for batches", queries);
  require(!drawn_jointly, "joint drawing of critics", "be left out for batches", true);
}

}  // namespace mehler
