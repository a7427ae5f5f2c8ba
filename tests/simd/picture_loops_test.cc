#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/simd/direction_histogram.h"
#include "mehler/simd/pixel_changes.h"
#include "mehler/simd/separable_blur.h"
#include "tests/support/instruction_set.h"

namespace mehler {
namespace picture_loops_test {

std::vector<float> uniforms(std::size_t count, double most, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    value = static_cast<float>(most * random.uniform());
  }
  return values;
}

/// What `compute` gives on every instruction set, which is the same bits on all.
std::vector<float> on_every_instruction_set(const std::function<std::vector<float>()>& compute) {
  const InstructionSetRestorer restorer;
  std::vector<float> first;
  for (const std::string& set : available_instruction_sets()) {
    EXPECT_TRUE(force_instruction_set(set));
    const std::vector<float> found = compute();
    if (first.empty()) {
      first = found;
    }
    EXPECT_EQ(found, first) << set;
  }
  return first;
}

struct Size {
  std::size_t rows;
  std::size_t columns;
};
constexpr Size kSizes[] = {{1, 1}, {1, 9}, {9, 1}, {3, 5}, {28, 28}, {13, 37}, {64, 64}};

TEST(SeparableBlur, IsTheSumOfWeightsAndTheSameBitsEverywhere) {
  const std::vector<float> weights = uniforms(7, 1.0, 1);
  const auto radius = static_cast<std::ptrdiff_t>(weights.size() / 2);
  for (const auto& [rows, columns] : kSizes) {
    const std::vector<float> field = uniforms(rows * columns, 1.0, 2);
    const std::vector<float> found = on_every_instruction_set([&, rows = rows, columns = columns] {
      std::vector<float> scratch(rows * (columns + weights.size() - 1));
      std::vector<float> blurred = field;  // in place
      separable_blur(weights, blurred.data(), rows, columns, scratch, blurred.data());
      return blurred;
    });
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        double expected = 0.0;
        for (std::ptrdiff_t i = -radius; i <= radius; ++i) {
          for (std::ptrdiff_t j = -radius; j <= radius; ++j) {
            const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(r) + i;
            const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(c) + j;
            if (row >= 0 && row < static_cast<std::ptrdiff_t>(rows) && column >= 0 &&
                column < static_cast<std::ptrdiff_t>(columns)) {
              expected += static_cast<double>(weights[static_cast<std::size_t>(i + radius)]) *
                          static_cast<double>(weights[static_cast<std::size_t>(j + radius)]) *
                          static_cast<double>(field[static_cast<std::size_t>(row) * columns +
                                                    static_cast<std::size_t>(column)]);
            }
          }
        }
        EXPECT_NEAR(found[r * columns + c], expected, 1e-5) << rows << " x " << columns;
      }
    }
  }
}

/// Cells of two pixels each, with weights that differ.
DirectionCells cells_of(std::size_t rows, std::size_t columns) {
  DirectionCells cells;
  cells.columns = columns;
  const std::size_t down = std::min<std::size_t>(rows, 7);
  for (std::size_t i = 0; i < down; ++i) {
    cells.down.push_back(
        {i, rows > i + 1 ? std::vector<float>{0.25F, 0.5F} : std::vector<float>{0.75F}});
  }
  cells.cells_across = std::min<std::size_t>(columns, 5);
  cells.across.assign(columns * kMostDirectionCells, 0.0F);
  for (std::size_t c = 0; c < columns; ++c) {
    cells.across[c * kMostDirectionCells + c % cells.cells_across] = 0.5F;
  }
  return cells;
}

TEST(DirectionHistogram, IsItsDefinitionAndTheSameBitsEverywhere) {
  constexpr float kEnergy = 1e-3F;
  constexpr float kLargest = 0.6F;
  for (const auto& [rows, columns] : kSizes) {
    const std::size_t stride = columns + 2;
    const DirectionCells cells = cells_of(rows, columns);
    const std::size_t down = cells.down.size();
    const std::size_t across = cells.cells_across;
    const std::vector<float> lengths = uniforms(rows * stride + kDirectionSlack, 0.3, 3);
    std::vector<float> directions = uniforms(lengths.size(), 8.0, 4);
    directions[0] = 8.0F;  // a whole turn
    const std::vector<float> found = on_every_instruction_set([&, stride = stride] {
      std::vector<float> histogram(down * across * kDirections);
      direction_histogram(cells, lengths.data(), directions.data(), stride, kEnergy, kLargest,
                          histogram);
      return histogram;
    });
    std::vector<double> means(found.size(), 0.0);
    for (std::size_t i = 0; i < down; ++i) {
      for (std::size_t w = 0; w < cells.down[i].weights.size(); ++w) {
        for (std::size_t c = 0; c < columns; ++c) {
          const std::size_t place = (cells.down[i].first + w) * stride + c;
          for (std::size_t d = 0; d < kDirections; ++d) {
            const double apart =
                std::fabs(static_cast<double>(directions[place]) - static_cast<double>(d));
            means[(i * across + c % across) * kDirections + d] +=
                0.5 * static_cast<double>(cells.down[i].weights[w] * lengths[place]) *
                std::max(0.0, 1.0 - std::min(apart, 8.0 - apart));
          }
        }
      }
    }
    std::vector<double> expected(found.size());
    double squares = 0.0;
    for (std::size_t cell = 0; cell < down * across; ++cell) {
      double around = 0.0;
      for (std::size_t other = 0; other < down * across; ++other) {
        const auto near = [](std::size_t a, std::size_t b) { return a <= b + 1 && b <= a + 1; };
        if (near(cell / across, other / across) && near(cell % across, other % across)) {
          for (std::size_t d = 0; d < kDirections; ++d) {
            around += means[other * kDirections + d] * means[other * kDirections + d];
          }
        }
      }
      for (std::size_t d = 0; d < kDirections; ++d) {
        double& value = expected[cell * kDirections + d];
        value = std::min(means[cell * kDirections + d] / std::sqrt(around / 9.0 + 1e-3), 0.6);
        squares += value * value;
      }
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i] / std::sqrt(squares), 1e-6) << rows << " x " << columns;
    }
  }
}

TEST(DirectionHistogram, OfNoLengthsIsZero) {
  const DirectionCells cells = cells_of(4, 4);
  const std::vector<float> zeros(4 * 6 + kDirectionSlack, 0.0F);
  std::vector<float> histogram(4 * 4 * kDirections, 1.0F);
  direction_histogram(cells, zeros.data(), zeros.data(), 6, 1e-3F, 0.6F, histogram);
  EXPECT_EQ(histogram, std::vector<float>(histogram.size(), 0.0F));
}

TEST(WarpedPicture, LooksBetweenPixelsAndIsBlackOutside) {
  for (const std::size_t channels : {std::size_t{1}, std::size_t{3}}) {
    for (const auto& [rows, columns] : kSizes) {
      const std::size_t width = columns + 3;
      std::vector<float> picture((rows + 3) * width * channels, 0.0F);
      const std::vector<float> values = uniforms(rows * columns * channels, 1.0, 5);
      for (std::size_t r = 0; r < rows; ++r) {
        std::copy_n(&values[r * columns * channels], columns * channels,
                    &picture[((r + 1) * width + 1) * channels]);
      }
      std::vector<float> down = uniforms(rows * columns, 6.0, 6);
      std::vector<float> across = uniforms(rows * columns, 6.0, 7);
      for (std::size_t i = 0; i < down.size(); ++i) {
        down[i] -= 3.0F;
        across[i] -= 3.0F;
      }
      across[0] = -1000.0F;
      const std::vector<float> found =
          on_every_instruction_set([&, rows = rows, columns = columns] {
            std::vector<float> image(values.size(), 7.0F);
            warp_picture({picture.data(), rows, columns, channels}, down.data(), across.data(),
                         image.data());
            return image;
          });
      const auto pixel = [&, rows = rows, columns = columns](double r, double c,
                                                             std::size_t channel) {
        return r >= 0.0 && c >= 0.0 && r < static_cast<double>(rows) &&
                       c < static_cast<double>(columns)
                   ? static_cast<double>(values[(static_cast<std::size_t>(r) * columns +
                                                 static_cast<std::size_t>(c)) *
                                                    channels +
                                                channel])
                   : 0.0;
      };
      for (std::size_t i = 0; i < rows * columns; ++i) {
        const double y = static_cast<double>(i / columns) + static_cast<double>(down[i]);
        const double x = static_cast<double>(i % columns) + static_cast<double>(across[i]);
        const double r = std::floor(y);
        const double c = std::floor(x);
        for (std::size_t channel = 0; channel < channels; ++channel) {
          const double expected =
              (r + 1 - y) *
                  ((c + 1 - x) * pixel(r, c, channel) + (x - c) * pixel(r, c + 1, channel)) +
              (y - r) *
                  ((c + 1 - x) * pixel(r + 1, c, channel) + (x - c) * pixel(r + 1, c + 1, channel));
          EXPECT_NEAR(found[i * channels + channel], expected, 3e-5) << rows << " x " << columns;
        }
      }
    }
  }
}

TEST(RaisedPixels, ArePowersWithinTheirErrorAndTheSameBitsEverywhere) {
  std::vector<float> pixels = uniforms(999, 1.0, 8);
  pixels.insert(pixels.end(), {0.0F, -1.0F, 1.0F, 1e-6F, 1e-20F, 1e-40F, 2.0F / 3.0F});
  for (const float exponent : {1.0F / 55.0F, 0.74F, 1.0F, 1.35F, 54.6F}) {
    for (const float factor : {0.8F, 1.0F, 1.3F}) {
      const std::vector<float> found = on_every_instruction_set([&] {
        std::vector<float> raised = pixels;
        raise_pixels(exponent, factor, raised);
        return raised;
      });
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        const double x = pixels[i];
        if (x <= 0.0) {
          EXPECT_EQ(found[i], 0.0F);
          continue;
        }
        const double power = factor * std::pow(std::max(x, 1e-37), exponent);
        const double error =
            1e-6 * (1.0 + exponent * std::fabs(std::log(std::max(x, 1e-37)))) * power + 1e-36;
        EXPECT_NEAR(found[i], std::min(1.0, power), error) << x << " " << exponent;
      }
    }
  }
}

}  // namespace picture_loops_test
}  // namespace mehler
