#include "mehler/measurement/measurement_rounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/counted_table.h"
#include "tests/support/errors.h"
#include "tests/support/vector_sums.h"

namespace mehler {
namespace measurement_rounds_test {

/// 600 records: c0 and c1 have 2 and 3 categories.
Table six_hundred(const Schema& schema) {
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t i = 0; i < 600; ++i) {
    rows.push_back({i % 2, i % 3});
  }
  return table_of(schema, rows);
}

struct Fixture : CountedTable {
  explicit Fixture(const Schema& schema, PrivacyBudget budget = {1.0, 1e-6})
      : CountedTable(schema, six_hundred(schema), budget), cells(own_cells(encoder)) {}

  CountBlock block(const std::vector<std::size_t>& columns) const {
    return CountBlock::marginal(encoder, columns, cells, "test");
  }
  static CountBlock count() { return CountBlock::records(); }

  std::vector<std::shared_ptr<const ColumnPartition>> cells;
};

TEST(MeasurementRounds, CostIsTheSquaredChangeOfWhatIsProtected) {
  const Fixture one(schema_of_categories({2, 3}));
  EXPECT_NEAR(one.rounds.cost(Fixture::count()), 1.0, 1e-12);
  EXPECT_NEAR(one.rounds.cost(one.block({0})), 1.0 / 2.0, 1e-12);
  EXPECT_NEAR(one.rounds.cost(one.block({1})), 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(one.rounds.cost(one.block({0, 1})), 1.0 / 3.0, 1e-12);
  // An exchange moves a record from one cell to another: |h(x) - h(y)|^2 = 2 in any one column.
  const Fixture exchanged(schema_of_categories({2, 3}, R"("relation": "replace-one", )"));
  EXPECT_NEAR(exchanged.rounds.cost(exchanged.block({0})), 2.0, 1e-12);
  EXPECT_NEAR(exchanged.rounds.cost(exchanged.block({1})), 2.0, 1e-12);
}

TEST(MeasurementRounds, CostOfAPrivacyUnitIsThatOfAllItsRecords) {
  const Schema schema = Schema::from_json(R"({"mehler_schema": 1,
      "privacy_unit": {"column": "id", "max_rows": 3}, "columns": [
      {"name": "id", "kind": "identifier"},
      {"name": "c", "kind": "categorical", "categories": ["0", "1"]}]})");
  Table table;
  table.columns.push_back(
      {"id", ColumnKind::kCategorical, std::vector<std::string>{"a", "a", "b"}, {}});
  table.columns.push_back(
      {"c", ColumnKind::kCategorical, std::vector<std::string>{"0", "1", "1"}, {}});
  CountedTable counted(schema, table, {1.0, 1e-6});
  const CountBlock block =
      CountBlock::marginal(counted.encoder, {{std::size_t{0}}}, own_cells(counted.encoder), "test");
  EXPECT_NEAR(counted.rounds.cost(block), 9.0 / 2.0, 1e-12);
}

TEST(MeasurementRounds, SpendWhatTheyAreGivenWithPrecisionsByTheShares) {
  Fixture fixture(schema_of_categories({2, 3}));
  const double total = fixture.accountant.total_mu_squared();
  fixture.rounds.measure("both", {fixture.block({0}), fixture.block({1})}, {1.0, 4.0}, 0.25 * total,
                         Context{});
  ASSERT_EQ(fixture.accountant.ledger().size(), 1U);
  EXPECT_EQ(fixture.accountant.ledger()[0].what, "both");
  EXPECT_NEAR(fixture.accountant.ledger()[0].mu_squared(), 0.25 * total, 1e-12 * total);
  EXPECT_NEAR(fixture.rounds.left(), 0.75 * total, 1e-10 * total);
  const auto& measured = fixture.rounds.measurements().one_ways();
  EXPECT_NEAR(measured[1].precision / measured[0].precision, 4.0, 1e-12);
  EXPECT_NEAR(measured[0].precision / 2.0 + measured[1].precision * 2.0 / 3.0, 0.25 * total,
              1e-12 * total);
}

TEST(MeasurementRounds, LeaveOutBlocksWithoutAShareAndRoundsWithoutBlocks) {
  Fixture fixture(schema_of_categories({2, 3}));
  const double total = fixture.accountant.total_mu_squared();
  fixture.rounds.measure("one", {fixture.block({0}), fixture.block({1})}, {0.0, 1.0}, 0.5 * total,
                         Context{});
  EXPECT_TRUE(fixture.rounds.measurements().one_ways()[0].deviations.empty());
  EXPECT_NEAR(fixture.rounds.measurements().one_ways()[1].precision, 0.75 * total, 1e-12 * total);
  fixture.rounds.measure("none", {fixture.block({0})}, {0.0}, 0.5 * total, Context{});
  EXPECT_EQ(fixture.accountant.ledger().size(), 1U)
      << "nothing is charged for what is not measured";
}

TEST(MeasurementRounds, AreRefusedMoreThanIsLeftAndKeepNothingOfIt) {
  Fixture fixture(schema_of_categories({2, 3}));
  const double total = fixture.accountant.total_mu_squared();
  fixture.rounds.measure("first", {fixture.block({0})}, {1.0}, 0.6 * total, Context{});
  message_of(ErrorCode::kBudgetExceeded, [&] {
    fixture.rounds.measure("second", {fixture.block({1})}, {1.0}, 0.5 * total, Context{});
  });
  EXPECT_EQ(fixture.accountant.ledger().size(), 1U);
  EXPECT_TRUE(fixture.rounds.measurements().one_ways()[1].deviations.empty());
}

TEST(MeasurementRounds, KnowTheNumberOfRecordsWhereItIsPublic) {
  const Fixture exchanged(schema_of_categories({2, 3}, R"("relation": "replace-one", )"));
  EXPECT_EQ(exchanged.rounds.measurements().rows(), 600.0);
  const Fixture added(schema_of_categories({2, 3}));
  EXPECT_EQ(added.rounds.measurements().rows(), 1.0) << "not measured yet";
}

TEST(MeasurementRounds, EndInAReleaseOfAllThatWasMeasured) {
  Fixture fixture(schema_of_categories({2, 3}));
  const double total = fixture.accountant.total_mu_squared();
  fixture.rounds.measure("count", {Fixture::count()}, {1.0}, 0.2 * total, Context{});
  fixture.rounds.measure("columns", {fixture.block({0}), fixture.block({1})}, {1.0, 1.0},
                         0.3 * total, Context{});
  fixture.rounds.measure("pair", {fixture.block({0, 1})}, {1.0}, fixture.rounds.left(), Context{});
  const Release release = fixture.rounds.finish("marginals");
  std::vector<GaussianSums> stated;
  for (const Charge& charge : release.statement().charges) {
    stated.push_back(std::get<GaussianSums>(charge));
  }
  ASSERT_EQ(stated.size(), 4U);
  EXPECT_EQ(stated[0].name, "count");
  EXPECT_EQ(stated[3].name, "c0 x c1 (test)");
  EXPECT_NEAR(stated[0].mu_squared(), 0.2 * total, 1e-12 * total);
  EXPECT_NEAR(stated[1].mu_squared() + stated[2].mu_squared(), 0.3 * total, 1e-12 * total);
  EXPECT_NEAR(stated[3].mu_squared(), 0.5 * total, 1e-10 * total);
  EXPECT_EQ(release.counts().blocks.size(), 4U);
  EXPECT_EQ(release.statement().budget.epsilon, 1.0);
}

TEST(MeasurementRounds, MeasureTheTableWithTheNoiseTheyState) {
  // Every count from noise of a known scale; each of ten numbers is further away than 7 of its
  // standard deviations with probability 3e-12.
  Fixture fixture(schema_of_categories({2, 3}), {1000.0, 1e-6});
  const double total = fixture.accountant.total_mu_squared();
  fixture.rounds.measure("count", {Fixture::count()}, {1.0}, 0.1 * total, Context{});
  fixture.rounds.measure("rest", {fixture.block({0}), fixture.block({1}), fixture.block({0, 1})},
                         {1.0, 1.0, 1.0}, 0.8 * total, Context{});
  const MarginalMeasurements& measured = fixture.rounds.measurements();
  EXPECT_NEAR(measured.rows(), 600.0, 7.0 / std::sqrt(0.1 * total));
  std::vector<const MeasuredMarginal*> tables = {&measured.one_ways()[0], &measured.one_ways()[1]};
  ASSERT_EQ(measured.joint_tables().size(), 1U);
  tables.push_back(&measured.joint_tables()[0]);
  for (const MeasuredMarginal* table : tables) {
    EXPECT_LT(table->cell_variance(), 0.1);
    for (const double deviation : table->deviations) {
      // Codes are spread evenly, so that no cell deviates from its share.
      EXPECT_NEAR(deviation, 0.0, 7.0 * std::sqrt(table->cell_variance()));
    }
  }
}

/// A table without records: what is measured of it is noise.
TEST(MeasurementRounds, SumsOfVectorsHaveTheNoiseThatTheyAreChargedFor) {
  const Schema schema = schema_of_categories(std::vector<std::size_t>(61, 2));
  CountedTable counted(schema, table_of(schema, {}), {1.0, 1e-6});
  const auto cells = own_cells(counted.encoder);
  const std::vector<VectorSum> sums = example_sums(counted.encoder, {60, cells[60]});
  for (const VectorSum& sum : sums) {
    const MeasuredSum measured =
        counted.rounds.measure_sum({"sum " + std::to_string(static_cast<int>(sum.kind)), sum},
                                   0.1 * counted.rounds.left(), Context{});
    EXPECT_NEAR(counted.accountant.ledger().back().mu_squared(),
                std::pow(sum.sensitivity(NeighbourRelation::kAddRemoveOne) / measured.sigma, 2.0),
                1e-12);
    const std::vector<double> scales = sum.noise_scales();
    double squares = 0.0;
    for (std::size_t i = 0; i < scales.size(); ++i) {
      squares += std::pow(measured.values[i] / (measured.sigma * scales[i]), 2.0);
    }
    // A sum of squares of standard normals: beyond 6 standard deviations once in 10^8.
    const auto count = static_cast<double>(scales.size());
    EXPECT_NEAR(squares / count, 1.0, 6.0 * std::sqrt(2.0 / count));
  }
}

}  // namespace measurement_rounds_test
}  // namespace mehler
