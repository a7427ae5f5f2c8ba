// From records whose values determine one another in no order to synthetic ones.

#include <gtest/gtest.h>

#include "mehler/generator/fitted_table/table_generator.h"
#include "mehler/synthesis/marginals/release_marginals.h"
#include "tests/support/counted_table.h"
#include "tests/support/sampled_table.h"

namespace mehler {
namespace finer_look_test {

/// A number, another that follows from it in no order, a category, and a number that follows from
/// that.
struct Follower {
  static std::int64_t of_number(std::int64_t x) { return x * 77 % 256; }
  static std::int64_t of_category(std::int64_t c) { return c * 37 % 100 * 10; }
};

const TableGenerator& generator() {
  static const TableGenerator made = [] {
    const Schema schema = Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "integer", "bounds": [0, 255]},
      {"name": "y", "kind": "integer", "bounds": [0, 255]},
      {"name": "c", "kind": "categorical", "categories": ["0", "1", "2", "3", "4", "5", "6"]},
      {"name": "w", "kind": "integer", "bounds": [0, 999]}]})");
    std::vector<std::vector<std::int64_t>> records;
    for (std::int64_t i = 0; i < 8000; ++i) {
      const std::int64_t x = i * 131 % 256;
      const std::int64_t c = i / 3 % 7;
      records.push_back({x, Follower::of_number(x), c, Follower::of_category(c)});
    }
    Accountant accountant({1000.0, 1e-6});
    return TableGenerator(
        release_marginals(PrivateTable({part_of({table_of(schema, records)})}, schema), {},
                          accountant, Context{}),
        TableFitOptions{}, Context{});
  }();
  return made;
}

const std::vector<std::int64_t>& integers(const Table& table, std::size_t column) {
  return std::get<std::vector<std::int64_t>>(table.columns[column].values);
}

/// The shares of records whose second and fourth value follow from the others.
std::pair<double, double> shares_right(const Table& table) {
  const auto& categories = std::get<std::vector<std::string>>(table.columns[2].values);
  double numbers = 0.0;
  double of_category = 0.0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    numbers += integers(table, 1)[i] == Follower::of_number(integers(table, 0)[i]) ? 1.0 : 0.0;
    of_category +=
        integers(table, 3)[i] == Follower::of_category(std::stoll(categories[i])) ? 1.0 : 0.0;
  }
  const auto rows = static_cast<double>(table.rows());
  return {numbers / rows, of_category / rows};
}

TEST(FinerLook, BringsBackValuesThatDetermineOneAnother) {
  const auto [numbers, of_category] =
      shares_right(sample(generator(), {.rows = 8000, .seed = 1, .where = {}}));
  EXPECT_GT(numbers, 0.95);
  EXPECT_GT(of_category, 0.95);
}

TEST(FinerLook, HoldsForOtherSamplesToo) {
  const auto [numbers, of_category] =
      shares_right(sample(generator(), {.rows = 20'000, .seed = 5, .where = {}}));
  EXPECT_GT(numbers, 0.9);
  EXPECT_GT(of_category, 0.9);
}

TEST(FinerLook, HoldsUnderAConditionOnAValue) {
  const Table table =
      sample(generator(), {.rows = 50, .seed = 1, .where = {{"x", "36"}, {"c", "2"}}});
  const auto [numbers, of_category] = shares_right(table);
  EXPECT_EQ(integers(table, 0), std::vector<std::int64_t>(50, 36));
  EXPECT_GT(numbers, 0.8);
  EXPECT_GT(of_category, 0.8);
}

TEST(FinerLook, GivesTheSameRecordsForAnyNumberOfThreads) {
  const SampleOptions options{.rows = 40'000, .seed = 3, .where = {}};
  const Table a = sample(generator(), options, 1);
  const Table b = sample(generator(), options, 3);
  for (std::size_t column : {0U, 1U, 3U}) {
    EXPECT_EQ(integers(a, column), integers(b, column));
  }
}

}  // namespace finer_look_test
}  // namespace mehler
