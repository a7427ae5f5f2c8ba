#include "mehler/report/image_grid.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mehler {
namespace image_grid_test {

ImageValues images_of(const ImageShape& shape, std::size_t count, std::uint8_t value) {
  return {shape, std::vector<std::uint8_t>(count * shape.size(), value)};
}

std::size_t count_of(const ImageValues& picture, std::uint8_t value) {
  return static_cast<std::size_t>(std::count(picture.pixels.begin(), picture.pixels.end(), value));
}

TEST(ImageGrid, HasEveryPixelOfEveryImage) {
  for (const std::size_t channels : {std::size_t{1}, std::size_t{3}}) {
    const ImageShape shape{28, 26, channels};
    const ImageValues grid =
        image_grid({{"cat", images_of(shape, 10, 17)}, {"dog", images_of(shape, 7, 18)}});
    EXPECT_EQ(grid.shape.channels, channels);
    EXPECT_EQ(grid.pixels.size(), grid.shape.size());
    EXPECT_EQ(count_of(grid, 17), 10 * shape.size());
    EXPECT_EQ(count_of(grid, 18), 7 * shape.size());
  }
}

TEST(ImageGrid, EnlargesSmallImagesByAWholeFactor) {
  // 48 / 10: each pixel is a square of 4.
  const ImageShape shape{2, 10, 3};
  ImageValues image{shape, std::vector<std::uint8_t>(shape.size())};
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] = static_cast<std::uint8_t>(i + 1);
  }
  const ImageValues grid = image_grid({{"", image}});
  EXPECT_EQ(grid.shape, (ImageShape{2 + 10, 4 + 40, 3}));
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t column = 0; column < 40; ++column) {
      const std::size_t place = (2 + row) * grid.shape.columns + 2 + column;
      EXPECT_EQ(grid.pixels[3 * place + 1], image.pixels[3 * (row / 4 * 10 + column / 4) + 1]);
    }
  }
}

TEST(ImageGrid, DrawsLabelsInWhiteMarginsThatDiffer) {
  const ImageShape shape{28, 28, 1};
  const auto margin = [&](const char* label) {
    const ImageValues grid = image_grid({{label, images_of(shape, 1, 17)}});
    std::vector<std::uint8_t> pixels;
    for (std::size_t row = 0; row < grid.shape.rows; ++row) {
      const auto start =
          grid.pixels.begin() + static_cast<std::ptrdiff_t>(row * grid.shape.columns);
      pixels.insert(pixels.end(), start, start + 10);
    }
    return pixels;
  };
  for (char label = '0'; label < '9'; ++label) {
    const std::string one(1, label);
    const std::string next(1, static_cast<char>(label + 1));
    EXPECT_NE(margin(one.c_str()), margin(next.c_str()));
  }
  EXPECT_EQ(margin("a"), margin("A"));
}

TEST(ImageGrid, HasNoMarginForLettersWithoutLabels) {
  const ImageShape shape{4, 4, 1};
  const ImageValues bare = image_grid({{"", images_of(shape, 3, 17)}});
  EXPECT_EQ(bare.shape, (ImageShape{52, 152, 1}));
  EXPECT_EQ(count_of(bare, 0), 0u);
}

TEST(ImageGrid, TakesOnePixelAndLongLabels) {
  const ImageShape shape{1, 1, 1};
  const ImageValues grid = image_grid({{std::string(500, 'W'), images_of(shape, 1, 17)}});
  EXPECT_EQ(count_of(grid, 17), kGridSide * kGridSide);
  EXPECT_LT(grid.shape.columns, 300u);
}

}  // namespace image_grid_test
}  // namespace mehler
