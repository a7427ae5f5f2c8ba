#include "mehler/embedding/noise.h"

#include <cmath>

#include "mehler/core/error.h"
#include "mehler/privacy/rounded_gaussian.h"
#include "mehler/privacy/secure_random.h"

namespace mehler {

void scale_to_grid(std::vector<std::int64_t>& sums, int grid_exponent) {
  const std::int64_t limit = std::int64_t{1} << (62 - grid_exponent);
  for (std::int64_t& sum : sums) {
    if (sum > limit || sum < -limit) {
      throw Error(ErrorCode::kInvalidTable,
                  "the table has so many records and categories that exact sums leave 64 bits; "
                  "split the table, or group categories in the schema");
    }
    sum *= std::int64_t{1} << grid_exponent;
  }
}

NoisyBlock with_noise(const FeatureBlock& block, std::size_t rows, std::vector<std::int64_t> sums,
                      double sigma) {
  NoisyBlock noisy{rows, block.dimension(), std::move(sums), block.grid_exponent()};
  MEHLER_ASSERT(noisy.grid_sums.size() == noisy.rows * noisy.columns);
  SecureRandom random;
  for (const FeatureSegment& segment : block.segments()) {
    RoundedGaussian<SecureRandom> noise(random,
                                        std::ldexp(sigma / segment.weight, noisy.grid_exponent));
    for (std::size_t row = 0; row < noisy.rows; ++row) {
      for (std::size_t i = 0; i < segment.count; ++i) {
        std::int64_t& sum = noisy.grid_sums[row * noisy.columns + segment.first + i];
        const bool overflow = __builtin_add_overflow(sum, noise.sample(), &sum);
        MEHLER_ASSERT(!overflow);
      }
    }
  }
  return noisy;
}

void require_rows(std::uint64_t rows) {
  if (rows == 0) {
    throw Error(ErrorCode::kInvalidTable,
                "the table has a header but no rows; give a table with at least one record");
  }
}

}  // namespace mehler
