#include "mehler/features/sum_accumulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mehler/core/seeded_random.h"
#include "tests/support/errors.h"
#include "tests/support/image_table.h"

namespace mehler {
namespace sum_accumulator_test {

constexpr std::int64_t kOne = std::int64_t{1} << kGridExponent;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

Schema schema_with(const std::string& head) {
  return Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [
      {"name": "x", "kind": "numeric", "bounds": [0, 1], "missing": true},
      {"name": "c", "kind": "categorical", "categories": ["a", "b", "d"]},
      {"name": "t", "kind": "boolean"}]})");
}

/// Five records.
EncodedBatch five() {
  EncodedBatch batch;
  batch.rows = 5;
  batch.columns.resize(3);
  batch.columns[0].numbers = {-1.0, 0.25, kMissing, 0.25, 1.0};
  batch.columns[1].codes = {0, 2, 2, 1, 0};
  batch.columns[2].codes = {1, 0, 1, 1, 0};
  return batch;
}

FeatureBlock block_of(const std::string& name, bool labelled, std::vector<WeightedMap> maps) {
  FeatureBlock block;
  block.name = name;
  block.labelled = labelled;
  block.maps = std::move(maps);
  return block;
}

WeightedMap hermite_of_x() {
  return {FeatureMap::hermite(0, HermiteFeatures::with_best_rho(3, 0.4), true), 1.0};
}

WipedVector<std::int64_t> scaled(WipedVector<std::int64_t> counts) {
  for (std::int64_t& count : counts) {
    count *= kOne;
  }
  return counts;
}

TEST(SumAccumulator, CountsRecordsAndCategories) {
  const Encoder encoder(schema_with(""));
  const FeatureSet features(
      encoder, {block_of("count", false, {{FeatureMap::constant(), 1.0}}),
                block_of("sum", false,
                         {{FeatureMap::one_hot(1, 3), 1.0}, {FeatureMap::one_hot(2, 2), 2.5}})});
  SumAccumulator accumulator(encoder, features);
  accumulator.add(five(), {});
  EXPECT_EQ(accumulator.rows(), 5U);
  EXPECT_EQ(accumulator.sums()[0], scaled({5}));
  EXPECT_EQ(accumulator.sums()[1], scaled({2, 1, 2, 2, 3})) << "weights are not in the sums";
}

TEST(SumAccumulator, SumsEachClassInARowOfItsOwn) {
  const Encoder encoder(schema_with(R"("target": "t", )"));
  const FeatureSet features(encoder, {block_of("count", true, {{FeatureMap::constant(), 1.0}}),
                                      block_of("sum", true, {{FeatureMap::one_hot(1, 3), 1.0}}),
                                      block_of("all", false, {{FeatureMap::one_hot(1, 3), 1.0}})});
  SumAccumulator accumulator(encoder, features);
  accumulator.add(five(), {});
  EXPECT_EQ(accumulator.sums()[0], scaled({2, 3}));
  EXPECT_EQ(accumulator.sums()[1], scaled({1, 0, 1, 1, 1, 1}));
  EXPECT_EQ(accumulator.sums()[2], scaled({2, 1, 2}));
}

TEST(SumAccumulator, LeavesOutRecordsThatAreNotKept) {
  const Encoder encoder(schema_with(R"("target": "t", )"));
  const FeatureSet features(encoder, {block_of("count", true, {{FeatureMap::constant(), 1.0}}),
                                      block_of("sum", false, {{FeatureMap::one_hot(1, 3), 1.0}})});
  SumAccumulator accumulator(encoder, features);
  accumulator.add(five(), std::vector<std::uint8_t>{1, 0, 0, 1, 0});
  EXPECT_EQ(accumulator.rows(), 2U);
  EXPECT_EQ(accumulator.sums()[0], scaled({0, 2}));
  EXPECT_EQ(accumulator.sums()[1], scaled({1, 1, 0}));
  accumulator.add(five(), std::vector<std::uint8_t>(5, 0));
  EXPECT_EQ(accumulator.rows(), 2U);
  EXPECT_EQ(accumulator.sums()[1], scaled({1, 1, 0}));
}

TEST(SumAccumulator, SumsTheRoundedHermiteFeaturesOfNumbersThatAreThere) {
  const Encoder encoder(schema_with(""));
  const FeatureSet features(encoder, {block_of("sum", false, {hermite_of_x()})});
  SumAccumulator accumulator(encoder, features);
  accumulator.add(five(), {});
  const FeatureMap& map = features.blocks()[0].maps[0].map;
  const EncodedBatch batch = five();
  WipedVector<std::int64_t> expected(map.dimension(), 0);
  ASSERT_EQ(map.dimension(), 5U);  // orders 0 to 3, and missing
  for (std::size_t row = 0; row < batch.rows; ++row) {
    std::vector<double> phi(map.dimension());
    map.evaluate(batch, row, phi.data());
    for (std::size_t k = 0; k < phi.size(); ++k) {
      expected[k] += std::llround(std::ldexp(phi[k], kGridExponent));
    }
  }
  EXPECT_EQ(accumulator.sums()[0].back(), kOne);
  EXPECT_EQ(accumulator.sums()[0], expected);
  EXPECT_GT(expected[0], kOne) << "phi_0 is positive";
}

TEST(SumAccumulator, AddsBatchesUp) {
  const Encoder encoder(schema_with(R"("target": "t", )"));
  const FeatureSet features(
      encoder, {block_of("sum", true, {hermite_of_x(), {FeatureMap::one_hot(1, 3), 1.0}})});
  SumAccumulator once(encoder, features);
  SumAccumulator thrice(encoder, features);
  once.add(five(), {});
  for (int i = 0; i < 3; ++i) {
    thrice.add(five(), {});
  }
  EXPECT_EQ(thrice.rows(), 15U);
  for (std::size_t i = 0; i < once.sums()[0].size(); ++i) {
    EXPECT_EQ(thrice.sums()[0][i], 3 * once.sums()[0][i]);
  }
}

TEST(SumAccumulator, CountsPairsOfCategoriesAsProducts) {
  const Encoder encoder(schema_with(""));
  FeatureBlock product = block_of(
      "c x t", false, {{FeatureMap::one_hot(1, 3), 1.0}, {FeatureMap::one_hot(2, 2), 1.0}});
  product.combination = Combination::kProduct;
  const FeatureSet features(encoder, {product});
  SumAccumulator accumulator(encoder, features);
  accumulator.add(five(), {});
  const std::int64_t one = std::int64_t{1} << product.grid_exponent();
  EXPECT_EQ(accumulator.sums()[0], (WipedVector<std::int64_t>{one, one, 0, one, one, one}));
}

TEST(SumAccumulator, PixelsHaveTheSumsThatNumbersWouldHave) {
  const ImageShape shape{3, 2, 3};
  const Encoder encoder(image_schema(shape));
  const HermiteFeatures hermite = HermiteFeatures::with_best_rho(11, 0.2);
  const FeatureSet features(
      encoder, {block_of("sum", true, {{FeatureMap::pixels(0, shape.size(), hermite), 1.0}}),
                block_of("all", false, {{FeatureMap::pixels(0, shape.size(), hermite), 1.0}})});
  SeededRandom random(1);
  EncodedBatch batch;
  batch.rows = 700;
  batch.columns.resize(2);
  for (std::size_t row = 0; row < batch.rows; ++row) {
    batch.columns[1].codes.push_back(static_cast<std::int32_t>(random.next_word() % 2));
    for (std::size_t i = 0; i < shape.size(); ++i) {
      batch.columns[0].pixels.push_back(static_cast<std::uint8_t>(random.next_word()));
    }
  }
  std::vector<std::uint8_t> kept(batch.rows, 1);
  kept[13] = 0;
  // The same sums of the same numbers, pixel by pixel.
  WipedVector<std::int64_t> expected(3 * shape.size() * 12, 0);
  WipedVector<std::int64_t> expected_of_all(shape.size() * 12, 0);
  for (std::size_t row = 0; row < batch.rows; ++row) {
    for (std::size_t i = 0; kept[row] != 0 && i < shape.size(); ++i) {
      const double number = number_of_pixel(batch.columns[0].pixels[row * shape.size() + i]);
      const auto label = static_cast<std::size_t>(batch.columns[1].codes[row]);
      add_hermite_sums(hermite.recursion(), {&number, 1}, kGridExponent,
                       {&expected[(label * shape.size() + i) * 12], 12});
      add_hermite_sums(hermite.recursion(), {&number, 1}, kGridExponent,
                       {&expected_of_all[i * 12], 12});
    }
  }
  SumAccumulator accumulator(encoder, features);
  accumulator.add(batch, kept);
  EXPECT_EQ(accumulator.rows(), 699U);
  EXPECT_EQ(accumulator.sums()[0], expected);
  EXPECT_EQ(accumulator.sums()[1], expected_of_all);
  // A second batch adds to them.
  accumulator.add(batch, kept);
  for (std::int64_t& sum : expected) {
    sum *= 2;
  }
  EXPECT_EQ(accumulator.sums()[0], expected);
}

}  // namespace sum_accumulator_test
}  // namespace mehler
