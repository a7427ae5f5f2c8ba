#include "mehler/images/pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mehler/core/seeded_random.h"
#include "mehler/images/gaussian_blur.h"

namespace mehler {
namespace pooling_test {

TEST(Pooling, WindowsOf28PixelsAreWholePixels) {
  const auto narrow = pooling_windows(28, 7, 0.25);
  const auto wide = pooling_windows(28, 7, 0.5);
  EXPECT_EQ(narrow[0].first, 0U);
  EXPECT_EQ(narrow[0].weights, std::vector<float>(5, 0.2F));
  EXPECT_EQ(narrow[3].first, 11U);
  EXPECT_EQ(narrow[3].weights, std::vector<float>(6, static_cast<float>(1.0 / 6.0)));
  EXPECT_EQ(wide[6].first, 22U);
  EXPECT_EQ(wide[6].weights, std::vector<float>(6, static_cast<float>(1.0 / 6.0)));
  EXPECT_EQ(wide[1].weights, std::vector<float>(8, 0.125F));
}

TEST(Pooling, WindowsOfEverySizeHaveWeightsOfSumOne) {
  for (std::size_t pixels = 1; pixels <= 64; ++pixels) {
    for (const std::size_t cells : {std::size_t{1}, std::size_t{7}, std::size_t{14}}) {
      for (const double margin : {0.0, 0.25, 0.5}) {
        for (const PoolingWindow& window : pooling_windows(pixels, cells, margin)) {
          ASSERT_LE(window.first + window.weights.size(), pixels);
          EXPECT_NEAR(std::accumulate(window.weights.begin(), window.weights.end(), 0.0), 1.0,
                      1e-6);
        }
      }
    }
  }
}

TEST(Pooling, AveragesEachDepthByItself) {
  // 2 x 3 pixels of depth 2 into one row of cells of 1.5 pixels.
  const std::vector<float> field = {1, 10, 2, 20, 3, 30, 5, 50, 6, 60, 7, 70};
  const Pooling pooling(2, 3, 2, 1, 2, 0.0);
  std::vector<float> found(4);
  pooling.apply(field, found);
  const std::vector<float> expected = {10.0F / 3.0F, 100.0F / 3.0F, 14.0F / 3.0F, 140.0F / 3.0F};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-5F);
  }
}

TEST(GaussianBlur, IsTheSumThatDefinesIt) {
  constexpr std::size_t kRows = 9;
  constexpr std::size_t kColumns = 13;
  for (const double sigma : {0.1, 0.7, 1.5, 6.0}) {
    SeededRandom random(2);
    std::vector<float> field(kRows * kColumns);
    random.fill_normal(field);
    std::vector<float> found(field.size());
    const GaussianBlur blur(kRows, kColumns, sigma);
    blur.apply(field, found);
    const auto radius = static_cast<std::ptrdiff_t>(std::floor(3.0 * sigma + 0.5));
    double sum = 0.0;
    double squares = 0.0;
    const auto weight = [&](std::ptrdiff_t i) {
      return std::exp(-static_cast<double>(i * i) / (2.0 * sigma * sigma));
    };
    for (std::ptrdiff_t i = -radius; i <= radius; ++i) {
      sum += weight(i);
    }
    for (std::ptrdiff_t i = -radius; i <= radius; ++i) {
      squares += weight(i) * weight(i) / (sum * sum);
    }
    EXPECT_NEAR(blur.noise_deviation(), squares, 1e-6);
    for (std::ptrdiff_t r = 0; r < static_cast<std::ptrdiff_t>(kRows); ++r) {
      for (std::ptrdiff_t c = 0; c < static_cast<std::ptrdiff_t>(kColumns); ++c) {
        double expected = 0.0;
        for (std::ptrdiff_t y = 0; y < static_cast<std::ptrdiff_t>(kRows); ++y) {
          for (std::ptrdiff_t x = 0; x < static_cast<std::ptrdiff_t>(kColumns); ++x) {
            if (std::abs(y - r) <= radius && std::abs(x - c) <= radius) {
              expected += weight(y - r) * weight(x - c) / (sum * sum) *
                          static_cast<double>(field[y * kColumns + x]);
            }
          }
        }
        EXPECT_NEAR(found[r * kColumns + c], expected, 1e-6);
      }
    }
    blur.apply(field, field);
    EXPECT_EQ(field, found);
  }
}

}  // namespace pooling_test
}  // namespace mehler
