#include "mehler/reference/record_vectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mehler/core/seeded_random.h"
#include "tests/support/errors.h"

namespace mehler {
namespace record_vectors_test {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

Encoder encoder_of() {
  return Encoder(Schema::from_json(R"({"mehler_schema": 1, "target": "t", "columns": [
      {"name": "x", "kind": "numeric", "bounds": [0, 1]},
      {"name": "y", "kind": "numeric", "bounds": [0, 1], "missing": true},
      {"name": "t", "kind": "boolean"},
      {"name": "c", "kind": "categorical", "categories": ["a", "b", "d"]},
      {"name": "i", "kind": "image", "shape": [1, 2, 1]}]})"));
}

EncodedBatch three_records() {
  EncodedBatch batch;
  batch.rows = 3;
  batch.columns.resize(5);
  batch.columns[0].numbers = {-1.0, 0.5, 0.25};
  batch.columns[1].numbers = {0.75, kMissing, -0.5};
  batch.columns[2].codes = {0, 1, 0};
  batch.columns[3].codes = {2, 0, 1};
  batch.columns[4].pixels = {0, 255, 255, 0, 51, 204};
  return batch;
}

SoftBatch random_soft_batch(const Encoder& encoder, std::size_t rows) {
  const OutputHeads heads(encoder);
  Matrix outputs(rows, heads.outputs());
  SeededRandom random(4);
  for (float& value : outputs.values) {
    value = static_cast<float>(random.normal());
  }
  return heads.apply(outputs);
}

TEST(RecordVectors, HaveNumbersCodesAndPixelsOfAllColumnsButTheLabel) {
  const RecordVectors vectors(encoder_of());
  ASSERT_EQ(vectors.dimension(), 8u);
  const std::vector<std::size_t> rows = {1, 0};
  const Matrix found = vectors.of(three_records(), rows);
  EXPECT_EQ(found.values, (std::vector<float>{0.5F, 0, 1, 1, 0, 0, 1, -1,  //
                                              -1, 0.75F, 0, 0, 0, 1, -1, 1}));
}

TEST(RecordVectors, OfGeneratedRecordsHaveProbabilitiesInTheirPlace) {
  const Encoder encoder = encoder_of();
  const SoftBatch batch = random_soft_batch(encoder, 70);  // more than a task has
  WorkerPool pool(2);
  const Matrix found = RecordVectors(encoder).of(batch, pool);
  for (const std::size_t i : {std::size_t{0}, std::size_t{69}}) {
    const auto row = found.row(i);
    EXPECT_EQ(row[0], batch.columns[0].numbers[i]);
    EXPECT_EQ(row[1], batch.columns[1].presence[i] * batch.columns[1].numbers[i]);
    EXPECT_EQ(row[2], 1.0F - batch.columns[1].presence[i]);
    EXPECT_EQ(row[4], batch.columns[3].probabilities.row(i)[1]);
    EXPECT_EQ(row[7], batch.columns[4].numbers[2 * i + 1]);
  }
}

/// <slopes, vectors>.
double inner(const Matrix& slopes, const Matrix& vectors) {
  return std::inner_product(slopes.values.begin(), slopes.values.end(), vectors.values.begin(), 0.0,
                            std::plus<>(),
                            [](float a, float b) { return static_cast<double>(a) * b; });
}

TEST(RecordVectors, GradientIsThatOfTheVectors) {
  const Encoder encoder = encoder_of();
  const RecordVectors vectors(encoder);
  SoftBatch batch = random_soft_batch(encoder, 3);
  WorkerPool pool(1);
  Matrix slopes(3, vectors.dimension());
  SeededRandom random(8);
  for (float& slope : slopes.values) {
    slope = static_cast<float>(random.normal());
  }
  const SoftBatch gradient = vectors.gradient_of(batch, slopes, pool);
  const auto expect_slope = [&](float& value, float found) {
    constexpr float kStep = 1.0F / 64.0F;
    const float kept = value;
    value = kept + kStep;
    const double above = inner(slopes, vectors.of(batch, pool));
    value = kept - kStep;
    const double below = inner(slopes, vectors.of(batch, pool));
    value = kept;
    EXPECT_NEAR((above - below) / (2.0 * static_cast<double>(kStep)), static_cast<double>(found),
                1e-4);
  };
  expect_slope(batch.columns[0].numbers[2], gradient.columns[0].numbers[2]);
  expect_slope(batch.columns[1].numbers[1], gradient.columns[1].numbers[1]);
  expect_slope(batch.columns[1].presence[1], gradient.columns[1].presence[1]);
  expect_slope(batch.columns[3].probabilities.row(0)[2],
               gradient.columns[3].probabilities.row(0)[2]);
  expect_slope(batch.columns[4].numbers[5], gradient.columns[4].numbers[5]);
}

TEST(MedianRecordDistance, IsThatOfAllPairsOfFewRecords) {
  const RecordVectors vectors(encoder_of());
  const PublicRecords records(three_records(), DeclaredPublic{});
  const std::vector<std::size_t> all = {0, 1, 2};
  const Matrix rows = vectors.of(records.records(), all);
  std::vector<double> distances;
  for (const auto& [i, j] : {std::pair<std::size_t, std::size_t>{0, 1}, {0, 2}, {1, 2}}) {
    double squared = 0.0;
    for (std::size_t k = 0; k < rows.columns; ++k) {
      squared += std::pow(static_cast<double>(rows.row(i)[k] - rows.row(j)[k]), 2);
    }
    distances.push_back(std::sqrt(squared));
  }
  std::sort(distances.begin(), distances.end());
  EXPECT_NEAR(median_record_distance(vectors, records, 1), distances[1], 1e-12);
}

TEST(MedianRecordDistance, RefusesOneRecord) {
  EncodedBatch one = three_records();
  one.rows = 1;
  const PublicRecords records(one, DeclaredPublic{});
  const std::string message = message_of(ErrorCode::kInvalidArgument, [&] {
    median_record_distance(RecordVectors(encoder_of()), records, 1);
  });
  expect_mentions(message, {"at least two", "there are 1", "length-scale"});
}

TEST(Shuffled, HasEveryNumberOnceAndAnotherOrderForAnotherSeed) {
  std::vector<std::size_t> one = shuffled(100, 100, 1);
  EXPECT_NE(one, shuffled(100, 100, 2));
  EXPECT_EQ(one, shuffled(100, 100, 1));
  std::sort(one.begin(), one.end());
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(one[i], i);
  }
  EXPECT_EQ(shuffled(100, 3, 1).size(), 3u);
}

}  // namespace record_vectors_test
}  // namespace mehler
