#include "mehler/synthesis/privbayes/privbayes_options.h"

#include <fmt/format.h>

#include "mehler/core/error.h"

namespace mehler {

void PrivBayesOptions::validate() const {
  if (!(theta >= 0.01 && theta <= 1000.0)) {  // written so that NaN fails too
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("theta must lie in [0.01, 1000], but is {}", theta));
  }
  if (parents && (*parents < 1 || *parents > kMostParents)) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("the number of parents must be 1 to {}, but is {}", kMostParents, *parents));
  }
  if (ranges < 2 || ranges > kMostRanges) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("the number of ranges must be 2 to {}, but is {}", kMostRanges, ranges));
  }
}

std::vector<Option> PrivBayesOptions::list() {
  const PrivBayesOptions defaults;
  return {{"protocol", "P",
           "own (the default), or published: choices, noise and split of the budget as the article "
           "has them, with the privacy that they really have; needs the relation replace-one"},
          {"parents", "N",
           fmt::format("The most columns that a column is counted together with, 1 to {}; default "
                       "3, for tables of more than 20 columns 2, of more than 100 1 (published: 4, "
                       "3 and 1)",
                       kMostParents)},
          {"ranges", "N",
           fmt::format("Ranges of equal width that a number is counted in, at most; default {}",
                       defaults.ranges)},
          {"theta", "T",
           fmt::format("Of the published protocol: tables are so small that a cell has T times the "
                       "records that its noise hides, on average; default {}",
                       defaults.theta)}};
}

PrivBayesOptions PrivBayesOptions::parse(const OptionValues& values) {
  values.require_known(list(), "method privbayes");
  PrivBayesOptions result;
  result.published = values.choice("protocol", 0, {"own", "published"}) == 1;
  if (values.has("parents")) {
    result.parents = static_cast<std::size_t>(values.count("parents", 3, 1, kMostParents));
  }
  result.ranges = static_cast<std::size_t>(values.count("ranges", result.ranges, 2, kMostRanges));
  result.theta = values.number("theta", result.theta);
  if (values.has("theta") && !result.published) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} belongs to the published protocol; leave it out, or ask for {} "
                            "published",
                            option_words("theta"), option_words("protocol")));
  }
  result.validate();
  return result;
}

}  // namespace mehler
