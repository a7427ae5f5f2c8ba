#include "mehler/synthesis/dp_gan/gan_options.h"

#include <fmt/format.h>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// A number within (0, largest]; written so that NaN fails too.
std::optional<double> positive_number(const OptionValues& values, const std::string& name,
                                      double largest, const std::string& remedy) {
  if (!values.has(name)) {
    return std::nullopt;
  }
  const double value = values.number(name, 0.0);
  if (!(value > 0.0 && value <= largest)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} must be greater than 0 and at most {:g}, but is {}; {}",
                            option_words(name), largest, value, remedy));
  }
  return value;
}

/// The sizes of hidden layers, such as "512,256".
std::vector<std::size_t> widths(const OptionValues& values, const std::string& name) {
  std::vector<std::size_t> result;
  if (!values.has(name)) {
    return result;
  }
  const std::string& text = values.all(name).back();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    result.push_back(parse_count(text.substr(begin, end - begin), option_words(name), 1,
                                 GanOptions::kMostUnits));
    begin = end + 1;
  }
  if (result.size() > GanOptions::kMostLayers) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} takes the sizes of at most {} hidden layers, but got {}",
                            option_words(name), GanOptions::kMostLayers, result.size()));
  }
  return result;
}

}  // namespace

std::vector<Option> GanOptions::list() {
  const std::string sampling = "sampling and noise";
  const std::string networks = "networks";
  return {
      {"protocol", "P",
       "own (the default), or published: its authors' noise, clipping, schedule and networks, for "
       "comparisons; the file states the epsilon that they really have, and --epsilon must hold it",
       sampling},
      {"expected-records", "N",
       fmt::format("About how many records there are, from public knowledge and never from the "
                   "table: rate and steps follow from it. Default {}",
                   kExpectedRecords),
       sampling},
      {"rate", "Q",
       "Each record's probability to be in the batch of a step; public. By default 400 of the "
       "expected records (64 below 2,000 of them, 256 below 20,000, 1,000 from 100,000 on)",
       sampling},
      {"steps", "T",
       "Steps of each critic, all of which are paid for; by default 2000 (300 below 2,000 expected "
       "records, 1000 below 20,000)",
       sampling},
      {"clip-norm", "C", "The longest that a record's gradient can be; default 1", sampling},
      {"noise-multiplier", "Z",
       "Noise of a step over the clip norm; by default the least that the budget allows", sampling},
      {"critic-steps", "N", "Steps of a critic for each step of the generator", networks},
      {"critic", "W,W,..", "Units of a critic's hidden layers", networks},
      {"generator-layers", "W,W,..", "Units of a generator's hidden layers", networks},
      {"critic-learning-rate", "R", "Of the critic's optimiser", networks},
      {"generator-learning-rate", "R", "Of the generator's optimiser", networks}};
}

GanOptions GanOptions::parse(const OptionValues& values, const std::string& method) {
  values.require_known(list(), "method " + method);
  GanOptions result;
  result.published = values.choice("protocol", 0, {"own", "published"}) == 1;
  if (values.has("expected-records")) {
    result.expected_records = values.count("expected-records", 0, 1, std::uint64_t{1} << 40);
  }
  result.rate = positive_number(values, "rate", 1.0, "it is a probability");
  if (values.has("steps")) {
    result.steps = values.count("steps", 0, 1, kMostSteps);
  }
  result.clip_norm = positive_number(values, "clip-norm", 1e6, "1 is a good start");
  result.noise_multiplier = positive_number(values, "noise-multiplier", 1e4,
                                            "leave it out for the least that the budget allows");
  if (values.has("critic-steps")) {
    result.critic_steps = values.count("critic-steps", 0, 1, 1'000'000);
  }
  result.critic_hidden = widths(values, "critic");
  result.generator_hidden = widths(values, "generator-layers");
  result.critic_learning_rate =
      positive_number(values, "critic-learning-rate", 10.0, "0.001 is a good start");
  result.generator_learning_rate =
      positive_number(values, "generator-learning-rate", 10.0, "0.001 is a good start");
  if (result.published && result.noise_multiplier) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} published has a noise of its own; leave out {}",
                            option_words("protocol"), option_words("noise-multiplier")));
  }
  return result;
}

}  // namespace mehler
