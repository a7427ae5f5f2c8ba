#include "mehler/synthesis/dp_gan/gan_options.h"

#include <fmt/format.h>

#include <cmath>

#include "mehler/accounting/training_plan.h"

namespace mehler {

std::vector<Option> GanOptions::list(const std::string& method) {
  const bool is_gan = method == "dp-gan";
  const std::string sampling = "sampling and noise";
  const std::string networks = "networks";
  return {
      {"protocol", "P",
       "own (the default), or published: its authors' noise, clipping, schedule and networks, for "
       "comparisons, of tables, images or points (two numeric columns beside the target); the file "
       "states the epsilon that they really have, and --epsilon must hold it",
       sampling},
      {"expected-records", "N",
       fmt::format("About how many records there are, from public knowledge and never from the "
                   "table: rate and steps follow from it. Default {} (published, of images: {})",
                   kExpectedRecords, is_gan ? "5421 of each class" : "55000, of points: 90000"),
       sampling},
      {"rate", "Q",
       "Each record's probability to be in the batch of a step; public. By default 400 of the "
       "expected records (64 below 2,000 of them, 256 below 20,000, 1,000 from 100,000 on)",
       sampling},
      {"steps", "T",
       fmt::format("Steps of each critic, all of which are paid for; by default 2000 (300 below "
                   "2,000 expected records, 1000 below 20,000; published: {})",
                   is_gan ? "10 epochs, of images 1700" : "38, of images 30304, of points 40609"),
       sampling},
      {"clip-norm", "C",
       fmt::format("The longest that a record's gradient can be; default 1 (published: {})",
                   is_gan ? "0.64" : "2.2, of points 2"),
       sampling},
      {"noise-multiplier", "Z",
       "Noise of a step over the clip norm; by default the least that the budget allows", sampling},
      {"critic-steps", "N",
       fmt::format("Steps of a critic for each step of the generator; default {}", is_gan ? 5 : 1),
       networks},
      {"critic", "W,W,..",
       fmt::format(
           "Units of a critic's hidden layers; default {}",
           is_gan ? "128,64 (images, and published: 512,256)" : "128 (published, of points: 1024)"),
       networks},
      {"generator-layers", "W,W,..",
       fmt::format("Units of a generator's hidden layers; default {}",
                   is_gan ? "100,400,200 (images, and published points: 128,256,512,1024)"
                          : "128 (published, of points: 1024)"),
       networks},
      {"critic-learning-rate", "R",
       fmt::format("Of the critic's optimiser; default {}",
                   is_gan ? "0.00005" : "0.1, which falls to 0.052 within 10000 steps"),
       networks},
      {"generator-learning-rate", "R",
       fmt::format("Of the generator's optimiser; default {}", is_gan ? "0.00005" : "0.001"),
       networks}};
}

GanOptions GanOptions::parse(const OptionValues& values, const std::string& method) {
  values.require_known(list(method), "method " + method);
  GanOptions result;
  result.read(values, 1'000'000);
  result.rate = positive_number(values, "rate", std::ldexp(1.0, -TrainingPlan::kRateExponent), 1.0,
                                "it is a probability");
  return result;
}

}  // namespace mehler
