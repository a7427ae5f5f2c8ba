#include "mehler/measurement/internal/noise.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/privacy/exact_bernoulli.h"
#include "mehler/privacy/laplace_mechanism.h"
#include "mehler/privacy/rounded_gaussian.h"
#include "mehler/privacy/secure_random.h"
#include "mehler/privacy/subsampled_mechanism.h"

namespace mehler {

namespace {

/// Adds noise of this standard deviation to some of the sums, in multiples of 2^-grid_exponent.
void add_noise(SecureRandom& random, double sigma, int grid_exponent,
               std::span<std::int64_t> sums) {
  RoundedGaussian<SecureRandom> noise(random, std::ldexp(sigma, grid_exponent));
  for (std::int64_t& sum : sums) {
    const bool overflow = __builtin_add_overflow(sum, noise.sample(), &sum);
    MEHLER_ASSERT(!overflow);
  }
}

/// Numbers as multiples of units that are 2^exponent times smaller.
void scale_to_grid(WipedVector<std::int64_t>& counts, int exponent) {
  const std::int64_t limit = std::int64_t{1} << (62 - exponent);  // leaves room for noise
  for (std::int64_t& count : counts) {
    if (count > limit || count < -limit) {
      throw Error(ErrorCode::kInvalidTable,
                  "the table has so many records and categories that exact counts leave 64 bits; "
                  "split the table, or group categories in the schema");
    }
    count *= std::int64_t{1} << exponent;
  }
}

}  // namespace

NoisyBlock with_noise(const FeatureBlock& block, std::size_t rows, WipedVector<std::int64_t> sums,
                      double sigma) {
  const std::size_t columns = block.dimension();
  MEHLER_ASSERT(sums.size() == rows * columns);
  SecureRandom random;
  for (const FeatureSegment& segment : block.segments()) {
    for (std::size_t row = 0; row < rows; ++row) {
      add_noise(random, sigma / segment.weight, block.grid_exponent(),
                std::span(sums).subspan(row * columns + segment.first, segment.count));
    }
  }
  return {rows, columns, {sums.begin(), sums.end()}, block.grid_exponent()};
}

NoisyBlock with_noise(const CountBlock& block, WipedVector<std::int64_t> counts, double sigma) {
  const std::vector<double> scales = block.noise_scales();
  MEHLER_ASSERT(counts.size() == scales.size());
  scale_to_grid(counts, block.grid_exponent() - block.exact_exponent());
  SecureRandom random;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    add_noise(random, sigma * scales[i], block.grid_exponent(), std::span(&counts[i], 1));
  }
  return {1, counts.size(), {counts.begin(), counts.end()}, block.grid_exponent()};
}

NoisyBlock with_laplace_noise(const CountBlock& block, WipedVector<std::int64_t> counts,
                              std::uint64_t rate) {
  MEHLER_ASSERT(counts.size() == block.dimension());
  scale_to_grid(counts, block.grid_exponent() - block.exact_exponent());
  SecureRandom random;
  // A step of the grid is 2^-grid_exponent of a record.
  DiscreteLaplace<SecureRandom> noise(random, rate,
                                      LaplaceMechanism::kRateExponent + block.grid_exponent());
  for (std::int64_t& count : counts) {
    const bool overflow = __builtin_add_overflow(count, noise.sample(), &count);
    MEHLER_ASSERT(!overflow);
  }
  return {1, counts.size(), {counts.begin(), counts.end()}, block.grid_exponent()};
}

std::vector<float> with_gradient_noise(std::span<std::int64_t> sums, double multiplier,
                                       double clip_norm, WorkerPool& pool) {
  constexpr std::size_t kNoisesOfTask = 4096;
  constexpr double kUnit = 1.0 / static_cast<double>(std::int64_t{1} << kGradientGridExponent);
  std::vector<float> result(sums.size());
  pool.run(ceil_divide(sums.size(), kNoisesOfTask), [&](std::size_t task) {
    const std::size_t first = task * kNoisesOfTask;
    const auto some = sums.subspan(first, std::min(kNoisesOfTask, sums.size() - first));
    SecureRandom random;
    add_noise(random, multiplier, kGradientGridExponent, some);
    for (std::size_t i = 0; i < some.size(); ++i) {
      result[first + i] = static_cast<float>(clip_norm * (static_cast<double>(some[i]) * kUnit));
    }
  });
  return result;
}

void require_public_rows(std::uint64_t rows, NeighbourRelation relation) {
  if (rows == 0 && relation == NeighbourRelation::kReplaceOne) {
    throw Error(ErrorCode::kInvalidTable,
                "the table has a header but no rows; give a table with at least one record");
  }
}

}  // namespace mehler
