#include "mehler/images/distance_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace distance_field_test {

std::vector<double> distances_of(const std::vector<double>& values, std::size_t rows,
                                 std::size_t columns, const DistanceFieldOptions& options = {}) {
  std::vector<double> distances(values.size());
  signed_distances(values, rows, columns, options, distances);
  return distances;
}

double squared(double value) { return value * value; }

/// The definition: every pixel against every crossing.
std::vector<double> brute_force(const std::vector<double>& values, std::size_t rows,
                                std::size_t columns, const DistanceFieldOptions& options) {
  std::vector<std::array<double, 2>> crossings;
  const auto add_between = [&](std::size_t r, std::size_t c, std::size_t down, std::size_t across) {
    const double from = values[r * columns + c] - options.level;
    const double to = values[(r + down) * columns + c + across] - options.level;
    if ((from > 0.0) != (to > 0.0)) {
      const double part = from / (from - to);
      crossings.push_back({static_cast<double>(r) + part * static_cast<double>(down),
                           static_cast<double>(c) + part * static_cast<double>(across)});
    }
  };
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (r + 1 < rows) {
        add_between(r, c, 1, 0);
      }
      if (c + 1 < columns) {
        add_between(r, c, 0, 1);
      }
    }
  }
  std::vector<double> distances;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      double nearest = options.reach;
      for (const auto& [y, x] : crossings) {
        nearest = std::min(nearest, std::sqrt(squared(static_cast<double>(r) - y) +
                                              squared(static_cast<double>(c) - x)));
      }
      distances.push_back(values[r * columns + c] > options.level ? -nearest : nearest);
    }
  }
  return distances;
}

TEST(DistanceField, IsThatOfTheDefinitionForEveryKindOfImage) {
  SeededRandom random(1);
  const std::vector<std::pair<std::size_t, std::size_t>> sizes = {
      {1, 1}, {1, 2}, {2, 1}, {1, 64}, {64, 1}, {2, 2}, {5, 7}, {28, 28}, {13, 40}};
  for (const auto& [rows, columns] : sizes) {
    for (const double reach : {0.3, 1.0, 2.5, 4.0, 9.14, 200.0}) {
      // Values that are even, 0 or 1, at the level or next to it, and few bright ones.
      for (int kind = 0; kind < 4; ++kind) {
        std::vector<double> values(rows * columns);
        for (double& value : values) {
          const double u = random.uniform();
          value = kind == 0   ? u
                  : kind == 1 ? std::round(u)
                  : kind == 2 ? 0.05 + std::floor(3.0 * u - 1.0) * 1e-12
                              : (u < 0.01 ? u * 100.0 : 0.0);
        }
        const DistanceFieldOptions options{.level = 0.05, .reach = reach};
        const std::vector<double> found = distances_of(values, rows, columns, options);
        const std::vector<double> exact = brute_force(values, rows, columns, options);
        for (std::size_t i = 0; i < found.size(); ++i) {
          ASSERT_NEAR(found[i], exact[i], 1e-13)
              << rows << " x " << columns << ", reach " << reach << ", kind " << kind;
        }
      }
    }
  }
}

TEST(DistanceField, OfAStraightEdgeIsExactBetweenPixels) {
  constexpr std::size_t kSide = 12;
  std::vector<double> values(kSide * kSide, 0.0);
  for (std::size_t r = 0; r < kSide; ++r) {
    for (std::size_t c = 5; c < kSide; ++c) {
      values[r * kSide + c] = 0.2;  // the level is met a quarter of the way from column 4 to 5
    }
  }
  const std::vector<double> found = distances_of(values, kSide, kSide);
  for (std::size_t r = 0; r < kSide; ++r) {
    for (std::size_t c = 0; c < kSide; ++c) {
      const double expected = std::clamp(4.25 - static_cast<double>(c), -4.0, 4.0);
      EXPECT_NEAR(found[r * kSide + c], expected, 1e-14);
    }
  }
}

TEST(DistanceField, WithoutAnOutlineIsTheReach) {
  EXPECT_EQ(distances_of(std::vector<double>(6, 0.0), 2, 3), std::vector<double>(6, 4.0));
  EXPECT_EQ(distances_of(std::vector<double>(6, 0.05), 2, 3), std::vector<double>(6, 4.0));
  EXPECT_EQ(distances_of(std::vector<double>(6, 1.0), 2, 3), std::vector<double>(6, -4.0));
}

}  // namespace distance_field_test
}  // namespace mehler
