#include "mehler/images/diversify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mehler/core/worker_pool.h"
#include "mehler/images/brightness.h"
#include "tests/support/errors.h"
#include "tests/support/test_images.h"

namespace mehler {
namespace diversify_test {

std::vector<float> ellipse_image() {
  const std::vector<std::uint8_t> pixels = textured_ellipse();
  std::vector<float> image(pixels.size());
  image_of_bytes(pixels, image);
  return image;
}

TEST(Diversifier, DependsOnSeedAndNumberAlone) {
  const Diversifier diversifier({28, 28, 1});
  constexpr std::size_t kAtOnce = 30;
  std::vector<std::vector<float>> alone(kAtOnce, ellipse_image());
  for (std::size_t i = 0; i < kAtOnce; ++i) {
    Diversifier({28, 28, 1}).apply(9, i, alone[i]);
  }
  std::vector<std::vector<float>> images(kAtOnce, ellipse_image());
  WorkerPool(3).run(kAtOnce, [&](std::size_t task) {
    const std::size_t i = kAtOnce - 1 - task;
    diversifier.apply(9, i, images[i]);
  });
  EXPECT_EQ(images, alone);
  EXPECT_NE(images[0], images[1]);
  std::vector<float> other_seed = ellipse_image();
  diversifier.apply(10, 0, other_seed);
  EXPECT_NE(other_seed, images[0]);
}

TEST(Diversifier, WithoutOptionsChangesNothing) {
  const Diversifier diversifier({28, 28, 1}, {.elastic = 0.0, .gamma = 0.0, .brightness = 0.0});
  std::vector<float> image = ellipse_image();
  diversifier.apply(1, 2, image);
  EXPECT_EQ(image, ellipse_image());
}

TEST(Diversifier, TakesPowersAndFactorsWithinTheOptions) {
  const Diversifier diversifier({1, 2, 1}, {.elastic = 0.0});
  double least_exponent = 9.0;
  double largest_exponent = 0.0;
  double least_factor = 9.0;
  double largest_factor = 0.0;
  for (std::size_t i = 0; i < 2000; ++i) {
    // Of .5 and .25 the results' ratio is 2^exponent.
    std::vector<float> image = {0.5F, 0.25F};
    diversifier.apply(4, i, image);
    const double exponent =
        std::log2(static_cast<double>(image[0]) / static_cast<double>(image[1]));
    const double factor = static_cast<double>(image[0]) / std::pow(0.5, exponent);
    least_exponent = std::min(least_exponent, exponent);
    largest_exponent = std::max(largest_exponent, exponent);
    least_factor = std::min(least_factor, factor);
    largest_factor = std::max(largest_factor, factor);
  }
  EXPECT_NEAR(std::log(least_exponent), -0.3, 0.01);
  EXPECT_NEAR(std::log(largest_exponent), 0.3, 0.01);
  EXPECT_NEAR(std::log(least_factor), -0.2, 0.01);
  EXPECT_NEAR(std::log(largest_factor), 0.2, 0.01);
}

constexpr std::size_t kImages = 4000;

/// The root of the mean squared displacement across, of images whose brightness tells the column.
double displacement_of(std::size_t side, double elastic) {
  const ImageShape shape{side, side, 1};
  const Diversifier diversifier(shape, {.elastic = elastic, .gamma = 0.0, .brightness = 0.0});
  double sum = 0.0;
  for (std::size_t number = 0; number < kImages; ++number) {
    std::vector<float> image(side * side);
    for (std::size_t i = 0; i < image.size(); ++i) {
      image[i] = static_cast<float>(i % side) / static_cast<float>(side);
    }
    diversifier.apply(5, number, image);
    // Near the borders blurred fields are weaker, and what comes from outside is black.
    const double moved =
        static_cast<double>(image[side / 2 * side + side / 2]) * static_cast<double>(side) -
        static_cast<double>(side / 2);
    sum += moved * moved;
  }
  return std::sqrt(sum / static_cast<double>(kImages));
}

TEST(Diversifier, MovesPixelsAsFarAsItSays) {
  // a ~ U(0, 1.3) times a normal: the mean square is 1.3^2 / 3.
  EXPECT_NEAR(displacement_of(28, 1.3), 1.3 / std::sqrt(3.0), 0.04);
  EXPECT_NEAR(displacement_of(14, 1.3), 0.65 / std::sqrt(3.0), 0.02);
  EXPECT_NEAR(displacement_of(28, 0.5), 0.5 / std::sqrt(3.0), 0.015);
}

TEST(Diversifier, KeepsEveryShapeInRange) {
  for (const ImageShape& shape : odd_shapes()) {
    const Diversifier diversifier(shape, {.elastic = 4.0, .gamma = 4.0, .brightness = 4.0});
    for (std::uint64_t number = 0; number < 10; ++number) {
      std::vector<float> image(shape.size());
      image_of_bytes(random_pixels(shape, number), image);
      diversifier.apply(1, number, image);
      for (const float value : image) {
        ASSERT_TRUE(value >= 0.0F && value <= 1.0F);
      }
    }
    std::vector<float> black(shape.size(), 0.0F);
    diversifier.apply(1, 2, black);
    EXPECT_EQ(black, std::vector<float>(shape.size(), 0.0F));
  }
}

TEST(Diversifier, RefusesOptionsThatAreNone) {
  const auto expect_refusal = [](const char* name, const DiversifyOptions& options) {
    expect_mentions(message_of(ErrorCode::kInvalidArgument,
                               [&] {
                                 Diversifier({28, 28, 1}, options);
                               }),
                    {name, "[0, 4]"});
  };
  for (const double bad : {-0.1, 4.1, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    expect_refusal("elastic", {.elastic = bad});
    expect_refusal("gamma", {.gamma = bad});
    expect_refusal("brightness", {.brightness = bad});
  }
}

}  // namespace diversify_test
}  // namespace mehler
