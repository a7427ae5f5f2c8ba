// Samples under conditions, of fitted tables and of networks, and partial rows that are completed.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "mehler/core/seeded_random.h"
#include "mehler/demo/people.h"
#include "mehler/generator/fitted_table/table_generator.h"
#include "mehler/generator/partial_rows.h"
#include "mehler/synthesis/marginals/release_marginals.h"
#include "mehler/table/table_stream.h"
#include "tests/support/counted_table.h"
#include "tests/support/errors.h"
#include "tests/support/meets.h"

namespace mehler {
namespace conditional_sample_test {

using Relation = ConditionRelation;
using Conditions = std::vector<SampleCondition>;

const TableGenerator& people() {
  static const TableGenerator generator = [] {
    ArrowArrayStream stream = arrow_stream_of({simulate_people(1500, 1)});
    Accountant accountant({5.0, 1e-6});
    return TableGenerator(
        release_marginals(PrivateTable(&stream, people_schema()), {}, accountant, Context{}),
        TableFitOptions{}, Context{});
  }();
  return generator;
}

Table sample_where(std::uint64_t rows, const Conditions& where, std::uint64_t seed = 1,
                   std::size_t threads = 1) {
  return sample(people(), {.rows = rows, .seed = seed, .where = where, .on_unlikely = [] {}},
                threads);
}

void expect_all_meet(const Table& table, const Conditions& where) {
  for (const SampleCondition& condition : where) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      ASSERT_TRUE(meets(table, row, people().release().schema(), condition))
          << condition.column << ", relation " << static_cast<int>(condition.relation);
    }
  }
}

/// A condition on a random column, with values of random records.
SampleCondition random_condition(const Table& records, SeededRandom& random) {
  const auto below = [&](std::size_t bound) { return random.next_word() % bound; };
  const TableColumn& column = records.columns[below(records.columns.size())];
  const Column& declared = *people().release().schema().find(column.name);
  const bool has_order = declared.is_number() || declared.kind == ColumnKind::kOrdinal;
  const auto relation =
      static_cast<Relation>(has_order ? below(8) : std::array{0, 1, 6, 7}[below(4)]);
  SampleCondition result(column.name, relation);
  const bool is_list = relation == Relation::kIn || relation == Relation::kNotIn;
  if (relation != Relation::kMissing && relation != Relation::kNotMissing) {
    for (std::size_t i = 0; i < (is_list ? 1 + below(3) : 1); ++i) {
      std::string text = text_of(column, declared, below(records.rows()));
      if (!is_list && text.empty()) {
        text = declared.format_value(declared.bounds->low);
      }
      result.values.push_back(text);
    }
  }
  return result;
}

TEST(ConditionalSample, EveryRecordMeetsRandomConditions) {
  SeededRandom random(1);
  const Table records = sample_where(500, {});
  int drawn = 0;
  for (int i = 0; i < 120; ++i) {
    Conditions where;
    for (std::size_t k = 0; k <= random.next_word() % 4; ++k) {
      where.push_back(random_condition(records, random));
    }
    try {
      people().check_conditions(where);
    } catch (const Error&) {
      continue;  // nothing meets them
    }
    const std::uint64_t rows = i % 10 == 0 ? 700 : 30;
    const Table table = sample_where(rows, where, static_cast<std::uint64_t>(i));
    ASSERT_EQ(table.rows(), rows);
    expect_all_meet(table, where);
    for (const TableColumn& column : table.columns) {
      ASSERT_EQ(count_foreign_values(column, *people().release().schema().find(column.name)), 0U);
    }
    ++drawn;
  }
  EXPECT_GT(drawn, 40);
}

/// The mean of a column over records that meet the conditions; missing values are left out.
double mean_of(const Table& table, const std::string& name, const Conditions& where) {
  const Schema& schema = people().release().schema();
  double sum = 0.0;
  double count = 0.0;
  for (const TableColumn& column : table.columns) {
    for (std::size_t row = 0; column.name == name && row < table.rows(); ++row) {
      const bool all = std::all_of(where.begin(), where.end(), [&](const SampleCondition& one) {
        return meets(table, row, schema, one);
      });
      const auto value = schema.find(name)->parse_value(text_of(column, *schema.find(name), row));
      sum += all && value ? *value : 0.0;
      count += all && value ? 1.0 : 0.0;
    }
  }
  return sum / count;
}

TEST(ConditionalSample, AgreesWithALargeSampleThatIsFiltered) {
  // Bounds that cut cells, and few records of the fitted table: about 100 of 1,500.
  const Conditions where = {{"age", Relation::kAtLeast, {"51"}},
                            {"age", Relation::kLess, {"63"}},
                            {"income", Relation::kLess, {"31234.5"}},
                            {"hours", Relation::kNotMissing}};
  const Table all = sample_where(40'000, {}, 2);
  for (const std::uint64_t rows : {std::uint64_t{60}, std::uint64_t{4000}}) {
    const Table table = sample_where(rows, where, 3);
    expect_all_meet(table, where);
    // Standard errors of some 2,500 filtered records, and of those drawn: an age has the deviation
    // 3.5 within its bounds, an income 6,000, a pressure 16, hours 8. Beyond those, what the model
    // of pairs makes of 100 records. Unfiltered, ages are lower by more than that and incomes
    // higher.
    const double errors = 5.0 * (std::sqrt(1.0 / 2500.0) + std::sqrt(1.0 / double(rows)));
    EXPECT_NEAR(mean_of(table, "age", where), mean_of(all, "age", where), 3.5 * errors + 0.9);
    EXPECT_NEAR(mean_of(table, "income", where), mean_of(all, "income", where),
                6000.0 * errors + 4000.0);
    EXPECT_NEAR(mean_of(table, "pressure", where), mean_of(all, "pressure", where),
                16.0 * errors + 7.0);
    EXPECT_NEAR(mean_of(table, "hours", where), mean_of(all, "hours", where), 8.0 * errors + 5.0);
  }
}

TEST(ConditionalSample, IsThatOfItsSeedWhateverTheThreads) {
  const Conditions where = {{"age", Relation::kGreater, {"70"}}, {"smoker", "true"}};
  for (const std::uint64_t rows : {std::uint64_t{20}, std::uint64_t{5000}}) {
    const Table one = sample_where(rows, where, 7, 1);
    const Table three = sample_where(rows, where, 7, 3);
    for (std::size_t c = 0; c < one.columns.size(); ++c) {
      EXPECT_EQ(one.columns[c].values, three.columns[c].values);
    }
    EXPECT_NE(one.columns[3].values, sample_where(rows, where, 8).columns[3].values);
  }
}

TEST(ConditionalSample, ConditionsThatHardlyAnyRecordMeetsAreRefusedOrTold) {
  // Six columns of twenty categories each, far from one another: about one record in 20^6.
  const Schema schema = schema_of_categories(std::vector<std::size_t>(6, 20));
  Table table;
  Conditions where;
  for (std::size_t c = 0; c < 6; ++c) {
    const Column& column = schema.columns()[c];
    std::vector<std::string> values;
    for (std::size_t row = 0; row < 200; ++row) {
      values.push_back(column.labels()[(row * (c + 1)) % 20]);
    }
    table.columns.push_back({column.name, column.kind, values, {}});
    where.push_back({column.name, column.labels()[7 + c]});
  }
  ArrowArrayStream stream = arrow_stream_of({table});
  Accountant accountant({50.0, 1e-6});
  const TableGenerator generator(
      release_marginals(PrivateTable(&stream, schema), {}, accountant, Context{}),
      TableFitOptions{}, Context{});
  SampleOptions options{.rows = 20, .seed = 1, .where = where, .on_unlikely = {}};
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { sample(generator, options); }),
                  {"hardly any record", "loosen"});
  int told = 0;
  options.on_unlikely = [&told] { ++told; };
  const Table drawn = sample(generator, options);
  EXPECT_EQ(told, 1);
  ASSERT_EQ(drawn.rows(), 20U);
  for (const SampleCondition& condition : where) {
    EXPECT_TRUE(meets(drawn, 19, schema, condition));
  }
}

/// Partial rows of a table of people's columns.
PartialRows partial_of(const Table& table) {
  std::vector<std::string> names;
  for (const TableColumn& column : table.columns) {
    names.push_back(column.name);
  }
  PartialRows rows;
  rows.what = "rows.csv";
  const Schema partial = partial_schema(people().release().schema(), names, rows.what);
  ArrowArrayStream stream = arrow_stream_of({table});
  RecordStream records(&stream);
  add_partial_rows(partial, records, rows);
  return rows;
}

Table complete(const PartialRows& rows, const Conditions& where = {}, std::size_t threads = 1) {
  Table all;
  complete_rows(people(), rows, {.rows = 0, .seed = 1, .where = where, .on_unlikely = {}},
                Context{threads, nullptr, nullptr},
                [&](const Table& table, const EncodedBatch&) { all.append(table); });
  return all;
}

/// Every record's own values of some columns, some of them missing.
Table some_values(std::size_t rows) {
  const Table records = sample_where(rows, {}, 5);
  Table table;
  for (const TableColumn& column : records.columns) {
    if (column.name != "diagnosis" && column.name != "hours") {
      table.columns.push_back(column);
      std::vector<bool>& missing = table.columns.back().is_missing;
      missing.resize(rows, false);
      for (std::size_t row = 0; row < rows; ++row) {
        // Of most rows two values are given, of some none, of some all.
        missing[row] = missing[row] || (row % 7 != 0 && (row + table.columns.size()) % 4 != 0);
      }
    }
  }
  return table;
}

TEST(PartialRows, AreCompletedInTheirOrderWithWhatIsGiven) {
  const Table given = some_values(60);
  const PartialRows rows = partial_of(given);
  ASSERT_EQ(rows.rows.size(), 60U);
  const Table table = complete(rows);
  ASSERT_EQ(table.rows(), 60U);
  EXPECT_EQ(table.columns.size(), 9U);
  std::size_t held = 0;
  for (std::size_t row = 0; row < 60; ++row) {
    for (const SampleCondition& condition : rows.rows[row]) {
      EXPECT_TRUE(meets(table, row, people().release().schema(), condition)) << condition.column;
      ++held;
    }
  }
  EXPECT_GT(held, 100U);
  // Free is not missing: nobody's region may be.
  for (const TableColumn& column : table.columns) {
    EXPECT_EQ(count_foreign_values(column, *people().release().schema().find(column.name)), 0U);
  }
  const Table again = complete(rows, {}, 3);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    EXPECT_EQ(table.columns[c].values, again.columns[c].values);
  }
}

TEST(PartialRows, TellHowFarTheyAreAHundredTimesAtMost) {
  PartialRows rows;
  for (std::size_t i = 0; i < 1000; ++i) {
    rows.rows.push_back({{"age", std::to_string(20 + i % 40)}, {"region", "west"}});
  }
  std::vector<double> told;
  const Context context{1, [&](const Progress& now) { told.push_back(now.fraction); }, nullptr};
  complete_rows(people(), rows, {.rows = 0, .seed = 1, .where = {}, .on_unlikely = {}}, context,
                [](const Table&, const EncodedBatch&) {});
  ASSERT_GE(told.size(), 40U);  // one for each group, and perhaps one before
  EXPECT_LE(told.size(), 101U);
  EXPECT_EQ(told.back(), 1.0);
}

TEST(PartialRows, KeepFurtherConditionsToo) {
  PartialRows rows;
  rows.rows = {{{"region", "west"}}, {}, {{"region", "west"}}};
  const Conditions where = {{"age", Relation::kAtLeast, {"60"}}};
  const Table table = complete(rows, where);
  ASSERT_EQ(table.rows(), 3U);
  expect_all_meet(table, where);
  EXPECT_TRUE(meets(table, 0, people().release().schema(), rows.rows[0][0]));
  EXPECT_TRUE(meets(table, 2, people().release().schema(), rows.rows[2][0]));
}

TEST(PartialRows, NameTheRowOfAValueThatCannotBe) {
  PartialRows rows;
  rows.what = "--where-file 'rows.csv'";
  rows.rows = {{{"region", "west"}}, {{"region", "west"}, {"age", "200"}}};
  const auto refused = [&](std::initializer_list<const char*> words) {
    const std::string message = message_of(ErrorCode::kInvalidArgument, [&] { complete(rows); });
    expect_mentions(message, words);
    for (const char* value : {"200", "wst", "40.5"}) {
      EXPECT_EQ(message.find(value), std::string::npos) << message;  // never quoted
    }
  };
  refused({"'rows.csv', row 2:", "'age' holds a value", "whole numbers from 18 to 95"});
  rows.rows[1] = {{"region", "wst"}};
  refused({"row 2:", "'region' holds a value", "west"});
  rows.rows[1] = {{"age", "40.5"}};
  refused({"row 2:", "'age' holds a value", "whole numbers from 18 to 95"});
  rows.rows.clear();
  refused({"'rows.csv' has no rows"});
}

TEST(PartialRows, RefuseColumnsThatAreNotSynthesised) {
  const Schema& schema = people().release().schema();
  const auto refused = [&](const char* name, std::initializer_list<const char*> words) {
    expect_mentions(message_of(ErrorCode::kInvalidArgument,
                               [&] {
                                 partial_schema(schema, {"age", name}, "rows.csv");
                               }),
                    words);
  };
  refused("regoin", {"rows.csv has the column 'regoin'", "'region'"});
  refused("patient_id", {"'patient_id', which is of kind identifier", "leave it out", "region"});
}

TEST(PartialRows, AreCheckedUntilSomebodyCancels) {
  PartialRows rows;
  rows.rows = {{{"region", "wst"}}};
  const std::atomic<bool> cancelled = true;
  Context context;
  context.cancelled = &cancelled;
  message_of(ErrorCode::kCancelled, [&] {
    complete_rows(people(), rows, {.rows = 0, .seed = 1, .where = {}, .on_unlikely = {}}, context,
                  [](const Table&, const EncodedBatch&) {});
  });
}

TEST(PartialRows, TakeWholeNumbersOfAnyTypeForCategoriesAndRefuseFractions) {
  Table table;
  table.columns.push_back({"smoker", ColumnKind::kNumeric, std::vector<double>{1.0, NAN, 0.0}, {}});
  const PartialRows rows = partial_of(table);
  EXPECT_EQ(rows.rows, (std::vector<Conditions>{{{"smoker", "1"}}, {}, {{"smoker", "0"}}}));
  table.columns[0].values = std::vector<double>{1.0, 0.5, 0.0};
  expect_mentions(message_of(ErrorCode::kInvalidTable, [&] { partial_of(table); }),
                  {"'smoker'", "not whole"});
}

TEST(PartialRows, RefuseAColumnOfAnotherType) {
  Table table;
  table.columns.push_back({"age", ColumnKind::kCategorical, std::vector<std::string>{"old"}, {}});
  expect_mentions(message_of(ErrorCode::kInvalidTable, [&] { partial_of(table); }), {"'age'"});
}

}  // namespace conditional_sample_test
}  // namespace mehler
