#include "mehler/synthesis/dp_gan/private_training_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/accounting/training_plan.h"
#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr std::uint64_t kMostSteps = 10'000'000;
constexpr std::size_t kMostLayers = 8;
constexpr std::size_t kMostUnits = 65'536;
constexpr std::uint64_t kMostRecords = std::uint64_t{1} << 40;

/// A whole number from 1 to the largest, if it was given.
std::optional<std::uint64_t> count(const OptionValues& values, const std::string& name,
                                   std::uint64_t largest) {
  return values.has(name) ? std::optional(values.count(name, 1, 1, largest)) : std::nullopt;
}

/// The sizes of hidden layers, such as "512,256"; none if they were not given.
std::vector<std::size_t> widths(const OptionValues& values, const std::string& name) {
  std::vector<std::size_t> result;
  if (!values.has(name)) {
    return result;
  }
  const std::string& text = values.all(name).back();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    result.push_back(
        parse_count(text.substr(begin, end - begin), option_words(name), 1, kMostUnits));
    begin = end + 1;
  }
  if (result.size() > kMostLayers) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} takes the sizes of at most {} hidden layers, but got {}",
                            option_words(name), kMostLayers, result.size()));
  }
  return result;
}

}  // namespace

std::string PrivateTrainingOptions::lower_learning_rates() {
  return fmt::format("lower the learning rates ({}, {})", option_words("critic-learning-rate"),
                     option_words("generator-learning-rate"));
}

std::optional<double> PrivateTrainingOptions::positive_number(const OptionValues& values,
                                                              const std::string& name,
                                                              double smallest, double largest,
                                                              const std::string& remedy) {
  if (!values.has(name)) {
    return std::nullopt;
  }
  const double value = values.number(name, 0.0);
  // Written so that NaN fails too.
  if (!(value > 0.0 && value >= smallest && value <= largest)) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{} must be {} and at most {:g}, but is {}; {}", option_words(name),
                    smallest > 0.0 ? fmt::format("at least {:.6g}", smallest) : "greater than 0",
                    largest, value, remedy));
  }
  return value;
}

void PrivateTrainingOptions::read(const OptionValues& values, std::size_t most_critic_steps) {
  published = values.choice("protocol", 0, {"own", "published"}) == 1;
  expected_records = count(values, "expected-records", kMostRecords);
  steps = count(values, "steps", kMostSteps);
  clip_norm =
      positive_number(values, "clip-norm", TrainingPlan::kMinClipNorm, 1e6, "1 is a good start");
  noise_multiplier = positive_number(values, "noise-multiplier", kMinNoiseMultiplier, 1e4,
                                     "leave it out for the least that the budget allows");
  critic_steps = count(values, "critic-steps", most_critic_steps);
  critic_hidden = widths(values, "critic");
  generator_hidden = widths(values, "generator-layers");
  critic_learning_rate = positive_number(values, "critic-learning-rate", 0.0, 10.0,
                                         "by default it is what the method's authors have");
  generator_learning_rate = positive_number(values, "generator-learning-rate", 0.0, 10.0,
                                            "by default it is what the method's authors have");
  if (published && noise_multiplier) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} published has a noise of its own; leave out {}",
                            option_words("protocol"), option_words("noise-multiplier")));
  }
}

}  // namespace mehler
