#include "mehler/images/brightness.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <vector>

namespace mehler {
namespace brightness_test {

TEST(ImageBytes, ComeBackFromFloats) {
  std::vector<std::uint8_t> bytes(256);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  std::vector<float> image(256);
  image_of_bytes(bytes, image);
  EXPECT_EQ(image.front(), 0.0F);
  EXPECT_EQ(image.back(), 1.0F);
  std::vector<std::uint8_t> found(256);
  bytes_of_image(image, found);
  EXPECT_EQ(found, bytes);
}

TEST(ImageBytes, TakeAnyFloat) {
  const std::vector<float> image = {-1.0F,
                                    2.0F,
                                    std::numeric_limits<float>::infinity(),
                                    -std::numeric_limits<float>::infinity(),
                                    std::numeric_limits<float>::quiet_NaN(),
                                    0.5F};
  std::vector<std::uint8_t> found(image.size());
  bytes_of_image(image, found);
  EXPECT_EQ(found, (std::vector<std::uint8_t>{0, 255, 255, 0, 0, 128}));
}

TEST(Brightness, OfColoursIsTheirSharesOfWhite) {
  const std::vector<std::uint8_t> pixels = {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255};
  std::vector<double> of_bytes(4);
  brightness_of_bytes(pixels, 3, of_bytes);
  std::vector<float> image(pixels.size());
  image_of_bytes(pixels, image);
  std::vector<float> of_image(4);
  brightness_of_image(image, 3, of_image);
  const std::vector<double> expected = {0.299, 0.587, 0.114, 1.0};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(of_bytes[i], expected[i], 1e-15);
    EXPECT_NEAR(of_image[i], expected[i], 1e-7);
  }
}

}  // namespace brightness_test
}  // namespace mehler
