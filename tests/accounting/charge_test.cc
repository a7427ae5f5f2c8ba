#include "mehler/accounting/charge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/errors.h"

namespace mehler {
namespace charge_test {

void expect_refused(const Charge& charge, std::initializer_list<const char*> words) {
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { validate(charge); }), words);
}

const double kNoNumbers[] = {0.0, -1.0, double{NAN}, double{INFINITY}, -double{INFINITY}};

TEST(Charge, AcceptsWhatMechanismsCharge) {
  const std::vector<Charge> charges = {
      GaussianSums{"sums", 1.5, 4.0},        GaussianSums{"no noise to speak of", 1e4, 1.0},
      SubsampledGaussian{"one", 1e-3, 1, 1}, SubsampledGaussian{"many", 1e9, 1e-300, kMaxSteps},
      PureMechanism{"least", 2e-15},         PureMechanism{"largest", 1e6}};
  for (const Charge& charge : charges) {
    EXPECT_NO_THROW(validate(charge)) << name_of(charge);
  }
}

TEST(Charge, SpendsTheSquareOfSensitivityOverSigma) {
  EXPECT_DOUBLE_EQ((GaussianSums{"sums", 3.0, 4.0}.mu_squared()), 0.5625);
}

TEST(Charge, RefusesSumsWithoutNoiseOrSensitivity) {
  for (const double value : kNoNumbers) {
    expect_refused(GaussianSums{"income", value, 1.0}, {"sensitivity", "'income'", "positive"});
    expect_refused(GaussianSums{"income", 1.0, value}, {"sigma", "'income'", "positive"});
  }
  expect_refused(GaussianSums{"income", 1.0, 1e-5}, {"sensitivity over sigma", "10000"});
  expect_refused(GaussianSums{"income", 1e-200, 1e200}, {"sensitivity over sigma", "1e-15"});
}

TEST(Charge, RefusesNoiseThatIsNone) {
  for (const double value : kNoNumbers) {
    expect_refused(SubsampledGaussian{"critic", value, 0.1, 5},
                   {"noise multiplier", "'critic'", "[0.001, 1e+09]"});
  }
  expect_refused(SubsampledGaussian{"critic", 1e-6, 0.1, 5}, {"noise multiplier", "1e-06"});
  expect_refused(SubsampledGaussian{"critic", 1e10, 0.1, 5}, {"noise multiplier"});
}

TEST(Charge, RefusesRatesThatAreNoProbability) {
  for (const double value : kNoNumbers) {
    expect_refused(SubsampledGaussian{"critic", 1.0, value, 5}, {"sampling rate", "at most 1"});
  }
  expect_refused(SubsampledGaussian{"critic", 1.0, 1.0000001, 5}, {"sampling rate", "1.0000001"});
}

TEST(Charge, RefusesNoStepsAndTooMany) {
  for (const std::uint64_t steps : {std::uint64_t{0}, kMaxSteps + 1, ~std::uint64_t{0}}) {
    expect_refused(SubsampledGaussian{"critic", 1.0, 0.1, steps}, {"steps", "[1, 1000000000]"});
  }
}

TEST(Charge, RefusesSelectionsWithoutEpsilonOrCandidates) {
  for (const double value : kNoNumbers) {
    expect_refused(Selection{"parents", 5, value}, {"epsilon", "'parents'", "at most 1000"});
  }
  expect_refused(Selection{"parents", 5, 1000.1}, {"epsilon", "1000.1"});
  expect_refused(Selection{"parents", 0, 1.0}, {"candidates", "'parents'", "at least 1"});
  EXPECT_NO_THROW(validate(Selection{"parents", 1, 1e-9}));
}

TEST(Charge, RefusesLaplaceNoiseThatIsNone) {
  for (const double value : kNoNumbers) {
    expect_refused(LaplaceSums{"cells", value, 1.0}, {"sensitivity", "'cells'", "positive"});
    expect_refused(LaplaceSums{"cells", 1.0, value}, {"scale", "'cells'", "positive"});
  }
  expect_refused(LaplaceSums{"cells", 1.0, 1e-7}, {"sensitivity over scale", "1e+06"});
}

TEST(Charge, SelectionsAreCountedAsMus) {
  const Charge charges[] = {Selection{"a", 3, 1.0}, GaussianSums{"b", 1.0, 2.0}};
  EXPECT_NEAR(gaussian_mu_squared(charges), .623892592 * .623892592 + 0.25, 1e-8);
  EXPECT_TRUE(is_gaussian(charges));
  const Charge laplace[] = {LaplaceSums{"c", 2.0, 4.0}};
  EXPECT_FALSE(is_gaussian(laplace));
}

TEST(Charge, RefusesRareDisclosuresThatAreNone) {
  for (const double value : {0.0, 1.0, -1e-6, double{NAN}}) {
    expect_refused(RareDisclosure{"texts", value}, {"delta", "'texts'", "between 0 and 1"});
  }
}

TEST(Charge, RefusesPureMechanismsWithoutEpsilon) {
  for (const double value : kNoNumbers) {
    expect_refused(PureMechanism{"network", value}, {"epsilon", "'network'", "at most 1e+06"});
  }
  expect_refused(PureMechanism{"network", 1.1e6}, {"epsilon"});
  // No grid of losses is that fine.
  expect_refused(PureMechanism{"network", 5e-324}, {"epsilon", "2e-15"});
  expect_refused(LaplaceSums{"cells", 1e-300, 1.0}, {"sensitivity over scale", "2e-15"});
}

}  // namespace charge_test
}  // namespace mehler
