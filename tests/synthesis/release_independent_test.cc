#include "mehler/synthesis/independent/release_independent.h"

#include <gtest/gtest.h>

#include "mehler/demo/people.h"
#include "mehler/release/marginal_measurements.h"
#include "mehler/synthesis/methods.h"
#include "mehler/table/table_stream.h"
#include "tests/support/counted_table.h"
#include "tests/support/errors.h"

namespace mehler {
namespace release_independent_test {

Release release_of(const Schema& schema, const Table& table, double epsilon) {
  ArrowArrayStream stream = arrow_stream_of({table});
  Accountant accountant({.epsilon = epsilon, .delta = 1e-6});
  Release release = release_independent(PrivateTable(&stream, schema), accountant, Context{});
  EXPECT_LT(accountant.left_mu_squared(), 1e-9);
  return release;
}

TEST(Independent, MeasuresTheNumberOfRecordsAndEveryColumnOnce) {
  const Schema schema = schema_of_categories({2, 3, 1});
  const Release release = release_of(schema, table_of(schema, {{0, 1, 0}, {1, 2, 0}}), 1.0);
  ASSERT_EQ(release.counts().blocks.size(),
            3u);  // a column with one possible value needs no counts
  EXPECT_EQ(release.counts().counts.blocks()[0].name, "count");
  EXPECT_EQ(release.counts().counts.blocks()[1].name, "c0");
  EXPECT_EQ(release.counts().counts.blocks()[2].name, "c1");
  EXPECT_EQ(release.method(), "independent");
}

TEST(Independent, CountsAreThoseOfTheTableWithTheStatedNoise) {
  const Schema schema = schema_of_categories({2, 3});
  const Release release =
      release_of(schema, table_of(schema, std::vector<std::vector<std::int64_t>>(500, {1, 2})), 50);
  // A residual of 8 sigma has a probability below 2e-15.
  EXPECT_NEAR(release.record_count(), 500.0, 8.0 * release.record_count_error());
  const auto generator = fit(release);
  generator->sample({.rows = 100}, Context{}, [](const Table& table) {
    const auto& codes = std::get<std::vector<std::string>>(table.columns[1].values);
    EXPECT_GT(std::count(codes.begin(), codes.end(), "2"), 90);
  });
}

TEST(Independent, APublicNumberOfRecordsCostsNothing) {
  const Schema schema = schema_of_categories({2}, R"("relation": "replace-one", )");
  const Release release = release_of(schema, table_of(schema, {{0}, {1}, {1}}), 1.0);
  ASSERT_EQ(release.counts().blocks.size(), 1u);
  EXPECT_EQ(release.record_count(), 3.0);
}

TEST(Independent, RefusesATableWithNothingToMeasure) {
  const Schema schema = schema_of_categories({1});
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [&] { release_of(schema, table_of(schema, {{0}}), 1.0); }),
                  {"single possible value"});
}

// Before: after records had been measured, for whose noise the budget was gone.
TEST(Independent, RefusesNoiseThatCannotBeDrawnBeforeItMeasures) {
  const Schema schema = schema_of_categories({2, 3});
  for (const PrivacyBudget budget : {PrivacyBudget{1e6, 1e-3}, PrivacyBudget{1e-9, 1e-12}}) {
    Accountant accountant(budget);
    ArrowArrayStream stream = arrow_stream_of({table_of(schema, {{0, 1}})});
    expect_mentions(
        message_of(
            ErrorCode::kInvalidArgument,
            [&] { release_independent(PrivateTable(&stream, schema), accountant, Context{}); }),
        {"standard deviation", "can be drawn only within"});
    EXPECT_TRUE(accountant.ledger().empty());
  }
}

}  // namespace release_independent_test
}  // namespace mehler
