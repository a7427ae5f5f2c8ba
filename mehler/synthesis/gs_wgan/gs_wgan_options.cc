#include "mehler/synthesis/gs_wgan/gs_wgan_options.h"

#include <fmt/format.h>

#include "mehler/synthesis/dp_gan/gan_options.h"
#include "mehler/synthesis/dp_gan/training_values.h"

namespace mehler {

std::vector<Option> GsWganOptions::list() {
  const std::string sampling = "critics and noise";
  const std::string networks = "networks";
  return {
      {"protocol", "P",
       "own (the default), or published: its authors' noise and schedule, with one critic drawn "
       "for all generated records of a step; the file states the epsilon that this really has, "
       "330 at delta 1e-5, and --epsilon must hold it",
       sampling},
      {"expected-records", "N",
       fmt::format("About how many records there are, from public knowledge and never from the "
                   "table: the number of critics follows from it. Default {}",
                   GanOptions::kExpectedRecords),
       sampling},
      {"shards", "K",
       "Critics that records are dealt out to; by default one for 64 expected records, at least 2 "
       "and at most 1000",
       sampling},
      {"steps", "T",
       "Steps of the generator, all of which are paid for; default 3000 (published: 20000)",
       sampling},
      {"queries", "B",
       "Generated records of a step, each judged by a critic that is drawn for it; default 32",
       sampling},
      {"clip-norm", "C", "The longest that a generated record's gradient can be; default 1",
       sampling},
      {"noise-multiplier", "Z",
       "Noise of a gradient over twice the clip norm; by default the least that the budget allows",
       sampling},
      {"critic-steps", "N", "Steps of a critic for each step of the generator; default 5",
       networks},
      {"warm-steps", "N", "Steps of every critic before the first of the generator; default 25",
       networks},
      {"critic", "W,W,..", "Units of a critic's hidden layers; default 64,32", networks},
      {"generator-layers", "W,W,..", "Units of the generator's hidden layers; default 128,128",
       networks},
      {"critic-learning-rate", "R", "Of the critics' optimiser; default 0.001 (published: 0.0001)",
       networks},
      {"generator-learning-rate", "R", "Of the generator's optimiser; default 0.0001", networks}};
}

GsWganOptions GsWganOptions::parse(const OptionValues& values) {
  values.require_known(list(), "method gs-wgan");
  GsWganOptions result;
  result.published = values.choice("protocol", 0, {"own", "published"}) == 1;
  result.expected_records =
      TrainingValues::count(values, "expected-records", TrainingValues::kMostRecords);
  if (values.has("shards")) {
    result.shards = values.count("shards", 2, 2, 100'000);
  }
  result.steps = TrainingValues::count(values, "steps", TrainingValues::kMostSteps);
  if (values.has("queries")) {
    result.queries = values.count("queries", 2, 2, 65'536);
  }
  result.clip_norm = TrainingValues::positive_number(values, "clip-norm", 1e6, "1 is a good start");
  result.noise_multiplier = TrainingValues::positive_number(
      values, "noise-multiplier", 1e4, "leave it out for the least that the budget allows");
  result.critic_steps = TrainingValues::count(values, "critic-steps", 1'000);
  if (values.has("warm-steps")) {
    result.warm_steps = values.count("warm-steps", 0, 0, 100'000);
  }
  result.critic_hidden = TrainingValues::widths(values, "critic");
  result.generator_hidden = TrainingValues::widths(values, "generator-layers");
  result.critic_learning_rate = TrainingValues::positive_number(values, "critic-learning-rate",
                                                                10.0, "0.001 is a good start");
  result.generator_learning_rate = TrainingValues::positive_number(
      values, "generator-learning-rate", 10.0, "0.001 is a good start");
  TrainingValues::refuse_noise_of_published(result.published, values);
  return result;
}

}  // namespace mehler
