#include "mehler/measurement/table_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "tests/support/counted_table.h"
#include "tests/support/private_counter_test_peer.h"

namespace mehler {
namespace table_scores_test {

using Records = std::vector<std::vector<std::int64_t>>;

ScoredTable table_of_columns(const Encoder& encoder, std::span<const std::size_t> columns) {
  ScoredTable table;
  for (const std::size_t column : columns) {
    table.columns.push_back({column, std::make_shared<const ColumnPartition>(
                                         ColumnPartition::even(encoder.columns()[column], 4))});
  }
  return table;
}

std::int64_t score_through_counter(const Schema& schema, const Records& records,
                                   const ScoredTable& table) {
  const Encoder encoder(schema);
  ArrowArrayStream stream = arrow_stream_of({table_of(schema, records)});
  PrivateCounter counter(PrivateTable(&stream, schema), encoder, Context{});
  counter.score(std::span(&table, 1), Context{});
  return PrivateCounterTestPeer::scores(counter).front();
}

ScoredTable expected_table(const Encoder& encoder) {
  const std::size_t columns[] = {0, 2, 1};
  ScoredTable table = table_of_columns(encoder, columns);
  table.others = std::make_shared<const std::vector<double>>(
      std::vector<double>{3.3, 0.0, 1.7, 20.25, 1e-9, 5.5});
  table.shares = std::make_shared<const std::vector<double>>(std::vector<double>{0.15, 0.6, 0.25});
  table.subtracted = 12.34;
  return table;
}

TEST(TableScores, AreDistancesFromWhatIsExpectedOnAGrid) {
  const Schema schema = schema_of_categories({2, 3, 3});
  const ScoredTable table = expected_table(Encoder(schema));
  const Records records = {{0, 1, 0}, {0, 1, 0}, {1, 2, 2}};
  double distance = 0.0;
  for (std::size_t other = 0; other < 6; ++other) {
    for (std::size_t k = 0; k < 3; ++k) {
      double count = 0.0;
      for (const auto& record : records) {
        count += static_cast<std::size_t>(record[0] * 3 + record[2]) == other &&
                         static_cast<std::size_t>(record[1]) == k
                     ? 1.0
                     : 0.0;
      }
      distance += std::abs(count - (*table.others)[other] * (*table.shares)[k]);
    }
  }
  EXPECT_NEAR(static_cast<double>(score_through_counter(schema, records, table)) / 256.0,
              distance - 12.34, 19 * 0.5 / 256.0);
}

// Through the shipped code, over 20,000 added records: no score moves by more than is stated.
TEST(TableScores, MoveByNoMoreThanTheirSensitivity) {
  const Schema schema = schema_of_categories({2, 3, 3});
  const ScoredTable table = expected_table(Encoder(schema));
  SeededRandom random(3);
  WipedVector<std::int64_t> counts(18);
  std::int64_t before = score_of(table, counts, 0);
  const auto sensitivity =
      static_cast<std::int64_t>(sensitivity_of_scores(ScoreKind::kDistance, schema, 0));
  std::int64_t largest = 0;
  Records records;
  for (std::uint64_t rows = 1; rows <= 20'000; ++rows) {
    const Records::value_type record = {static_cast<std::int64_t>(random.next_word() % 2),
                                        static_cast<std::int64_t>(random.next_word() % 3),
                                        static_cast<std::int64_t>(random.next_word() % 3)};
    records.push_back(record);
    ++counts[static_cast<std::size_t>((record[0] * 3 + record[2]) * 3 + record[1])];
    const std::int64_t after = score_of(table, counts, rows);
    largest = std::max(largest, std::abs(after - before));
    before = after;
  }
  EXPECT_EQ(before, score_through_counter(schema, records, table));
  EXPECT_LE(largest, sensitivity);
  EXPECT_EQ(largest, 256);  // and the bound is met
}

TEST(TableScores, OfDependenceMoveByNoMoreThanTheirSensitivity) {
  const Schema schema = schema_of_categories({3, 3}, R"("relation": "replace-one", )");
  const std::size_t columns[] = {0, 1};
  ScoredTable table = table_of_columns(Encoder(schema), columns);
  table.kind = ScoreKind::kDependence;
  SeededRandom random(4);
  for (const std::uint64_t rows : {1, 2, 7, 300}) {
    const auto sensitivity =
        static_cast<std::int64_t>(sensitivity_of_scores(ScoreKind::kDependence, schema, rows));
    EXPECT_EQ(sensitivity, static_cast<std::int64_t>(6 * rows + 4));
    std::int64_t largest = 0;
    for (int trial = 0; trial < 3000; ++trial) {
      WipedVector<std::int64_t> counts(9);
      // Many at one place: there the score moves most.
      for (std::uint64_t i = 0; i < rows; ++i) {
        ++counts[random.flip(0.3) ? random.next_word() % 9 : static_cast<std::size_t>(trial % 9)];
      }
      std::size_t from = random.next_word() % 9;
      while (counts[from] == 0) {
        from = (from + 1) % 9;
      }
      WipedVector<std::int64_t> exchanged = counts;
      --exchanged[from];
      ++exchanged[random.next_word() % 9];
      largest = std::max(
          largest, std::abs(score_of(table, exchanged, rows) - score_of(table, counts, rows)));
    }
    EXPECT_LE(largest, sensitivity) << rows;
    if (rows > 1) {  // a single record depends on nothing
      EXPECT_GT(3 * largest, sensitivity / 2) << rows;
    }
  }
}

TEST(TableScores, AreMultipliedByTheRowsOfAPerson) {
  const Schema schema = Schema::from_json(
      R"({"mehler_schema": 1, "privacy_unit": {"column": "id", "max_rows": 5}, "columns": [
          {"name": "id", "kind": "identifier"}, {"name": "c", "kind": "boolean"}]})");
  EXPECT_EQ(sensitivity_of_scores(ScoreKind::kDistance, schema, 10), 5u * 256u);
  EXPECT_EQ(sensitivity_of_scores(ScoreKind::kDistance,
                                  schema_of_categories({2}, R"("relation": "replace-one", )"), 10),
            2u * 256u);
}

}  // namespace table_scores_test
}  // namespace mehler
