#include "mehler/measurement/noise.h"

#include <cmath>

#include "mehler/core/error.h"
#include "mehler/privacy/rounded_gaussian.h"
#include "mehler/privacy/secure_random.h"

namespace mehler {

void scale_to_grid(WipedVector<std::int64_t>& sums, int grid_exponent) {
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

NoisyBlock with_noise(const FeatureBlock& block, std::size_t rows, WipedVector<std::int64_t> sums,
                      double sigma) {
  const std::size_t columns = block.dimension();
  MEHLER_ASSERT(sums.size() == rows * columns);
  SecureRandom random;
  for (const FeatureSegment& segment : block.segments()) {
    RoundedGaussian<SecureRandom> noise(random,
                                        std::ldexp(sigma / segment.weight, block.grid_exponent()));
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < segment.count; ++i) {
        std::int64_t& sum = sums[row * columns + segment.first + i];
        const bool overflow = __builtin_add_overflow(sum, noise.sample(), &sum);
        MEHLER_ASSERT(!overflow);
      }
    }
  }
  return {rows, columns, {sums.begin(), sums.end()}, block.grid_exponent()};
}

void require_public_rows(std::uint64_t rows, NeighbourRelation relation) {
  if (rows == 0 && relation == NeighbourRelation::kReplaceOne) {
    throw Error(ErrorCode::kInvalidTable,
                "the table has a header but no rows; give a table with at least one record");
  }
}

}  // namespace mehler
