// Release files of every version that was ever shipped stay readable. The files under tests/golden
// are never rewritten.

#include <gtest/gtest.h>

#include <numeric>

#include "mehler/release/release.h"

namespace mehler {
namespace {

TEST(GoldenRelease, Version1ReadsAsItWasWritten) {
  // 500 simulated patients, epsilon 1, delta 1e-6, order 4, length scale 0.3 for age, weight 2 for
  // smoker.
  const Release release = Release::from_file(std::string(MEHLER_GOLDEN) + "/people-1.release");
  EXPECT_EQ(release.statement().budget.epsilon, 1.0);
  EXPECT_EQ(release.statement().budget.delta, 1e-6);
  EXPECT_EQ(release.schema().target(), "diagnosis");
  ASSERT_EQ(release.blocks().size(), 2u);
  const NoisyBlock& count = release.blocks()[0];
  EXPECT_EQ(count.grid_sums, (std::vector<std::int64_t>{315620756, 93019108, 72985584}));
  const NoisyBlock& sum = release.blocks()[1];
  EXPECT_EQ(sum.rows, 3u);
  EXPECT_EQ(sum.columns, 37u);
  EXPECT_EQ(sum.grid_sums.front(), 138875890);
  EXPECT_EQ(sum.grid_sums.back(), 1721612);
  EXPECT_EQ(std::accumulate(
                sum.grid_sums.begin(), sum.grid_sums.end(),
                std::accumulate(count.grid_sums.begin(), count.grid_sums.end(), std::int64_t{0})),
            2771539492);
  EXPECT_EQ(release.features().blocks()[1].maps[1].map.hermite().length_scale(), 0.3);
  EXPECT_EQ(release.features().blocks()[1].maps[5].weight, 2.0);
}

}  // namespace
}  // namespace mehler
