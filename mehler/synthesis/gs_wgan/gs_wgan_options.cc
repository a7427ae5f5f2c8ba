#include "mehler/synthesis/gs_wgan/gs_wgan_options.h"

#include <fmt/format.h>

#include "mehler/accounting/training_plan.h"

namespace mehler {

std::vector<Option> GsWganOptions::list() {
  const std::string sampling = "critics and noise";
  const std::string networks = "networks";
  return {
      {"protocol", "P",
       "own (the default), or published: its authors' noise and schedule, with one critic drawn "
       "for all generated records of a step; the file states the epsilon that this really has, "
       "347 at delta 1e-5, and --epsilon must hold it",
       sampling},
      {"expected-records", "N",
       fmt::format("About how many records there are, from public knowledge and never from the "
                   "table: the number of critics follows from it. Default {}",
                   kExpectedRecords),
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
      {"trained-critics", "N",
       "Critics that are trained for each step of the generator, in turn, or all of fewer; default "
       "64 (published: 1). With few they judge by what the generator was long ago",
       networks},
      {"critic-steps", "N", "Steps of each of them; default 1 (published: 5)", networks},
      {"warm-steps", "N", "Steps of every critic before the first of the generator; default 25",
       networks},
      {"critic", "W,W,..", "Units of a critic's hidden layers; default 64,32", networks},
      {"generator-layers", "W,W,..",
       "Units of the generator's hidden layers; default 128,128 (images: 256,256)", networks},
      {"critic-learning-rate", "R", "Of the critics' optimiser; default 0.001 (published: 0.0001)",
       networks},
      {"generator-learning-rate", "R",
       "Of the generator's optimiser; default 0.0003 (published: 0.0001)", networks}};
}

GsWganOptions GsWganOptions::parse(const OptionValues& values) {
  values.require_known(list(), "method gs-wgan");
  GsWganOptions result;
  result.read(values, 1'000);
  if (values.has("shards")) {
    result.shards = values.count("shards", 2, 2, 100'000);
  }
  if (values.has("queries")) {
    result.queries = values.count("queries", 2, 2, TrainingPlan::kMaxQueries);
  }
  if (values.has("trained-critics")) {
    result.trained_critics = values.count("trained-critics", 1, 1, 100'000);
  }
  if (values.has("warm-steps")) {
    result.warm_steps = values.count("warm-steps", 0, 0, 100'000);
  }
  return result;
}

}  // namespace mehler
