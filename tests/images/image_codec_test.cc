#include "mehler/images/image_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mehler/core/worker_pool.h"
#include "mehler/images/brightness.h"
#include "tests/support/test_images.h"

namespace mehler {
namespace image_codec_test {

std::vector<double> code_of(const ImageCodec& codec, const std::vector<std::uint8_t>& pixels) {
  std::vector<double> code(codec.dimension());
  codec.encode(pixels, code);
  return code;
}

std::vector<float> image_of(const ImageCodec& codec, const std::vector<double>& code) {
  std::vector<float> image(codec.shape().size());
  codec.decode(code, image);
  return image;
}

/// The root of the mean squared difference of an image and what its code gives back.
double error_of_round_trip(const ImageShape& shape, const std::vector<std::uint8_t>& pixels) {
  const ImageCodec codec(shape);
  const std::vector<float> found = image_of(codec, code_of(codec, pixels));
  std::vector<float> image(pixels.size());
  image_of_bytes(pixels, image);
  double sum = 0.0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    sum += std::pow(static_cast<double>(found[i] - image[i]), 2.0);
  }
  return std::sqrt(sum / static_cast<double>(image.size()));
}

TEST(ImageCodec, HasTheCoordinatesOfTheMethod) {
  const ImageCodec codec({28, 28, 1});
  ASSERT_EQ(codec.dimension(), 405U);
  std::vector<CodecCoordinate> expected;
  for (const auto& [block, limit] : {std::pair(CodecBlock::kBrightness, std::size_t{24}),
                                     std::pair(CodecBlock::kSilhouette, std::size_t{14})}) {
    for (std::size_t down = 0; down < limit; ++down) {
      for (std::size_t across = 0; down + across < limit; ++across) {
        expected.push_back({block, {down, across}});
      }
    }
  }
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), codec.coordinates().begin()));
}

TEST(ImageCodec, KeepsAllOfSmallImagesAndTheLowFrequenciesOfLarge) {
  EXPECT_EQ(ImageCodec({1, 1, 1}).dimension(), 2U);
  EXPECT_EQ(ImageCodec({1, 1, 3}).dimension(), 4U);
  EXPECT_EQ(ImageCodec({1, 64, 1}).dimension(), 42U + 24U);
  EXPECT_EQ(ImageCodec({8, 8, 1}).dimension(), 64U + 10U);
  EXPECT_EQ(ImageCodec({28, 28, 3}).dimension(), 405U + 2U * 78U);
  EXPECT_EQ(ImageCodec({32, 32, 3}).dimension(), 406U + 136U + 2U * 105U);
  EXPECT_EQ(ImageCodec({64, 64, 3}).dimension(), 903U + 300U + 2U * 231U);
}

// The numbers are those of the method's reference, run in double precision: C x C^T with C_ki =
// sqrt(2/28) cos(pi (i + .5) k / 28), the first row over sqrt 2; distances of every pixel to every
// crossing.
TEST(ImageCodec, AgreesWithTheReference) {
  const ImageCodec codec({28, 28, 1});
  const std::vector<double> code = code_of(codec, textured_ellipse());
  const std::vector<std::pair<std::size_t, double>> entries = {
      {0, 8.037394958},   {1, -1.743258978},  {24, 1.855103786}, {299, 0.092749750},
      {300, 0.108295653}, {301, 2.128038700}, {404, 0.151768830}};
  for (const auto& [place, expected] : entries) {
    EXPECT_NEAR(code[place], expected, 2e-9) << place;
  }
  const ValueSums sums = sums_of(code);
  EXPECT_NEAR(sums.squares, 399.7333634590, 1e-8);
  EXPECT_NEAR(sums.values, 24.3189547921, 1e-8);
  EXPECT_NEAR(sums.placed_squares, 128.9861175753, 1e-8);
  const ValueSums decoded = sums_of(image_of(codec, code));
  EXPECT_NEAR(decoded.squares, 167.9338715953, 1e-5);
  EXPECT_NEAR(decoded.values, -0.0132811001, 1e-5);
  EXPECT_NEAR(decoded.placed_squares, 0.0350098840, 1e-5);
}

TEST(ImageCodec, OfWhiteAndBlackHasOneLengthAtEverySize) {
  for (const ImageShape& shape : odd_shapes()) {
    const ImageCodec codec(shape);
    const std::vector<double> white = code_of(codec, std::vector<std::uint8_t>(shape.size(), 255));
    const std::vector<double> black = code_of(codec, std::vector<std::uint8_t>(shape.size(), 0));
    for (std::size_t i = 0; i < codec.dimension(); ++i) {
      const CodecCoordinate& coordinate = codec.coordinates()[i];
      const bool constant = coordinate.frequency() == 0;
      const bool bright = constant && coordinate.block == CodecBlock::kBrightness;
      const bool outline = constant && coordinate.block == CodecBlock::kSilhouette;
      EXPECT_NEAR(white[i], bright ? 28.0 : outline ? -14.0 : 0.0, 1e-12);
      EXPECT_NEAR(black[i], outline ? 14.0 : 0.0, 1e-12);
    }
    for (const float value : image_of(codec, white)) {
      EXPECT_NEAR(value, 1.0F, 1e-6F);
    }
    EXPECT_EQ(image_of(codec, black), std::vector<float>(shape.size(), 0.0F));
  }
}

TEST(ImageCodec, GivesSmoothImagesBack) {
  // What is left is the faint rim of the spot, darker than the outline's level.
  EXPECT_LT(error_of_round_trip({28, 28, 1}, soft_spot({28, 28, 1})), 0.015);
  EXPECT_LT(error_of_round_trip({64, 64, 1}, soft_spot({64, 64, 1})), 0.015);
  EXPECT_LT(error_of_round_trip({32, 32, 3}, soft_spot({32, 32, 3})), 0.015);
  EXPECT_LT(error_of_round_trip({20, 50, 3}, soft_spot({20, 50, 3})), 0.015);
  EXPECT_LT(error_of_round_trip({8, 8, 1}, soft_spot({8, 8, 1})), 0.015);
  // All frequencies of small images are kept, so noise comes back too.
  EXPECT_LT(error_of_round_trip({8, 8, 1}, random_pixels({8, 8, 1}, 1)), 0.05);
  // Texture of a pixel is lost, the outline is not.
  EXPECT_LT(error_of_round_trip({28, 28, 1}, textured_ellipse()), 0.035);
}

TEST(ImageCodec, OnePictureHasNearlyOneCodeAtEverySize) {
  const ImageCodec small({28, 28, 3});
  const std::vector<double> expected = code_of(small, soft_spot({28, 28, 3}));
  for (const ImageShape shape : {ImageShape{40, 40, 3}, ImageShape{64, 64, 3}}) {
    const ImageCodec codec(shape);
    const std::vector<double> code = code_of(codec, soft_spot(shape));
    double difference = 0.0;
    double length = 0.0;
    std::size_t compared = 0;
    for (std::size_t i = 0; i < small.dimension(); ++i) {
      const auto same =
          std::find(codec.coordinates().begin(), codec.coordinates().end(), small.coordinates()[i]);
      ASSERT_NE(same, codec.coordinates().end());
      const double other = code[static_cast<std::size_t>(same - codec.coordinates().begin())];
      difference += std::pow(other - expected[i], 2.0);
      length += std::pow(expected[i], 2.0);
      ++compared;
    }
    EXPECT_EQ(compared, small.dimension());
    EXPECT_LT(std::sqrt(difference / length), 0.02) << shape.rows;
  }
}

TEST(ImageCodec, OfThreeEqualChannelsIsThatOfGrey) {
  const ImageCodec grey({28, 28, 1});
  const ImageCodec colour({28, 28, 3});
  const std::vector<std::uint8_t> pixels = textured_ellipse();
  std::vector<std::uint8_t> tripled;
  for (const std::uint8_t pixel : pixels) {
    tripled.insert(tripled.end(), 3, pixel);
  }
  std::vector<double> expected = code_of(grey, pixels);
  expected.resize(colour.dimension(), 0.0);
  const std::vector<double> found = code_of(colour, tripled);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-12);
  }
}

TEST(ImageCodec, GivesTheSameBitsInAnyOrderOnAnyThread) {
  const ImageShape shape{28, 28, 3};
  const ImageCodec codec(shape);
  constexpr std::size_t kImages = 64;
  std::vector<std::vector<std::uint8_t>> images;
  std::vector<std::vector<double>> alone;
  for (std::size_t i = 0; i < kImages; ++i) {
    images.push_back(random_pixels(shape, i));
    alone.push_back(code_of(ImageCodec(shape), images.back()));
  }
  for (const std::size_t threads : {1, 3}) {
    std::vector<std::vector<double>> codes(kImages);
    WorkerPool(threads).run(kImages, [&](std::size_t task) {
      const std::size_t i = kImages - 1 - task;
      codes[i] = code_of(codec, images[i]);
    });
    EXPECT_EQ(codes, alone);
  }
}

TEST(ImageCodec, GivesImagesInRangeForAnyCode) {
  SeededRandom random(3);
  for (const ImageShape& shape : odd_shapes()) {
    const ImageCodec codec(shape);
    std::vector<double> code = code_of(codec, random_pixels(shape, 5));
    for (std::size_t i = 0; i < code.size(); ++i) {
      ASSERT_TRUE(std::isfinite(code[i]));
      code[i] += 10.0 * random.normal();
    }
    code[0] = std::numeric_limits<double>::quiet_NaN();
    code.back() = std::numeric_limits<double>::infinity();
    for (const float value : image_of(codec, code)) {
      ASSERT_TRUE(value >= 0.0F && value <= 1.0F);
    }
  }
}

}  // namespace image_codec_test
}  // namespace mehler
