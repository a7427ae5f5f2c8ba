#include "mehler/images/gradient_features.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/core/worker_pool.h"
#include "mehler/images/brightness.h"
#include "tests/support/test_images.h"

namespace mehler {
namespace gradient_features_test {

constexpr std::size_t kCells = 7;
constexpr std::size_t kHistogram = kCells * kCells * kOrientations;

std::vector<float> features_of(const ImageShape& shape, const std::vector<std::uint8_t>& pixels) {
  const GradientFeatures features(shape);
  std::vector<float> image(pixels.size());
  image_of_bytes(pixels, image);
  std::vector<float> result(features.dimension());
  features.compute(image, result);
  return result;
}

double length_of(const std::vector<float>& values) { return std::sqrt(sums_of(values).squares); }

TEST(GradientFeatures, HaveTheDimensionsOfTheMethod) {
  EXPECT_EQ(GradientFeatures({28, 28, 1}).dimension(), 1372U);
  EXPECT_EQ(GradientFeatures({28, 28, 3}).dimension(), 1764U);
  EXPECT_EQ(GradientFeatures({64, 64, 3}).dimension(), 1764U);
  EXPECT_EQ(GradientFeatures({8, 8, 1}).dimension(), 1176U + 64U);
  EXPECT_EQ(GradientFeatures({1, 64, 1}).dimension(), 3U * 7U * 8U + 14U);
  EXPECT_EQ(GradientFeatures({1, 1, 1}).dimension(), 25U);
}

// The numbers are those of the method's reference, run in double precision (conv2d, atan2 and
// avg_pool2d of torch), its directions moved to the end.
TEST(GradientFeatures, AgreeWithTheReference) {
  const std::vector<float> features = features_of({28, 28, 1}, textured_ellipse());
  const std::vector<std::pair<std::size_t, double>> entries = {
      {200, 0.000127422}, {204, 0.019185227}, {600, 0.0}, {1000, 0.014477898}, {1266, 0.077377749}};
  for (const auto& [place, expected] : entries) {
    EXPECT_NEAR(features[place], expected, 2e-7) << place;
  }
  const ValueSums sums = sums_of(features);
  EXPECT_NEAR(sums.values, 0.1044344524, 2e-6);
  EXPECT_NEAR(sums.placed_squares, 0.0141356407, 2e-7);
}

TEST(GradientFeatures, HaveLengthOneAndLessOnlyForBlack) {
  for (const ImageShape& shape : odd_shapes()) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      std::vector<std::uint8_t> pixels = random_pixels(shape, seed);
      pixels[0] = 1;
      const std::vector<float> features = features_of(shape, pixels);
      EXPECT_NEAR(length_of(features), 1.0, 1e-6);
      for (const float feature : features) {
        EXPECT_GE(feature, 0.0F);
      }
    }
    EXPECT_NEAR(length_of(features_of(shape, std::vector<std::uint8_t>(shape.size(), 255))), 1.0,
                1e-6);
    EXPECT_NEAR(length_of(features_of(shape, std::vector<std::uint8_t>(shape.size(), 0))),
                std::sqrt(0.75), 1e-6);
  }
}

TEST(GradientFeatures, TurnWithThePicture) {
  // Edges everywhere: a pixel without one has direction 0 whichever way it is turned.
  const std::vector<std::uint8_t> pixels = random_pixels({28, 28, 1}, 7);
  std::vector<std::uint8_t> turned(pixels.size());
  for (std::size_t r = 0; r < 28; ++r) {
    for (std::size_t c = 0; c < 28; ++c) {
      turned[c * 28 + 27 - r] = pixels[r * 28 + c];  // a quarter clockwise
    }
  }
  const std::vector<float> before = features_of({28, 28, 1}, pixels);
  const std::vector<float> after = features_of({28, 28, 1}, turned);
  for (std::size_t histogram = 0; histogram < 3; ++histogram) {
    for (std::size_t i = 0; i < kCells; ++i) {
      for (std::size_t j = 0; j < kCells; ++j) {
        for (std::size_t direction = 0; direction < kOrientations; ++direction) {
          const std::size_t from =
              histogram * kHistogram + (i * kCells + j) * kOrientations + direction;
          const std::size_t to = histogram * kHistogram + (j * kCells + 6 - i) * kOrientations +
                                 (direction + 2) % kOrientations;
          EXPECT_NEAR(before[from], after[to], 1e-5);
        }
      }
    }
  }
}

TEST(GradientFeatures, PointFromDarkToBright) {
  std::vector<std::uint8_t> ramp;
  for (std::size_t r = 0; r < 28; ++r) {
    for (std::size_t c = 0; c < 28; ++c) {
      ramp.push_back(static_cast<std::uint8_t>(5 * r + 5 * c));  // rises to the right and down
    }
  }
  const std::vector<float> features = features_of({28, 28, 1}, ramp);
  for (std::size_t histogram = 0; histogram < 2; ++histogram) {
    const std::size_t middle = histogram * kHistogram + 24 * kOrientations;
    for (std::size_t direction = 0; direction < kOrientations; ++direction) {
      EXPECT_NEAR(features[middle + direction], direction == 1 ? features[middle + 1] : 0.0F, 1e-6);
    }
    EXPECT_GT(features[middle + 1], 0.03F);
  }
}

TEST(GradientFeatures, AreNearlyThoseOfThePictureAtEverySize) {
  const std::vector<float> expected = features_of({28, 28, 1}, soft_spot({28, 28, 1}));
  for (const std::size_t side : {42, 56, 64}) {
    const std::vector<float> found = features_of({side, side, 1}, soft_spot({side, side, 1}));
    ASSERT_EQ(found.size(), expected.size());
    double product = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      product += static_cast<double>(found[i]) * static_cast<double>(expected[i]);
    }
    EXPECT_GT(product, 0.98) << side;
  }
}

TEST(GradientFeatures, GiveTheSameBitsInAnyOrderOnAnyThread) {
  const ImageShape shape{20, 24, 3};
  constexpr std::size_t kImages = 40;
  const GradientFeatures features(shape);
  std::vector<std::vector<float>> alone;
  for (std::size_t i = 0; i < kImages; ++i) {
    alone.push_back(features_of(shape, random_pixels(shape, i)));
  }
  for (const std::size_t threads : {1, 3}) {
    std::vector<std::vector<float>> found(kImages, std::vector<float>(features.dimension()));
    WorkerPool(threads).run(kImages, [&](std::size_t task) {
      const std::size_t i = kImages - 1 - task;
      std::vector<float> image(shape.size());
      image_of_bytes(random_pixels(shape, i), image);
      features.compute(image, found[i]);
    });
    EXPECT_EQ(found, alone);
  }
}

}  // namespace gradient_features_test
}  // namespace mehler
