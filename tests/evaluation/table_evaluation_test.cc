#include "mehler/evaluation/tables/table_evaluation.h"

#include <gtest/gtest.h>

#include "mehler/demo/people.h"
#include "tests/support/errors.h"

namespace mehler {
namespace table_evaluation_test {

CodedTable people(std::size_t rows, std::uint64_t seed) {
  const Encoder encoder(people_schema());
  return read_coded_table(encoder, column_bins(encoder), simulate_people(rows, seed));
}

TEST(TableEvaluation, OfATableWithItselfIsPerfect) {
  const Encoder encoder(people_schema());
  const CodedTable real = people(500, 1);
  const TableEvaluation found = evaluate_tables(encoder, real, real, &real, {}, Context{});
  EXPECT_EQ(*found.quality.overall, 1.0);
  ASSERT_EQ(found.marginals.size(), 3U);
  for (const MarginalDistances& marginals : found.marginals) {
    EXPECT_EQ(marginals.mean, 0.0);
  }
  EXPECT_EQ(found.matches_real, 1.0);
  EXPECT_NEAR(found.propensity.pmse, 0.0, 1e-9);
  EXPECT_EQ(found.training->synthetic_matches, 1.0);
}

TEST(TableEvaluation, HasNoTrainingFiguresWithoutTrainingRecords) {
  const Encoder encoder(people_schema());
  EvaluationOptions options;
  options.ways = {2};
  const TableEvaluation found =
      evaluate_tables(encoder, people(300, 2), people(400, 3), nullptr, options, Context{});
  EXPECT_FALSE(found.training.has_value());
  ASSERT_EQ(found.marginals.size(), 1U);
  EXPECT_EQ(found.marginals[0].ways, 2U);
  EXPECT_EQ(found.real_rows, 300U);
  EXPECT_EQ(found.synthetic_rows, 400U);
  EXPECT_GT(*found.quality.overall, 0.8);
  EXPECT_LT(*found.quality.overall, 1.0);
}

TEST(TableEvaluation, OfFewColumnsHasTheMarginalsThatThereAre) {
  const Encoder encoder(Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "c", "kind": "categorical", "categories": ["a", "b"]}]})"));
  CodedTable table;
  table.rows = 3;
  table.columns = {{{0, 1, 0}, {}, 0, 0}};
  const TableEvaluation found = evaluate_tables(encoder, table, table, nullptr, {}, Context{});
  EXPECT_EQ(found.marginals.size(), 1U);
  EXPECT_FALSE(found.quality.column_pair_trends.has_value());
  EXPECT_EQ(*found.quality.overall, 1.0);
  EvaluationOptions options;
  options.ways = {2};
  expect_mentions(
      message_of(ErrorCode::kInvalidArgument,
                 [&] { evaluate_tables(encoder, table, table, nullptr, options, Context{}); }),
      {"2-way", "1 column"});
}

TEST(TableEvaluation, OfConstantColumnsSaysWhatIsNotDefined) {
  const Encoder encoder(Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "numeric", "bounds": [0, 1]},
      {"name": "y", "kind": "numeric", "bounds": [0, 1]}]})"));
  CodedTable table;
  table.rows = 3;
  table.columns = {{{3, 3, 3}, {0.2, 0.2, 0.2}, 0, 0}, {{3, 3, 3}, {0.2, 0.2, 0.2}, 0, 0}};
  const TableEvaluation found = evaluate_tables(encoder, table, table, nullptr, {}, Context{});
  EXPECT_FALSE(found.quality.column_pair_trends.has_value());
  EXPECT_EQ(found.propensity.parameters, 1U);
  EXPECT_EQ(found.propensity.pmse, 0.0);
  EXPECT_FALSE(found.propensity.ratio().has_value());
}

}  // namespace table_evaluation_test
}  // namespace mehler
