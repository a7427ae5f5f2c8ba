// Every synthetic record obeys every rule of its schema, whatever the schema, the table, the method
// and the noise.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <functional>

#include "mehler/core/seeded_random.h"
#include "mehler/generator/fitted_table/table_generator.h"
#include "mehler/synthesis/methods.h"
#include "mehler/table/calendar.h"
#include "mehler/table/table_stream.h"
#include "tests/support/errors.h"
#include "tests/support/sampled_table.h"

namespace mehler {
namespace constraints_property_test {

/// Reads values of a record by the names of columns.
class Record {
 public:
  Record(const Table& table, std::size_t row) : table_(table), row_(row) {}

  bool misses(const std::string& name) const { return is_missing(column(name), row_); }
  double number(const std::string& name) const {
    const TableColumn& values = column(name);
    const auto* numbers = std::get_if<std::vector<double>>(&values.values);
    return numbers != nullptr
               ? (*numbers)[row_]
               : static_cast<double>(std::get<std::vector<std::int64_t>>(values.values)[row_]);
  }
  std::string text(const std::string& name) const {
    return std::get<std::vector<std::string>>(column(name).values)[row_];
  }

 private:
  const TableColumn& column(const std::string& name) const {
    const auto place = std::find_if(table_.columns.begin(), table_.columns.end(),
                                    [&](const TableColumn& c) { return c.name == name; });
    EXPECT_NE(place, table_.columns.end()) << name;
    return *place;
  }

  const Table& table_;
  std::size_t row_;
};

/// A random schema, with what its rules mean.
struct RandomSchema {
  std::vector<std::string> columns;
  std::vector<std::string> never;
  std::vector<std::string> sums;
  std::vector<std::function<bool(const Record&)>> rules;

  std::string text() const {
    return fmt::format(
        R"({{"mehler_schema": 1, "relation": "replace-one", "never": [{}], "sums": [{}],
            "columns": [{}]}})",
        fmt::join(never, ", "), fmt::join(sums, ", "), fmt::join(columns, ", "));
  }
};

int below(SeededRandom& random, int bound) {
  return static_cast<int>(random.next_word() % static_cast<std::uint64_t>(bound));
}

/// Chains of numbers, dates and times that are at least one another.
void add_order(SeededRandom& random, RandomSchema& schema) {
  const int more = 1 + below(random, 40);
  const bool may_miss = random.flip(0.3);
  schema.columns.push_back(fmt::format(
      R"({{"name": "late", "kind": "date", "at_least": {{"column": "mid", "bounds": [0, {}]}},
          "missing": {}}})",
      more, may_miss));
  schema.columns.push_back(fmt::format(
      R"({{"name": "mid", "kind": "date", "after": {{"column": "early", "bounds": [1, {}]}},
          "missing": {}}})",
      2 * more, may_miss));
  schema.columns.push_back(fmt::format(
      R"({{"name": "early", "kind": "date", "bounds": ["2020-01-01", "2020-09-30"],
          "missing": {}}})",
      may_miss));
  schema.rules.emplace_back([=](const Record& r) {
    if (r.misses("late")) {
      return may_miss;
    }
    const double first = r.number("mid") - r.number("early");
    const double second = r.number("late") - r.number("mid");
    return !r.misses("mid") && !r.misses("early") && first >= 1 && first <= 2 * more &&
           second >= 0 && second <= more;
  });
}

/// A trip: a time with its parts, a later time, a derived span.
void add_trip(SeededRandom& random, RandomSchema& schema) {
  const int longest = 600 * (1 + below(random, 20));
  schema.columns.push_back(
      R"({"name": "start", "kind": "datetime", "bounds": ["2020-01-01T10:00:00", "2020-02-20"],
          "parts": ["hour", "weekday", "month", "day"], "step": 60})");
  schema.columns.push_back(fmt::format(
      R"({{"name": "end", "kind": "datetime", "after": {{"column": "start", "bounds": [60, {}]}},
          "step": 60}})",
      longest));
  schema.columns.push_back(
      R"({"name": "minutes", "kind": "integer", "derived": "minutes(end - start) * 1"})");
  schema.rules.emplace_back([=](const Record& r) {
    const double span = r.number("end") - r.number("start");
    const auto start = static_cast<std::int64_t>(r.number("start"));
    const std::string shown = format_datetime(start);
    return span >= 60e6 && span <= longest * 1e6 && r.number("minutes") == span / 60e6 &&
           r.number("start_hour") == std::stoi(shown.substr(11, 2)) &&
           r.number("start_month") == std::stoi(shown.substr(5, 2)) &&
           r.number("start_day") == std::stoi(shown.substr(8, 2)) &&
           r.number("start_weekday") == static_cast<double>((start / 86'400'000'000 + 3) % 7 + 1);
  });
}

void add_sums(SeededRandom& random, RandomSchema& schema) {
  const int total = 10 + below(random, 90);
  for (const char* name : {"x", "y", "z"}) {
    schema.columns.push_back(fmt::format(
        R"({{"name": "{}", "kind": "numeric", "bounds": [0, {}], "decimals": 1}})", name, total));
  }
  schema.columns.push_back(R"({"name": "xy", "kind": "numeric", "decimals": 1})");
  schema.sums.push_back(fmt::format(R"({{"parts": ["x", "y", "z"], "total": {}}})", total));
  schema.sums.push_back(R"({"parts": ["x", "y"], "total": "xy"})");
  schema.rules.emplace_back([=](const Record& r) {
    const auto tenths = [&](const char* name) { return std::llround(10 * r.number(name)); };
    return tenths("x") + tenths("y") + tenths("z") == 10 * total &&
           tenths("x") + tenths("y") == tenths("xy");
  });
}

/// Columns of which combinations never occur, and a computed one.
void add_zeros(SeededRandom& random, RandomSchema& schema) {
  const int months = 12;
  const int last = 1 + below(random, 5);
  schema.columns.push_back(
      fmt::format(R"({{"name": "month", "kind": "integer", "bounds": [1, {}]}})", months));
  schema.columns.push_back(R"({"name": "day", "kind": "integer", "bounds": [1, 31]})");
  schema.columns.push_back(
      R"({"name": "class", "kind": "categorical", "categories": ["a", "b", "c"]})");
  schema.columns.push_back(R"({"name": "flag", "kind": "boolean", "missing": true})");
  schema.columns.push_back(R"({"name": "age", "kind": "numeric", "bounds": [0, 90]})");
  schema.columns.push_back(
      R"({"name": "title", "kind": "categorical", "categories": ["A", "B"], "other": "none",
          "determined_by": {"column": "class", "map": {"a": "A", "b": "B"}}})");
  schema.columns.push_back(R"({"name": "decade", "kind": "integer", "derived": "age / 10 - 0.5"})");
  schema.never.push_back(fmt::format(R"({{"month": 2, "day": {{"above": {}}}}})", 31 - last));
  schema.never.push_back(R"({"class": ["b", "c"], "flag": [true, null], "month": [1, 2, 3]})");
  schema.never.push_back(R"({"age": {"below": 16.5}, "class": "c"})");
  schema.never.push_back(R"({"decade": 7, "flag": false})");
  schema.never.push_back(R"({"month": 5, "day": 1, "class": "b", "flag": true})");
  schema.rules.emplace_back([=](const Record& r) {
    const std::string of_class = r.text("class");
    const bool flag = !r.misses("flag") && r.number("flag") == 1;
    const bool no_flag = !r.misses("flag") && r.number("flag") == 0;
    const std::string title = of_class == "a" ? "A" : of_class == "b" ? "B" : "none";
    return !(r.number("month") == 2 && r.number("day") > 31 - last) &&
           !(of_class != "a" && (flag || r.misses("flag")) && r.number("month") <= 3) &&
           !(r.number("age") < 16.5 && of_class == "c") && !(r.number("decade") == 7 && no_flag) &&
           !(r.number("month") == 5 && r.number("day") == 1 && of_class == "b" && flag) &&
           r.text("title") == title && r.number("decade") == std::round(r.number("age") / 10 - 0.5);
  });
}

RandomSchema random_schema(SeededRandom& random) {
  RandomSchema schema;
  add_zeros(random, schema);
  for (const auto add : {add_order, add_trip, add_sums}) {
    if (random.flip(0.6)) {
      add(random, schema);
    }
  }
  return schema;
}

/// Records that know nothing of the rules.
Table random_table(const Schema& schema, std::size_t rows, SeededRandom& random) {
  const Schema plain = schema.without_rules();
  Table table;
  for (const Column& column : plain.columns()) {
    if (!column.is_used()) {
      continue;
    }
    TableColumn made;
    made.name = column.name;
    made.kind = column.kind;
    std::vector<double> numbers;
    std::vector<std::int64_t> wholes;
    std::vector<std::string> texts;
    for (std::size_t row = 0; row < rows; ++row) {
      made.is_missing.push_back(column.missing && random.flip(0.2));
      if (column.is_number()) {
        numbers.push_back(column.bounds->low + random.uniform() * column.bounds->width());
        wholes.push_back(std::llround(numbers.back()));
      } else {
        const std::vector<std::string> labels = column.labels();
        wholes.push_back(below(random, static_cast<int>(labels.size())));
        texts.push_back(labels[static_cast<std::size_t>(wholes.back())]);
      }
    }
    if (column.kind == ColumnKind::kNumeric) {
      made.values = std::move(numbers);
    } else if (column.kind == ColumnKind::kCategorical) {
      made.values = std::move(texts);
    } else {
      made.values = std::move(wholes);
    }
    table.columns.push_back(std::move(made));
  }
  return table;
}

void expect_lawful(const RandomSchema& schema, const Table& table, std::uint64_t rows) {
  ASSERT_EQ(table.rows(), rows);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t rule = 0; rule < schema.rules.size(); ++rule) {
      ASSERT_TRUE(schema.rules[rule](Record(table, row)))
          << "row " << row << " breaks rule " << rule << " of " << schema.text();
    }
  }
}

/// Samples of several sizes and seeds, with and without conditions.
void expect_lawful_samples(const RandomSchema& schema, const Generator& generator,
                           std::uint64_t fitted) {
  for (const auto& [rows, seed] : {std::pair{fitted, 1U}, std::pair{std::uint64_t{1}, 1U},
                                   std::pair{std::uint64_t{37}, 2U}, std::pair{2 * fitted, 3U}}) {
    expect_lawful(schema, sample(generator, {.rows = rows, .seed = seed, .where = {}}), rows);
  }
  const Table asked = sample(generator, {.rows = 40, .seed = 4, .where = {{"class", "b"}}});
  expect_lawful(schema, asked, 40);
  for (std::size_t row = 0; row < asked.rows(); ++row) {
    ASSERT_EQ(Record(asked, row).text("class"), "b");
  }
}

std::unique_ptr<const Generator> fitted_by(const std::string& method, const Schema& schema,
                                           const Table& table) {
  ArrowArrayStream stream = arrow_stream_of({table});
  Accountant accountant({.epsilon = 3.0, .delta = 1e-6});
  FitRequest request;
  if (method == "dp-hp") {
    request.options.add("epochs", "2");
  }
  return fit(release(PrivateTable(&stream, schema), accountant, {.method = method}), request);
}

TEST(ConstraintsProperty, EveryRecordOfAFittedTableObeysEveryRule) {
  SeededRandom random(1);
  constexpr std::size_t kRows = 200;
  for (int i = 0; i < 20; ++i) {
    const RandomSchema made = random_schema(random);
    const Schema schema = Schema::from_json(made.text());
    const auto generator = fitted_by(i % 3 == 2 ? "independent" : "marginals", schema,
                                     random_table(schema, kRows, random));
    expect_lawful_samples(made, *generator, kRows);
  }
}

TEST(ConstraintsProperty, EveryRecordOfANetworkObeysEveryRule) {
  SeededRandom random(2);
  const RandomSchema made = random_schema(random);
  const Schema schema = Schema::from_json(made.text());
  const auto generator = fitted_by("dp-hp", schema, random_table(schema, 200, random));
  expect_lawful(made, sample(*generator, {.rows = 500, .seed = 1, .where = {}}), 500);
  expect_lawful(made, sample(*generator, {.rows = 50, .seed = 2, .where = {{"class", "a"}}}), 50);
}

TEST(ConstraintsProperty, TheFitItselfLeavesForbiddenCellsEmpty) {
  SeededRandom random(3);
  RandomSchema made;
  add_zeros(random, made);
  const Schema schema = Schema::from_json(made.text());
  const auto generator = fitted_by("marginals", schema, random_table(schema, 400, random));
  const auto& fitted = dynamic_cast<const TableGenerator&>(*generator);
  const FitInputs inputs(fitted.release(), Context{});
  std::size_t forbidden_cells = 0;
  for (std::size_t k = 0; k < inputs.targets.cliques.size(); ++k) {
    const CliqueTarget& clique = inputs.targets.cliques[k];
    CliqueValues counts = zero_values(inputs.targets);
    add_counts(inputs.targets, fitted.fit().polished, 0, fitted.fit().polished.rows, 1.0, counts);
    for (std::size_t cell = 0; cell < clique.forbidden.size(); ++cell) {
      forbidden_cells += clique.forbidden[cell] ? 1 : 0;
      EXPECT_TRUE(!clique.forbidden[cell] || counts[k][cell] == 0.0);
    }
  }
  EXPECT_GT(forbidden_cells, 0U);
}

TEST(ConstraintsProperty, ConditionsThatAskForWhatNeverOccursAreRefused) {
  SeededRandom random(4);
  RandomSchema made;
  add_zeros(random, made);
  add_order(random, made);
  add_sums(random, made);
  const Schema schema = Schema::from_json(made.text());
  const auto generator = fitted_by("independent", schema, random_table(schema, 100, random));
  const auto message = [&](std::vector<SampleCondition> where) {
    return message_of(ErrorCode::kInvalidArgument, [&] {
      sample(*generator, {.rows = 5, .seed = 1, .where = std::move(where)});
    });
  };
  expect_mentions(message({{"month", "2"}, {"day", "31"}}), {"never occurs", "rule 1"});
  expect_mentions(message({{"class", "b"}, {"flag", ""}, {"month", "3"}}), {"rule 2"});
  expect_mentions(message({{"title", "A"}}), {"'title'", "computed from other columns"});
  expect_mentions(message({{"mid", "2020-02-02"}}), {"'mid'", "'mid - early'"});
  expect_mentions(message({{"x", "3"}}), {"'x'", "fixed total"});
}

TEST(ConstraintsProperty, ValuesThatAreMissingTogetherAreNotMissingMoreOften) {
  const Schema schema = Schema::from_json(
      R"({"mehler_schema": 1, "relation": "replace-one", "columns": [
          {"name": "start", "kind": "datetime", "bounds": ["2020-01-01", "2020-12-31"],
           "parts": ["hour"], "missing": true},
          {"name": "end", "kind": "datetime", "missing": true,
           "after": {"column": "start", "bounds": [0, 3600]}}]})");
  constexpr std::size_t kRows = 2000;
  SeededRandom random(5);
  Table table = random_table(schema, kRows, random);
  for (TableColumn& column : table.columns) {
    for (std::size_t row = 0; row < kRows; ++row) {
      column.is_missing[row] = row % 3 == 0;
    }
  }
  // Without looking at pairs, a third of each would leave 5 of 9 of the values, and 8 of 27.
  const auto generator = fitted_by("independent", schema, table);
  const Table drawn = sample(*generator, {.rows = kRows, .seed = 1, .where = {}});
  for (const TableColumn& column : drawn.columns) {
    std::size_t missing = 0;
    for (std::size_t row = 0; row < kRows; ++row) {
      missing += is_missing(column, row) ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(missing), kRows / 3.0, 0.1 * kRows) << column.name;
  }
}

}  // namespace constraints_property_test
}  // namespace mehler
