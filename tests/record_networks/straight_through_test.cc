#include "mehler/record_networks/straight_through.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/labelled_shapes.h"

namespace mehler {
namespace straight_through_test {

using Pixels = RecordInputs::Pixels;

class EveryRange : public testing::TestWithParam<Pixels> {
 protected:
  Encoder encoder_{shapes_schema()};
  RecordInputs inputs_{encoder_, {RecordInputs::Label::kTold, GetParam()}};
  double black_ = GetParam() == Pixels::kFromZero ? 0.0 : -1.0;
};
INSTANTIATE_TEST_SUITE_P(Pixels, EveryRange,
                         testing::Values(Pixels::kFromMinusOne, Pixels::kFromZero),
                         [](const auto& range) {
                           return range.param == Pixels::kFromZero ? "FromZero" : "FromMinusOne";
                         });

TEST_P(EveryRange, RealPixelsAreBetweenBlackAndOne) {
  EncodedBatch records;
  records.rows = 1;
  records.columns.resize(2);
  records.columns[0].codes = {1};
  records.columns[1].pixels.assign(64, 0);
  records.columns[1].pixels[3] = 255;
  records.columns[1].pixels[4] = 51;
  std::vector<float> found(inputs_.size());
  inputs_.put(records, 0, found.data());
  ASSERT_EQ(found.size(), 66u);
  for (std::size_t i = 0; i < 64; ++i) {
    const double share = i == 3 ? 1.0 : i == 4 ? 0.2 : 0.0;
    EXPECT_NEAR(found[i], black_ + share * (1.0 - black_), 1e-6) << i;
  }
  EXPECT_EQ(found[64], 0.0F);
  EXPECT_EQ(found[65], 1.0F);
}

TEST_P(EveryRange, GeneratedPixelsAreToo) {
  Matrix outputs(2, 64);
  for (std::size_t i = 0; i < 64; ++i) {
    outputs.row(0)[i] = -40.0F;
    outputs.row(1)[i] = i == 0 ? 0.0F : 40.0F;
  }
  SeededRandom random(1);
  WorkerPool pool(1);
  const std::vector<std::size_t> classes = {0, 1};
  const Matrix records = StraightThrough(inputs_).draw(outputs, classes, random, pool).records;
  EXPECT_NEAR(records.row(0)[5], black_, 1e-6);
  EXPECT_NEAR(records.row(1)[5], 1.0, 1e-6);
  EXPECT_NEAR(records.row(1)[0], 0.5 * (1.0 + black_), 1e-6);
  EXPECT_EQ(records.row(1)[65], 1.0F);
}

TEST_P(EveryRange, TheGradientOfPixelsIsThatOfDifferences) {
  constexpr float kStep = 1e-2F;
  const StraightThrough heads(inputs_);
  SeededRandom random(2);
  WorkerPool pool(1);
  Matrix outputs(2, 64);
  random.fill_normal(outputs.values);
  const std::vector<std::size_t> classes = {0, 1};
  const auto drawn = heads.draw(outputs, classes, random, pool);
  Matrix slopes(2, 66);
  random.fill_normal(slopes.values);
  const Matrix gradient = heads.backward(drawn, slopes, pool);
  for (std::size_t i = 0; i < 64; ++i) {
    Matrix moved = outputs;
    moved.row(1)[i] += kStep;
    const double above = heads.draw(moved, classes, random, pool).records.row(1)[i];
    moved.row(1)[i] -= 2.0F * kStep;
    const double below = heads.draw(moved, classes, random, pool).records.row(1)[i];
    const double slope = (above - below) / (2.0 * static_cast<double>(kStep));
    EXPECT_NEAR(gradient.row(1)[i], slope * static_cast<double>(slopes.row(1)[i]), 1e-3) << i;
  }
}

// Before: 25 clusters in the plane ended in one corner of the bounds, with hardly any noise too.
TEST(StraightThrough, ANumberAtItsBoundCanComeBack) {
  const Encoder encoder(Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "numeric", "bounds": [0, 1], "missing": false}]})"));
  const RecordInputs inputs(encoder, {});
  const StraightThrough heads(inputs);
  SeededRandom random(1);
  WorkerPool pool(1);
  Matrix outputs(3, 1);
  outputs.values = {40.0F, -40.0F, 0.5F};
  const std::vector<std::size_t> classes(3, 0);
  const auto drawn = heads.draw(outputs, classes, random, pool);
  EXPECT_EQ(drawn.records.values[0], 1.0F);
  EXPECT_EQ(drawn.records.values[1], -1.0F);
  Matrix slopes(3, 1);
  slopes.values = {2.0F, -2.0F, 2.0F};
  const Matrix gradient = heads.backward(drawn, slopes, pool);
  EXPECT_GT(gradient.values[0], 0.0F);
  EXPECT_LT(gradient.values[1], 0.0F);
  EXPECT_NEAR(gradient.values[2], 2.0 * (1.0 - std::pow(std::tanh(0.5), 2.0)), 1e-6);
}

}  // namespace straight_through_test
}  // namespace mehler
