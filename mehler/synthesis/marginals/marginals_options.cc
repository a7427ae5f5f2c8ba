#include "mehler/synthesis/marginals/marginals_options.h"

#include <fmt/format.h>

#include "mehler/core/error.h"

namespace mehler {

void MarginalsOptions::validate() const {
  if (rounds != 1 && rounds != 2) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the number of rounds must be 1 or 2, but is {}", rounds));
  }
  if (triples == Triples::kAlways && rounds == 1) {
    throw Error(ErrorCode::kInvalidArgument,
                "triples of columns are chosen after the first round, so they need 2 rounds, but "
                "there is 1; take 2 rounds, or no triples");
  }
  if (!(target_weight >= 0.01 && target_weight <= 100.0)) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("the weight of pairs with the target must lie in [0.01, 100], but is {}",
                    target_weight));
  }
  constexpr std::size_t kLeast = 10'000'000;
  if (max_bytes < kLeast) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the memory limit must be at least {} MB, but is {:.3g}",
                            kLeast / 1'000'000, static_cast<double>(max_bytes) / 1e6));
  }
}

std::vector<Option> MarginalsOptions::list() {
  const MarginalsOptions defaults;
  return {
      {"rounds", "N",
       fmt::format(
           "Rounds of measuring pairs of columns: 1, or 2 with a second one where the first "
           "shows that it helps; default {}",
           defaults.rounds)},
      {.name = "triples",
       .value = "T",
       .help = "Whether counts of three columns are measured where they tell more than pairs: on, "
               "off, or auto (the default): if there are at most 500 triples, epsilon is at least "
               "3, and counts of pairs stand out of the noise",
       .alone = "on"},
      {"target-weight", "W",
       fmt::format("How much more pairs with the schema's target count; default {}",
                   defaults.target_weight)},
      {"memory", "MB",
       fmt::format(
           "Megabytes for tables of pairs, as much again for tables of triples, and as much again "
           "for the records' codes (3 to 6 bytes for each record and column); default {}. Files "
           "whose codes take more are read in a few passes instead, with the same result; standard "
           "input and pipes are kept whatever they take",
           defaults.max_bytes / 1'000'000)}};
}

MarginalsOptions MarginalsOptions::parse(const OptionValues& values) {
  constexpr Triples kTriples[] = {Triples::kByRule, Triples::kAlways, Triples::kNever};
  constexpr std::size_t kMegabyte = 1'000'000;
  values.require_known(list(), "method marginals");
  MarginalsOptions result;
  result.rounds =
      static_cast<int>(values.count("rounds", static_cast<std::uint64_t>(result.rounds), 1, 2));
  result.triples = kTriples[values.choice("triples", 0, {"auto", "on", "off"})];
  result.target_weight = values.number("target-weight", result.target_weight);
  result.max_bytes =
      values.count("memory", result.max_bytes / kMegabyte, 10, 1'000'000) * kMegabyte;
  result.validate();
  return result;
}

}  // namespace mehler
