#include "mehler/measurement/domain_purchase.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mehler/measurement/internal/domain_cells.h"
#include "mehler/measurement/internal/domain_price.h"
#include "mehler/table/calendar.h"
#include "tests/support/errors.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace domain_purchase_test {

Schema schema_of_columns(const std::string& columns, const std::string& head = "") {
  return Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [)" + columns + "]}");
}

TableColumn texts(const std::string& name, const std::vector<std::pair<std::string, int>>& counts) {
  std::vector<std::string> values;
  for (const auto& [text, count] : counts) {
    values.insert(values.end(), static_cast<std::size_t>(count), text);
  }
  return {.name = name, .kind = ColumnKind::kCategorical, .values = std::move(values)};
}

TableColumn numbers(const std::string& name, const std::vector<std::pair<double, int>>& counts) {
  std::vector<double> values;
  for (const auto& [number, count] : counts) {
    values.insert(values.end(), static_cast<std::size_t>(count), number);
  }
  return {.name = name, .kind = ColumnKind::kNumeric, .values = std::move(values)};
}

BoughtDomains buy(const Table& table, const Schema& schema, Accountant& accountant,
                  std::size_t threads = 1, double share = 0.1) {
  return buy_domains(PrivateTable({part_of({table})}, schema, PrivateTable::Parts::kForManyPasses),
                     {share}, accountant, Context{threads, nullptr, nullptr});
}

Column only_column(const Table& table, const std::string& column, double epsilon = 1000.0) {
  Accountant accountant({epsilon, 1e-6});
  return buy(table, schema_of_columns(column), accountant).table.schema().columns().front();
}

// At epsilon 1000 noise has a standard deviation below 1, and an empty cell stands out with a
// probability of 10^-6: what is found is certain.

TEST(BoughtBounds, EncloseAllCellsThatHoldMany) {
  const Table table{{numbers("x", {{0.0, 100}, {37.0, 100}, {180.0, 100}})}};
  const std::string x = R"({"name": "x", "kind": "numeric", "bounds": "buy")";
  EXPECT_EQ(only_column(table, x + "}").bounds, (Interval{0.0, 200.0}));
  EXPECT_TRUE(only_column(table, x + "}").bought);
  EXPECT_EQ(
      only_column({{numbers("x", {{-3.5, 100}, {12.25, 100}})}}, x + R"(, "decimals": 2})").bounds,
      (Interval{-5.0, 20.0}));
  EXPECT_EQ(
      only_column({{numbers("x", {{-3.5, 100}, {-0.07, 100}})}}, x + R"(, "decimals": 2})").bounds,
      (Interval{-5.0, -0.05}));
}

TEST(BoughtBounds, LeaveOutWhatFewHave) {
  const Table table{{numbers("x", {{20.0, 1000}, {9e9, 1}, {-1e12, 1}})}};
  EXPECT_EQ(only_column(table, R"({"name": "x", "kind": "numeric", "bounds": "buy"})", 2.0).bounds,
            (Interval{20.0, 50.0}));
}

TEST(BoughtBounds, OfOneValueAreAStepApart) {
  const std::string x = R"({"name": "x", "kind": "integer", "bounds": "buy")";
  const Table zeros{{numbers("x", {{0.0, 100}})}};
  EXPECT_EQ(only_column(zeros, x + "}").bounds, (Interval{0.0, 1.0}));
  EXPECT_EQ(only_column(zeros, x + R"(, "step": 5})").bounds, (Interval{0.0, 5.0}));
}

TEST(BoughtBounds, FitTheTypeAndTheTransform) {
  const std::string x = R"({"name": "x", "kind": "integer", "bounds": "buy")";
  const Table table{{numbers("x", {{-120.0, 100}, {120.0, 100}})}};
  EXPECT_EQ(only_column(table, x + R"(, "type": "int8"})").bounds, (Interval{-128.0, 127.0}));
  EXPECT_EQ(only_column(table, x + R"(, "type": "uint8"})").bounds, (Interval{0.0, 200.0}));
  EXPECT_EQ(only_column(table, x + R"(, "transform": "log"})").bounds, (Interval{0.0, 200.0}));
}

TEST(BoughtBounds, FitDecimalsAndTimesOfDay) {
  const std::string x = R"({"name": "x", "kind": "numeric", "bounds": "buy", "decimals": 2, )";
  const Table table{{numbers("x", {{-7000.0, 100}, {7000.0, 100}})}};
  EXPECT_EQ(only_column(table, x + R"j("type": "decimal(6,2)"})j").bounds,
            (Interval{-9999.99, 9999.99}));
  EXPECT_EQ(only_column(table, x + R"j("type": "decimal(8,2)"})j").bounds,
            (Interval{-10000.0, 10000.0}));
  const std::string time =
      R"({"name": "x", "kind": "integer", "bounds": "buy", "type": "time[s]"})";
  EXPECT_EQ(only_column({{numbers("x", {{100.0, 100}, {86'000.0, 100}})}}, time).bounds,
            (Interval{100.0, 86'399.0}));
}

TEST(BoughtBounds, OfDatesAreWholeYears) {
  const auto date = [](const char* text) { return *parse_date(text); };
  TableColumn column{.name = "d", .kind = ColumnKind::kDate};
  std::vector<std::int64_t> days(100, date("2019-05-06"));
  days.insert(days.end(), 100, date("2021-12-31"));
  column.values = days;
  const Column found = only_column({{column}}, R"({"name": "d", "kind": "date", "bounds": "buy"})");
  EXPECT_EQ(found.format_value(found.bounds->low), "2019-01-01");
  EXPECT_EQ(found.format_value(found.bounds->high), "2021-12-31");
}

TEST(DomainCells, HoldEveryValueBetweenTheirBounds) {
  Column column;
  column.name = "x";
  column.kind = ColumnKind::kNumeric;
  column.decimals = 3;
  const DomainCells cells(column);
  for (const double value : {0.0, 0.001, -0.001, 0.002, 0.0499, 1.0, -1.0, 999.9, -5e8, 4e14}) {
    const std::size_t cell = cells.cell_of(value);
    const Interval bounds = cells.bounds_of(cell, cell);
    EXPECT_LE(bounds.low, value);
    EXPECT_GE(bounds.high, value);
  }
  EXPECT_EQ(cells.cell_of(INFINITY), cells.size() - 1);
  EXPECT_EQ(cells.cell_of(-INFINITY), 0U);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    EXPECT_LT(cells.bounds_of(cell, cell).low, cells.bounds_of(cell, cell).high);
  }
}

TEST(BoughtCategories, AreTheFrequentTextsInTheirOrder) {
  const Table table{{texts("c", {{"pear", 200}, {"apple", 300}, {"fig", 100}, {"rare", 1}})}};
  const Column found =
      only_column(table, R"({"name": "c", "kind": "categorical", "categories": "buy"})");
  EXPECT_EQ(*found.categories, (std::vector<std::string>{"apple", "fig", "pear"}));
  EXPECT_EQ(found.other, "other");
  const Column numbered = only_column({{texts("c", {{"10", 200}, {"9", 300}})}},
                                      R"({"name": "c", "kind": "categorical", "categories": "buy",
                                          "other": "-1", "type": "int64"})");
  EXPECT_EQ(*numbered.categories, (std::vector<std::string>{"9", "10"}));
  EXPECT_EQ(numbered.other, "-1");
}

TEST(BoughtCategories, NeverHoldTextsThatAreTooLongOrNotUtf8) {
  const Table table{{texts("c", {{std::string(201, 'x'), 200}, {"\xff\xfe", 200}, {"fine", 200}})}};
  EXPECT_EQ(*only_column(table, R"({"name": "c", "kind": "categorical", "categories": "buy"})")
                 .categories,
            std::vector<std::string>{"fine"});
}

TEST(BoughtDomains, CountOnlyTheRecordsOfAPersonThatAreKept) {
  Table table{{texts("id", {{"many", 400}}), texts("c", {{"of one", 400}})}};
  for (int i = 0; i < 200; ++i) {
    std::get<std::vector<std::string>>(table.columns[0].values).push_back(std::to_string(i));
    std::get<std::vector<std::string>>(table.columns[1].values).push_back("of all");
  }
  const Schema schema = schema_of_columns(
      R"({"name": "id", "kind": "identifier"},
         {"name": "c", "kind": "categorical", "categories": "buy"})",
      R"("privacy_unit": {"column": "id", "max_rows": 2}, )");
  Accountant accountant({1000.0, 1e-6});
  const BoughtDomains bought = buy(table, schema, accountant);
  EXPECT_EQ(*bought.table.schema().find("c")->categories, std::vector<std::string>{"of all"});
}

TEST(BoughtDomains, AreTheSameForAnyThreads) {
  const Table table{
      {texts("c", {{"a", 40'000}, {"b", 30'000}}), numbers("x", {{5.0, 30'000}, {70.0, 40'000}})}};
  const Schema schema = schema_of_columns(
      R"({"name": "c", "kind": "categorical", "categories": "buy"},
         {"name": "x", "kind": "numeric", "bounds": "buy"})");
  Accountant one({10.0, 1e-6});
  Accountant three({10.0, 1e-6});
  EXPECT_EQ(buy(table, schema, one, 1).table.schema(), buy(table, schema, three, 3).table.schema());
}

TEST(BoughtDomains, OfWhichNothingStandsOutAreLeftOut) {
  const Table table{{texts("c", {{"a", 40}, {"b", 40}}), texts("t", {{"x", 80}})}};
  const Schema schema = schema_of_columns(
      R"({"name": "c", "kind": "categorical", "categories": "buy"},
         {"name": "t", "kind": "categorical", "categories": ["x"]})",
      R"("target": "c", )");
  Accountant accountant({1e-3, 1e-6});
  const BoughtDomains bought = buy(table, schema, accountant);
  EXPECT_EQ(bought.not_found, std::vector<std::string>{"c"});
  EXPECT_EQ(bought.table.schema().find("c")->kind, ColumnKind::kIgnored);
  EXPECT_FALSE(bought.table.schema().target());
  Accountant again({1e-3, 1e-6});
  expect_mentions(message_of(ErrorCode::kInvalidTable,
                             [&] {
                               buy({{table.columns[0]}},
                                   schema_of_columns(R"({"name": "c", "kind": "categorical",
                                                         "categories": "buy"})"),
                                   again);
                             }),
                  {"hides", "declare", "counts as spent"});
}

TEST(BoughtDomains, ChargeTheirShareOfMuAndDelta) {
  const Table table{{texts("c", {{"a", 400}}), numbers("x", {{1.0, 400}})}};
  const Schema schema = schema_of_columns(
      R"({"name": "c", "kind": "categorical", "categories": "buy"},
         {"name": "x", "kind": "numeric", "bounds": "buy"})");
  Accountant accountant({1.0, 1e-6});
  buy(table, schema, accountant, 1, 0.2);
  EXPECT_NEAR(disclosure_delta(accountant.charges()), 0.2e-6, 1e-18);
  const double mu = calibrate_mu({1.0, 0.8e-6});
  EXPECT_NEAR(gaussian_mu_squared(accountant.charges()) / (0.2 * mu * mu), 1.0, 1e-9);
  EXPECT_NEAR(accountant.left_mu_squared() / (0.8 * mu * mu), 1.0, 1e-9);
}

TEST(BoughtDomains, NeedATableThatCanBeReadAgainAndAWholeBudget) {
  const Table table{{texts("c", {{"a", 40}})}};
  const Schema schema =
      schema_of_columns(R"({"name": "c", "kind": "categorical", "categories": "buy"})");
  Accountant accountant({1.0, 1e-6});
  expect_mentions(
      message_of(
          ErrorCode::kInvalidArgument,
          [&] { buy_domains(PrivateTable({part_of({table})}, schema), {}, accountant, {}); }),
      {"read only once", "files"});
  EXPECT_TRUE(accountant.ledger().empty());
  for (const double share : {0.0, 1.0, double{NAN}}) {
    message_of(ErrorCode::kInvalidArgument, [&] { buy(table, schema, accountant, 1, share); });
  }
  const std::vector<Charge> before = {GaussianSums{"count", 1.0, 100.0}};
  accountant.spend("count", before);
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { buy(table, schema, accountant); }),
                  {"first", "new accountant"});
}

TEST(BoughtDomains, RefuseATableThatDoesNotFitBeforeTheyAreCharged) {
  const Table table{{texts("c", {{"a", 40}}), texts("t", {{"unknown", 40}})}};
  const Schema schema = schema_of_columns(
      R"({"name": "c", "kind": "categorical", "categories": "buy"},
         {"name": "t", "kind": "categorical", "categories": ["x"]})");
  Accountant accountant({1.0, 1e-6});
  message_of(ErrorCode::kInvalidTable, [&] { buy(table, schema, accountant); });
  EXPECT_TRUE(accountant.ledger().empty());
}

double upper_tail(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }

TEST(DomainPrice, ATextOfOnePersonStandsOutWithTheChargedProbability) {
  for (const int records : {1, 7}) {
    const Schema schema = schema_of_columns(
        R"({"name": "id", "kind": "identifier"}, {"name": "c", "kind": "boolean"})",
        R"("privacy_unit": {"column": "id", "max_rows": )" + std::to_string(records) + "}, ");
    const std::vector<DomainSize> sizes = {{"c", 0}, {"d", 0}, {"x", 145}};
    const std::vector<DomainPrice> prices = prices_of(sizes, schema, 0.1, {1.0, 1e-6});
    for (const DomainPrice& price : {prices[0], prices[1]}) {
      ASSERT_TRUE(price.rare);
      EXPECT_NEAR(price.rare->delta, 0.05e-6, 1e-20);
      const double sigma = price.counts.sigma;
      // All records of a person with one text, or each with a text of its own.
      EXPECT_LE(upper_tail((price.threshold - records) / sigma), price.rare->delta);
      EXPECT_LE(records * upper_tail((price.threshold - 1) / sigma), price.rare->delta);
      EXPECT_EQ(price.counts.sensitivity, records);
    }
    EXPECT_FALSE(prices[2].rare);
    EXPECT_LE(145 * upper_tail(prices[2].threshold / prices[2].counts.sigma), 1e-6);
  }
}

TEST(DomainPrice, ExchangedRecordsMoveTwoCounts) {
  const Schema schema =
      schema_of_columns(R"({"name": "c", "kind": "boolean"})", R"("relation": "replace-one", )");
  const std::vector<DomainSize> sizes = {{"x", 145}};
  const double sensitivity = prices_of(sizes, schema, 0.1, {1.0, 1e-6})[0].counts.sensitivity;
  EXPECT_GE(sensitivity, std::sqrt(2.0));
  EXPECT_NEAR(sensitivity, std::sqrt(2.0), 1e-12);
}

}  // namespace domain_purchase_test
}  // namespace mehler
