#include "mehler/evaluation/kernels/median_heuristic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "mehler/core/seeded_random.h"
#include "mehler/evaluation/kernels/read_records.h"
#include "mehler/privacy/private_table.h"
#include "tests/support/errors.h"

namespace mehler {
namespace median_heuristic_test {

// Private records cannot become public ones: not by conversion, and not without the word.
static_assert(!std::is_constructible_v<PublicRecords, PrivateTable>);
static_assert(!std::is_constructible_v<PublicRecords, PrivateTable, DeclaredPublic>);
static_assert(!std::is_constructible_v<PublicRecords, EncodedBatch>);
static_assert(!std::is_convertible_v<EncodedBatch, PublicRecords>);
static_assert(!std::is_invocable_v<decltype(median_heuristic), const Encoder&, PrivateTable>);
static_assert(!std::is_invocable_v<decltype(median_heuristic), const Encoder&, EncodedBatch>);
static_assert(std::is_constructible_v<PublicRecords, EncodedBatch, DeclaredPublic>);

double median_by_definition(const std::vector<double>& points) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      distances.push_back(std::fabs(points[i] - points[j]));
    }
  }
  std::sort(distances.begin(), distances.end());
  const std::size_t half = distances.size() / 2;
  return distances.size() % 2 == 1 ? distances[half]
                                   : 0.5 * (distances[half - 1] + distances[half]);
}

TEST(MedianDistance, IsTheMedianOfAllPairs) {
  SeededRandom random(1);
  for (const std::size_t count : {2, 3, 4, 5, 6, 50, 201}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<double> points(count);
      for (double& point : points) {
        // Every other time few different values, so that there are many ties.
        point = repeat % 2 == 0 ? random.normal() : std::floor(4 * random.uniform()) - 2;
      }
      EXPECT_EQ(median_distance(points), median_by_definition(points)) << count;
    }
  }
}

TEST(MedianDistance, IsZeroWhereMostPairsAreEqual) {
  EXPECT_EQ(median_distance(std::vector<double>{3.0, 3.0, 3.0, 7.0, 3.0}), 0.0);
  EXPECT_EQ(median_distance(std::vector<double>{0.0, -0.0}), 0.0);
  EXPECT_EQ(median_distance(std::vector<double>{-0.0, 0.0, -0.0}), 0.0);
}

TEST(MedianDistance, TakesManyPoints) {
  std::vector<double> points(200'000);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = static_cast<double>(i);
  }
  // Distance d has n - d pairs: half of all below n (1 - sqrt(1/2)).
  EXPECT_NEAR(median_distance(points), 200'000 * (1 - std::sqrt(0.5)), 2.0);
}

TEST(MedianDistance, RefusesWhatHasNone) {
  message_of(ErrorCode::kInvalidArgument, [] { median_distance({}); });
  message_of(ErrorCode::kInvalidArgument, [] { median_distance(std::vector<double>{1.0}); });
  for (const double bad : {double{NAN}, double{INFINITY}, -double{INFINITY}}) {
    message_of(ErrorCode::kInvalidArgument, [&] {
      median_distance(std::vector<double>{1.0, bad});
    });
  }
}

TEST(MedianHeuristic, GivesEveryColumnOfNumbersItsMedian) {
  const Encoder encoder(Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "age", "kind": "integer", "bounds": [0, 100], "missing": true},
      {"name": "sick", "kind": "boolean"},
      {"name": "rare", "kind": "numeric", "bounds": [0, 1], "missing": true}]})"));
  Table table;
  table.columns = {
      {"age",
       ColumnKind::kInteger,
       std::vector<std::int64_t>{10, 20, 0, 50},
       {false, false, true, false}},
      {"sick", ColumnKind::kBoolean, std::vector<std::int64_t>{0, 1, 1, 0}, {}},
      {"rare", ColumnKind::kNumeric, std::vector<double>{0, 0, 0.5, 0}, {true, true, false, true}}};
  const PublicRecords records(read_records(encoder, table), DeclaredPublic{});
  const std::vector<ColumnLengthScale> found = median_heuristic(encoder, records);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].column, "age");
  EXPECT_NEAR(found[0].median.value(), 0.6, 1e-15);  // 30 years of 100, where the bounds are -1, 1
  EXPECT_EQ(found[1].column, "rare");
  EXPECT_FALSE(found[1].median.has_value());
}

TEST(ReadRecords, RefusesATableWithoutRows) {
  const Encoder encoder(Schema::from_json(
      R"({"mehler_schema": 1, "columns": [{"name": "a", "kind": "numeric", "bounds": [0, 1]}]})"));
  Table table;
  table.columns = {{"a", ColumnKind::kNumeric, std::vector<double>{}, {}}};
  expect_mentions(message_of(ErrorCode::kInvalidTable, [&] { read_records(encoder, table); }),
                  {"no rows"});
}

}  // namespace median_heuristic_test
}  // namespace mehler
