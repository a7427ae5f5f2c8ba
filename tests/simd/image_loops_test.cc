#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/simd/crossing_squares.h"
#include "mehler/simd/gradient_directions.h"
#include "mehler/simd/hermite_sums.h"
#include "mehler/simd/row_combination.h"
#include "tests/support/instruction_set.h"

namespace mehler {
namespace image_loops_test {

template <class Number>
std::vector<Number> normals(std::size_t count, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<Number> values(count);
  for (Number& value : values) {
    value = static_cast<Number>(random.normal());
  }
  return values;
}

/// Calls it once for each instruction set, which is in force meanwhile.
void on_every_instruction_set(const std::function<void(const std::string& name)>& call) {
  const InstructionSetRestorer restorer;
  for (const std::string& set : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(set));
    call(set);
  }
}

template <class Number>
void expect_sums_in_order() {
  for (const std::size_t width : {0, 1, 2, 3, 4, 7, 8, 14, 28, 33, 64}) {
    for (const std::size_t count : {0, 1, 5, 28}) {
      for (const std::size_t stride : {std::size_t{1}, width + 1}) {
        const auto weights = normals<Number>(count, 1);
        const auto rows = normals<Number>(count * stride + width + 1, 2);
        std::vector<Number> expected(width, Number{0});
        for (std::size_t i = 0; i < count; ++i) {
          for (std::size_t c = 0; c < width; ++c) {
            expected[c] += weights[i] * rows[i * stride + c];
          }
        }
        on_every_instruction_set([&](const std::string& set) {
          std::vector<Number> found(width + 1, Number{7});
          combine_rows(weights, rows.data(), stride, std::span(found).first(width));
          EXPECT_EQ(found.back(), Number{7}) << "writes behind the row";
          found.pop_back();
          EXPECT_EQ(found, expected) << set << " " << width << " " << count;
        });
      }
    }
  }
}

TEST(RowCombination, IsTheSumInOrderToTheBitOnEveryInstructionSet) {
  expect_sums_in_order<float>();
  expect_sums_in_order<double>();
}

TEST(GradientDirections, AreThoseOfTheArctangentAndTheSameBitsEverywhere) {
  constexpr std::size_t kPixels = 1003;
  auto across = normals<float>(kPixels + 2, 3);
  auto down = normals<float>(kPixels + 2, 4);
  // Along the axes and diagonals, next to them, and none.
  const std::vector<std::pair<float, float>> special = {
      {1.0F, 0.0F},   {-1.0F, 0.0F},  {0.0F, 1.0F},  {0.0F, -1.0F}, {1.0F, 1.0F},  {-1.0F, 1.0F},
      {-1.0F, -1.0F}, {1.0F, -1e-6F}, {1.0F, -1.0F}, {0.0F, 0.0F},  {1e-4F, 1e-4F}};
  const std::vector<float> zeros(kPixels, 0.0F);
  for (std::size_t i = 0; i < special.size(); ++i) {
    across[i] = special[i].first;
    down[i] = special[i].second;
  }
  std::vector<float> first_lengths;
  std::vector<float> first_directions;
  on_every_instruction_set([&](const std::string& set) {
    std::vector<float> lengths(kPixels);
    std::vector<float> directions(kPixels);
    gradient_directions(
        {.above = zeros.data(), .left = zeros.data(), .right = across.data(), .below = down.data()},
        0.5F, 0.002F, lengths, directions);
    for (std::size_t i = 0; i < kPixels; ++i) {
      const double x = 0.5 * static_cast<double>(across[i]);
      const double y = 0.5 * static_cast<double>(down[i]);
      const double length = std::sqrt(x * x + y * y + 1e-12);
      double turn = length > 0.002 ? std::atan2(y, x) * 4.0 / std::numbers::pi : 0.0;
      turn += turn < 0.0 ? 8.0 : 0.0;
      EXPECT_NEAR(lengths[i], length, 1e-6) << set;
      EXPECT_NEAR(directions[i], turn, 2e-6) << set << " " << x << " " << y;
      EXPECT_TRUE(directions[i] >= 0.0F && directions[i] <= 8.0F);
    }
    if (first_lengths.empty()) {
      first_lengths = lengths;
      first_directions = directions;
    }
    EXPECT_EQ(lengths, first_lengths) << set;
    EXPECT_EQ(directions, first_directions) << set;
  });
}

TEST(CrossingSquares, AreThoseOfOneColumnAndOfItsNeighbours) {
  // One crossing, in column 2, a quarter of the way from row 1 to row 2.
  constexpr std::size_t kRows = 5;
  constexpr std::size_t kColumns = 9;
  std::vector<double> heights(kRows * kColumns, 1.0);
  for (std::size_t r = 2; r < kRows; ++r) {
    heights[r * kColumns + 2] = -3.0;
  }
  on_every_instruction_set([&](const std::string& set) {
    std::vector<double> scratch(kCrossingScratch * heights.size());
    std::vector<double> squares(heights.size());
    crossing_squares(heights, kRows, kColumns, 3.5, scratch, squares);
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t c = 0; c < kColumns; ++c) {
        const double y = static_cast<double>(r) - 1.25;
        const double x = static_cast<double>(c) - 2.0;
        EXPECT_NEAR(squares[r * kColumns + c], std::min(y * y + x * x, 3.5 * 3.5), 1e-14) << set;
      }
    }
  });
}

TEST(CrossingSquares, AreTheSameBitsOnEveryInstructionSet) {
  for (const std::pair<std::size_t, std::size_t>& size :
       {std::pair<std::size_t, std::size_t>{1, 1}, {1, 9}, {9, 1}, {28, 28}, {13, 37}}) {
    const std::size_t rows = size.first;
    const std::size_t columns = size.second;
    const auto heights = normals<double>(rows * columns, 5);
    std::vector<double> first;
    on_every_instruction_set([&](const std::string& set) {
      std::vector<double> scratch(kCrossingScratch * heights.size());
      std::vector<double> squares(heights.size());
      crossing_squares(heights, rows, columns, 4.0, scratch, squares);
      if (first.empty()) {
        first = squares;
      }
      EXPECT_EQ(squares, first) << set;
    });
  }
}

}  // namespace image_loops_test
}  // namespace mehler
