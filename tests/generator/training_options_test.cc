#include "mehler/generator/neural/training_options.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/errors.h"

namespace mehler {
namespace training_options_test {

/// A value other than the default for every option; a new option needs one here.
const std::map<std::string, std::string> kOthers = {{"epochs", "7"},
                                                    {"steps", "300"},
                                                    {"generator", "fully-connected"},
                                                    {"batch", "64"},
                                                    {"batch-rate", "0.5"},
                                                    {"learning-rate", "0.002"},
                                                    {"learning-rate-decay", "0.9"},
                                                    {"gamma", "3"},
                                                    {"equal-classes", ""},
                                                    {"one-product-per-epoch", ""},
                                                    {"class-rate", "ill=2.5"}};

TEST(TrainingOptions, AreWrittenAsTheyAreRead) {
  for (const Option& option : TrainingOptions::list()) {
    ASSERT_TRUE(kOthers.contains(option.name)) << option.name;
    OptionValues given;
    given.add(option.name, kOthers.at(option.name));
    if (option.name == "equal-classes") {
      given.add("gamma", kOthers.at("gamma"));  // which it goes with
    }
    const TrainingOptions parsed = TrainingOptions::parse(given, 1);
    // A checkpoint compares these texts: an option that were left out of them would be ignored.
    EXPECT_EQ(parsed.values().all(option.name), given.all(option.name)) << option.name;
    const TrainingOptions again = TrainingOptions::parse(parsed.values(), 1);
    for (const Option& other : TrainingOptions::list()) {
      EXPECT_EQ(again.values().all(other.name), parsed.values().all(other.name)) << other.name;
    }
  }
}

TEST(TrainingOptions, RefuseEqualClassesWhereTheNoiseSaysHowMuchAClassCounts) {
  OptionValues given;
  given.add("equal-classes", "");
  expect_mentions(
      message_of(ErrorCode::kInvalidArgument, [&] { TrainingOptions::parse(given, 1); }),
      {"equal-classes", "gamma", "noise"});
}

}  // namespace training_options_test
}  // namespace mehler
