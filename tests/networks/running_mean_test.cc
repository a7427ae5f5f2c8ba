#include "mehler/networks/running_mean.h"

#include <gtest/gtest.h>

#include <vector>

namespace mehler {
namespace running_mean_test {

TEST(RunningMean, ReachesBackOverATenthOfTheStepsAtFirst) {
  RunningMean mean(0.999);
  EXPECT_TRUE(mean.mean().empty());
  mean.add(std::vector<float>{2.0F, -4.0F});
  EXPECT_EQ(mean.mean()[0], 2.0F);  // what stood before the first step has no part
  EXPECT_EQ(mean.mean()[1], -4.0F);
  for (int step = 0; step < 100; ++step) {
    mean.add(std::vector<float>{2.0F, -4.0F});
  }
  EXPECT_NEAR(mean.mean()[0], 2.0F, 1e-6);
  // With n steps behind it a weight that jumps by 1 at once and stays there has half of that in the
  // mean after some .08 n more: (n / (n + k))^9 = 1/2.
  for (int step = 0; step < 8; ++step) {
    mean.add(std::vector<float>{3.0F, -4.0F});
  }
  EXPECT_NEAR(mean.mean()[0], 2.5F, 0.05);
}

TEST(RunningMean, KeepsNoMoreThanItMay) {
  RunningMean mean(0.5);
  for (int step = 0; step < 1000; ++step) {
    mean.add(std::vector<float>{0.0F});
  }
  mean.add(std::vector<float>{1.0F});
  EXPECT_EQ(mean.mean()[0], 0.5F);
}

TEST(RunningMean, GoesOnFromWeightsThatItBeginsWith) {
  const std::vector<float> first = {1.0F};
  RunningMean mean(0.75, first);
  mean.add(std::vector<float>{0.0F});
  EXPECT_EQ(mean.mean()[0], 0.75F);
}

}  // namespace running_mean_test
}  // namespace mehler
