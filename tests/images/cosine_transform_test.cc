#include "mehler/images/cosine_transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace cosine_transform_test {

std::vector<double> normals(std::size_t count, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<double> values(count);
  for (double& value : values) {
    value = random.normal();
  }
  return values;
}

TEST(CosineTransform, IsTheSumThatDefinesIt) {
  constexpr std::size_t kRows = 5;
  constexpr std::size_t kColumns = 8;
  const CosineTransform transform(kRows, kColumns, kRows, kColumns, 1);
  const std::vector<double> field = normals(kRows * kColumns, 1);
  std::vector<double> found(transform.waves().size());
  transform.forward(field, found);
  const auto wave = [](std::size_t k, std::size_t i, std::size_t size) {
    const auto length = static_cast<double>(size);
    return std::sqrt((k > 0 ? 2.0 : 1.0) / length) *
           std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) * static_cast<double>(k) /
                    length);
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const WaveNumbers waves = transform.waves()[i];
    double sum = 0.0;
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t c = 0; c < kColumns; ++c) {
        sum +=
            wave(waves.down, r, kRows) * wave(waves.across, c, kColumns) * field[r * kColumns + c];
      }
    }
    EXPECT_NEAR(found[i], sum, 1e-13);
  }
}

TEST(CosineTransform, KeepsTheLengthAndComesBack) {
  for (const auto& [rows, columns] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {1, 64}, {64, 1}, {7, 12}, {28, 28}, {64, 64}}) {
    const CosineTransform transform(rows, columns, 6 * rows, 6 * columns, 7);
    const std::vector<double> transformed = normals(transform.waves().size(), rows);
    std::vector<double> field(rows * columns);
    transform.backward(transformed, field);
    std::vector<double> found(transformed.size());
    transform.forward(field, found);
    double before = 0.0;
    double after = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], transformed[i], 1e-12);
      before += transformed[i] * transformed[i];
    }
    for (const double value : field) {
      after += value * value;
    }
    EXPECT_NEAR(after / before, 1.0, 1e-12);
  }
}

TEST(CosineTransform, KeepsTheTriangleOfLowFrequencies) {
  const CosineTransform transform(4, 8, 4, 8, 2);  // k/2 + l/4 < 1
  const std::vector<WaveNumbers> expected = {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}};
  EXPECT_TRUE(std::equal(transform.waves().begin(), transform.waves().end(), expected.begin(),
                         expected.end()));
}

}  // namespace cosine_transform_test
}  // namespace mehler
