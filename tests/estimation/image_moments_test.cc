#include "mehler/estimation/image_moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mehler/core/seeded_random.h"
#include "tests/support/errors.h"

namespace mehler {
namespace image_moments_test {

MeasuredSum lengths(std::vector<double> counts, double width) {
  MeasuredSum measured;
  measured.sum.kind = SumKind::kLengths;
  measured.sum.cells = counts.size();
  measured.sum.cell_width = width;
  measured.values = std::move(counts);
  return measured;
}

Dense noise(std::size_t size, double sigma, SeededRandom& random) {
  Dense result(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) {
      const double scale = i == j ? sigma : sigma * std::sqrt(0.5);
      result.at(i, j) = result.at(j, i) = scale * random.normal();
    }
  }
  return result;
}

TEST(LengthQuantile, IsTheUpperEdgeOfTheFirstCellThatReachesTheShare) {
  EXPECT_EQ(length_quantile(lengths({10, 20, 60, 10}, 0.5), 0.9), 1.5);
  EXPECT_EQ(length_quantile(lengths({10, 20, 60, 10}, 0.5), 0.91), 2.0);
  // A negative count takes from what was there: with 0 in its place the first cell would do.
  EXPECT_EQ(length_quantile(lengths({90, -30, 30, 10}, 1.0), 0.5), 1.0);
  EXPECT_EQ(length_quantile(lengths({45, -30, 75, 10}, 1.0), 0.4), 1.0);
  EXPECT_EQ(length_quantile(lengths({45, -30, 75, 10}, 1.0), 0.5), 3.0);
}

TEST(LengthQuantile, IsNothingWhereNoiseHidesIt) {
  for (const std::vector<double>& counts : {std::vector<double>{3, -9, 2}, {0, 0, 0}}) {
    EXPECT_FALSE(length_quantile(lengths(counts, 1.0), 0.9));
  }
  MeasuredSum noisy = lengths({10, 20, 60, 10}, 0.5);
  noisy.sigma = 16.0;  // of the sum 32
  EXPECT_TRUE(length_quantile(noisy, 0.9));
  noisy.sigma = 17.0;
  EXPECT_FALSE(length_quantile(noisy, 0.9));
}

TEST(ShrinkByGroups, KeepsWhatStandsOutAndTheDiagonal) {
  const ImageCodec codec({12, 12, 1});
  const std::size_t size = codec.dimension();
  SeededRandom random(1);
  Dense scatter = noise(size, 1.0, random);
  // Coordinates whose waves differ by 1 across and none down go together.
  std::vector<std::pair<std::size_t, std::size_t>> strong;
  for (std::size_t i = 0; i < size; ++i) {
    scatter.at(i, i) += 20.0;
    for (std::size_t j = i + 1; j < size; ++j) {
      const CodecCoordinate& a = codec.coordinates()[i];
      const CodecCoordinate& b = codec.coordinates()[j];
      if (a.block == b.block && a.waves.down == b.waves.down &&
          a.waves.across + 1 == b.waves.across) {
        scatter.at(i, j) = scatter.at(j, i) = scatter.at(i, j) + 10.0;
        strong.emplace_back(i, j);
      }
    }
  }
  const ShrunkScatter shrunk = shrink_by_groups(scatter, 1.0, codec.coordinates());
  double kept = 0.0;
  double all = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    EXPECT_EQ(shrunk.matrix.at(i, i), scatter.at(i, i));
    for (std::size_t j = i + 1; j < size; ++j) {
      EXPECT_EQ(shrunk.matrix.at(i, j), scatter.at(i, j) * shrunk.factors.at(i, j));
      EXPECT_EQ(shrunk.factors.at(i, j), shrunk.factors.at(j, i));
      kept += shrunk.factors.at(i, j);
      all += 1.0;
    }
  }
  for (const auto& [i, j] : strong) {
    EXPECT_GT(shrunk.factors.at(i, j), 0.97);
  }
  EXPECT_LT(kept / all, 0.25);  // most is noise
}

TEST(NoiseEdge, IsWhereNoiseAloneEnds) {
  constexpr std::size_t kSize = 200;
  Dense ones(kSize, kSize);
  std::fill(ones.values.begin(), ones.values.end(), 1.0);
  const double edge = noise_edge(ones, 0.3, 5, 1);
  // Of such matrices it is sigma sqrt(2 size), nearly.
  EXPECT_NEAR(edge, 0.3 * std::sqrt(2.0 * kSize), 0.05 * edge);
  EXPECT_EQ(edge, noise_edge(ones, 0.3, 5, 1));
  SeededRandom random(9);
  Dense simulated = noise(kSize, 0.3, random);
  const EigenPairs pairs = symmetric_eigen(simulated.values, kSize);
  EXPECT_NEAR(std::max(pairs.values.front(), -pairs.values.back()), edge, 0.06 * edge);
}

TEST(MeansOutside, NoiseVanishesAndSignalStays) {
  constexpr std::size_t kSize = 60;
  Dense identity(kSize, kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    identity.at(i, i) = static_cast<double>(kSize - i);  // eigenvectors in this order
  }
  const EigenPairs pairs = symmetric_eigen(identity.values, kSize);
  SeededRandom random(2);
  Dense means(4, kSize);
  for (double& value : means.values) {
    value = 0.01 * random.normal();
  }
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < 20; ++i) {
      means.at(k, i) += k % 2 == 0 ? 1.0 : -1.0;
    }
  }
  const Dense outside = means_outside(means, pairs, 5, 0.012);
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < kSize; ++i) {
      if (i < 5) {
        EXPECT_NEAR(outside.at(k, i), 0.0, 1e-12);  // inside of the subspace
      } else if (i < 20) {
        EXPECT_NEAR(outside.at(k, i), means.at(k, i), 1e-3);
      } else if (i >= 26) {
        EXPECT_NEAR(outside.at(k, i), 0.0, 0.012);
      }
    }
  }
}

TEST(ShrinkToMean, ClassesThatDifferByNoiseAloneBecomeTheirMean) {
  constexpr std::size_t kSize = 8;
  SeededRandom random(4);
  std::vector<Dense> same;
  for (std::size_t k = 0; k < 10; ++k) {
    Dense scatter = noise(kSize, 0.1, random);
    for (std::size_t i = 0; i < kSize; ++i) {
      scatter.at(i, i) += 2.0;
    }
    same.push_back(std::move(scatter));
  }
  const std::vector<Dense> shrunk = shrink_to_mean(same, 0.1);
  double spread = 0.0;
  for (const Dense& scatter : shrunk) {
    spread += std::fabs(scatter.at(0, 1)) / 10.0;
    EXPECT_GT(symmetric_eigen(scatter.values, kSize).values.back(), 0.0);
  }
  EXPECT_LT(spread, 0.06);  // noise alone has .056 beside the diagonal, before its mean

  // Of classes that do differ, the difference is kept.
  same[0].at(0, 1) = same[0].at(1, 0) = 1.5;
  same[1].at(0, 1) = same[1].at(1, 0) = -1.5;
  const std::vector<Dense> kept = shrink_to_mean(same, 0.1);
  EXPECT_NEAR(kept[0].at(0, 1), 1.5, 0.2);
  EXPECT_NEAR(kept[1].at(0, 1), -1.5, 0.2);
}

TEST(ShrinkToMean, IsPositiveWhateverTheNoise) {
  SeededRandom random(6);
  std::vector<Dense> scatters;
  for (std::size_t k = 0; k < 3; ++k) {
    scatters.push_back(noise(6, 5.0, random));
  }
  for (const Dense& scatter : shrink_to_mean(scatters, 5.0)) {
    EXPECT_GT(symmetric_eigen(scatter.values, 6).values.back(), 0.0);
  }
}

TEST(VariancesOutside, AreMeansOverOneBlockAndOneFrequency) {
  const ImageCodec codec({8, 8, 1});
  const std::size_t size = codec.dimension();
  Dense scatter(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    const CodecCoordinate& coordinate = codec.coordinates()[i];
    scatter.at(i, i) = static_cast<double>(coordinate.waves.down) +
                       (coordinate.block == CodecBlock::kSilhouette ? 100.0 : 0.0);
  }
  std::vector<double> direction(size, 0.0);
  direction[0] = 1.0;
  const std::vector<double> variances = {1000.0};
  const std::vector<double> left =
      variances_outside(scatter, direction, variances, codec.coordinates());
  EXPECT_EQ(left[0], 0.0);  // not below 0
  for (std::size_t i = 1; i < size; ++i) {
    const CodecCoordinate& coordinate = codec.coordinates()[i];
    if (coordinate.block == CodecBlock::kBrightness && coordinate.frequency() == 2) {
      EXPECT_NEAR(left[i], 1.0, 1e-12);  // 0, 1 and 2 half waves down
    }
  }
}

}  // namespace image_moments_test
}  // namespace mehler
