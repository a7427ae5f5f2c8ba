// Release files of every version that was ever shipped stay readable. The files under tests/golden
// are never rewritten.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "mehler/core/atomic_file.h"
#include "mehler/core/strict_json.h"
#include "mehler/release/checked_file.h"
#include "mehler/release/marginal_measurements.h"

namespace mehler {
namespace golden_test {

TEST(GoldenRelease, Version1ReadsAsItWasWritten) {
  // 500 simulated patients, epsilon 1, delta 1e-6, order 4, length scale 0.3 for age, weight 2 for
  // smoker.
  const Release release = Release::from_file(std::string(MEHLER_GOLDEN) + "/people-1.release");
  EXPECT_EQ(release.statement().budget.epsilon, 1.0);
  EXPECT_EQ(release.statement().budget.delta, 1e-6);
  EXPECT_EQ(release.schema().target(), "diagnosis");
  ASSERT_EQ(release.sums().blocks.size(), 2u);
  const NoisyBlock& count = release.sums().blocks[0];
  EXPECT_EQ(count.grid_sums, (std::vector<std::int64_t>{315620756, 93019108, 72985584}));
  const NoisyBlock& sum = release.sums().blocks[1];
  EXPECT_EQ(sum.rows, 3u);
  EXPECT_EQ(sum.columns, 37u);
  EXPECT_EQ(sum.grid_sums.front(), 138875890);
  EXPECT_EQ(sum.grid_sums.back(), 1721612);
  EXPECT_EQ(std::accumulate(
                sum.grid_sums.begin(), sum.grid_sums.end(),
                std::accumulate(count.grid_sums.begin(), count.grid_sums.end(), std::int64_t{0})),
            2771539492);
  EXPECT_EQ(release.sums().features.blocks()[1].maps[1].map.hermite().length_scale(), 0.3);
  EXPECT_EQ(release.sums().features.blocks()[1].maps[5].weight, 2.0);
}

/// Of method marginals (README.md beside the file): the count of records, columns, halves of
/// ranges, pairs in two rounds, and triples, looked at and measured.
std::string golden_counts() { return std::string(MEHLER_GOLDEN) + "/counts-1.release"; }

TEST(GoldenRelease, OfCountsReadsAsItWasWritten) {
  const Release release = Release::from_file(golden_counts());
  EXPECT_EQ(release.schema().target(), "outcome");
  EXPECT_EQ(release.schema().relation(), NeighbourRelation::kAddRemoveOne);
  ASSERT_EQ(release.counts().blocks.size(), 27u);
  // The first and the last sum of some blocks, by their names; and all sums together.
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> ends;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < release.counts().blocks.size(); ++i) {
    const std::vector<std::int64_t>& sums = release.counts().blocks[i].grid_sums;
    ends[release.counts().counts.blocks()[i].name] = {sums.front(), sums.back()};
    sum = std::accumulate(sums.begin(), sums.end(), sum);
  }
  EXPECT_EQ(sum, 119375477);
  EXPECT_EQ(ends["count"].first, 119862477);  // 114.3 records, in multiples of 2^-20
  EXPECT_EQ(ends["score (round 1)"].first, -12512);
  EXPECT_EQ(ends["score (values, level 5)"].first, -16017);
  EXPECT_EQ(ends["visit x ward (round 1)"].first, 161);
  EXPECT_EQ(ends["score x ward x outcome (first look)"].first, 9745);
  EXPECT_EQ(ends["score x ward x outcome (round 2)"].first, 10996);
}

TEST(GoldenRelease, OfCountsStatesTheEpsilonThatItsNoiseGives) {
  const PrivacyStatement statement = Release::from_file(golden_counts()).statement();
  EXPECT_EQ(statement.budget.epsilon, 5.0);
  EXPECT_EQ(statement.budget.delta, 1e-6);
  double mu_squared = 0.0;
  for (const Charge& charge : statement.charges) {
    const auto& block = std::get<GaussianSums>(charge);
    mu_squared += std::pow(block.sensitivity / block.sigma, 2.0);
  }
  EXPECT_NEAR(mu_squared, 1.0411287, 1e-7);
  EXPECT_NEAR(epsilon_of_gaussian(std::sqrt(mu_squared), 1e-6), 5.0, 1e-9);
  EXPECT_LE(delta_of_gaussian(std::sqrt(mu_squared), 5.0), 1e-6);
}

TEST(GoldenRelease, OfCountsMeansTheSameTables) {
  const MarginalMeasurements measured(Release::from_file(golden_counts()));
  EXPECT_NEAR(measured.rows(), 119862477.0 / 1048576.0, 1e-9);
  EXPECT_EQ(measured.one_ways().size(), 4u);
  EXPECT_EQ(measured.joint_tables().size(), 10u);  // six pairs, four triples in the pairs' cells
  EXPECT_EQ(measured.splits().size(), 6u);
  const MeasuredMarginal& outcome = measured.one_ways()[3];
  ASSERT_EQ(outcome.deviations.size(), 2u);
  // One contrast, -214 / 256: the difference of the two classes.
  EXPECT_NEAR(outcome.deviations[0] - outcome.deviations[1], -214.0 / 256.0, 1e-12);
  EXPECT_NEAR(1.0 / std::sqrt(outcome.precision), 1.92704, 1e-5);
}

TEST(GoldenRelease, OfCountsIsWrittenWithTheSameNumbers) {
  const std::string bytes = read_whole_file(golden_counts(), "the release", 1 << 20);
  const CheckedFile old = parse_checked_file(bytes, CheckedFileKind::kRelease, 1, "golden");
  const CheckedFile now = parse_checked_file(Release::from_bytes(bytes, "golden").to_bytes(),
                                             CheckedFileKind::kRelease, Release::kVersion, "now");
  EXPECT_EQ(now.payload, old.payload);
}

/// All numbers of a release: how many, the first, the last and their sum.
struct Numbers {
  std::size_t count = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t sum = 0;
  bool operator==(const Numbers&) const = default;
};

Numbers numbers_of(const std::vector<NoisyBlock>& blocks) {
  Numbers numbers{0, blocks.front().grid_sums.front(), blocks.back().grid_sums.back(), 0};
  for (const NoisyBlock& block : blocks) {
    numbers.count += block.grid_sums.size();
    numbers.sum = std::accumulate(block.grid_sums.begin(), block.grid_sums.end(), numbers.sum);
  }
  return numbers;
}

TEST(GoldenRelease, Version2ReadsAsItWasWritten) {
  const auto open = [](const char* name) {
    return Release::from_file(std::string(MEHLER_GOLDEN) + "/" + name);
  };
  const Release people = open("people-2.release");
  EXPECT_EQ(people.method(), "dp-hp");
  EXPECT_EQ(numbers_of(people.sums().blocks),
            (Numbers{807, 351'456'299, 433'346'880'455, 44'399'102'330'355}));
  const Release counts = open("counts-2.release");
  EXPECT_EQ(counts.method(), "marginals");
  EXPECT_EQ(numbers_of(counts.counts().blocks), (Numbers{352, 130'391'809, 22'890, 129'751'906}));
  const Release wide = open("wide-2.release");
  EXPECT_EQ(wide.method(), "marginals");
  EXPECT_EQ(numbers_of(wide.counts().blocks),
            (Numbers{2596, 246'160'551, 278'571'578, 122'250'458'034}));
}

TEST(GoldenRelease, OfAWideTableHasEverySumOfVectors) {
  const Release release = Release::from_file(std::string(MEHLER_GOLDEN) + "/wide-2.release");
  std::map<SumKind, std::size_t> sums;
  for (const CountBlock& block : release.counts().counts.blocks()) {
    if (const VectorSum* sum = block.vector_sum()) {
      ++sums[sum->kind];
    }
  }
  EXPECT_EQ(sums, (std::map<SumKind, std::size_t>{{SumKind::kLengths, 3},
                                                  {SumKind::kMeans, 2},
                                                  {SumKind::kProducts, 2},
                                                  {SumKind::kLoadings, 1},
                                                  {SumKind::kGradient, 20}}));
}

TEST(GoldenRelease, Version2IsWrittenAsItWas) {
  const auto content = [](const std::string& bytes) {
    const CheckedFile file = parse_checked_file(bytes, CheckedFileKind::kRelease, 2, "golden");
    Json header = Json::parse(file.header);
    header.erase("created_by");  // another version of this program
    return header.dump() + file.payload;
  };
  for (const char* name : {"people-2.release", "counts-2.release", "wide-2.release"}) {
    const std::string bytes =
        read_whole_file(std::string(MEHLER_GOLDEN) + "/" + name, "the release", 1 << 20);
    EXPECT_EQ(content(Release::from_bytes(bytes, name).to_bytes()), content(bytes)) << name;
  }
}

}  // namespace golden_test
}  // namespace mehler
