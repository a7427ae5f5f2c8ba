#include "mehler/generator/fitted_table/table_generator.h"

#include <gtest/gtest.h>

#include <map>

#include "mehler/demo/people.h"
#include "mehler/release/checked_file.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "mehler/synthesis/marginals/release_marginals.h"
#include "mehler/table/table_stream.h"
#include "tests/support/counted_table.h"
#include "tests/support/errors.h"
#include "tests/support/sampled_table.h"

namespace mehler {
namespace table_generator_test {

/// Under replace-one, so that the fitted table has exactly as many rows.
constexpr std::size_t kFitted = 1500;

Release make_release() {
  const Schema people = people_schema();
  const Schema schema(people.columns(), people.target(), NeighbourRelation::kReplaceOne);
  ArrowArrayStream stream = arrow_stream_of({simulate_people(kFitted, 1)});
  Accountant accountant({5.0, 1e-6});
  return release_marginals(PrivateTable(&stream, schema), {}, accountant, Context{});
}

const TableGenerator& people_generator() {
  static const TableGenerator generator(make_release(), TableFitOptions{}, Context{});
  return generator;
}

Table sample_rows(std::uint64_t rows, std::uint64_t seed = 1, std::size_t threads = 1) {
  return sample(people_generator(), {.rows = rows, .seed = seed, .where = {}}, threads);
}

/// A sample's records in the cells that the table was fitted in.
CodedRows codes_of(const Table& table) {
  const Release& release = people_generator().release();
  const FitInputs estimates(release, Context{});
  ArrowArrayStream stream = arrow_stream_of({table});
  RecordStream records(&stream);
  RecordBatch batch;
  EXPECT_TRUE(records.next(batch));
  EncodedBatch encoded;
  release.encoder().encode(release.encoder().bind(records.schema()), records.schema(),
                           batch.value(), encoded);
  CodedRows rows(encoded.rows, estimates.cells.size());
  for (std::size_t r = 0; r < rows.rows; ++r) {
    for (std::size_t c = 0; c < rows.columns; ++c) {
      const ColumnPartition& cells = *estimates.cells[c];
      rows.row(r)[c] =
          static_cast<std::uint16_t>(cells.cell_of(cells.leaves().leaf_of(encoded.columns[c], r)));
    }
  }
  return rows;
}

void expect_equal(const Table& one, const Table& other) {
  ASSERT_EQ(one.columns.size(), other.columns.size());
  for (std::size_t c = 0; c < one.columns.size(); ++c) {
    EXPECT_EQ(one.columns[c].values, other.columns[c].values) << one.columns[c].name;
    EXPECT_EQ(one.columns[c].is_missing, other.columns[c].is_missing) << one.columns[c].name;
  }
}

TEST(TableGenerator, SampleOfAsManyRowsAndSeedOneIsTheFittedTable) {
  const TableFit& fit = people_generator().fit();
  ASSERT_EQ(fit.polished.rows, kFitted);
  EXPECT_EQ(codes_of(sample_rows(kFitted)).codes, fit.polished.codes);
  EXPECT_NE(codes_of(sample_rows(kFitted, 2)).codes, fit.polished.codes);
}

TEST(TableGenerator, RecordsKeepToTheSchema) {
  const Schema& schema = people_generator().release().schema();
  // The fitted table, a part of it, and more than is handed over at once.
  for (const std::uint64_t rows :
       {std::uint64_t{kFitted}, std::uint64_t{200}, std::uint64_t{20'000}}) {
    const Table table = sample_rows(rows);
    EXPECT_EQ(table.columns.size(), Encoder(schema).columns().size());
    for (const TableColumn& column : table.columns) {
      const Column& declared = *schema.find(column.name);
      ASSERT_EQ(column.rows(), rows);
      EXPECT_EQ(count_foreign_values(column, declared), 0U) << column.name;
      const auto missing = std::count(column.is_missing.begin(), column.is_missing.end(), true);
      EXPECT_EQ(missing > 0, declared.missing) << column.name << rows;
    }
  }
}

TEST(TableGenerator, RecordsAreThoseOfTheirSeedWhateverTheThreads) {
  for (const std::uint64_t rows :
       {std::uint64_t{400}, std::uint64_t{kFitted}, std::uint64_t{4000}}) {
    const Table one = sample_rows(rows, 7, 1);
    expect_equal(one, sample_rows(rows, 7, 3));
    EXPECT_NE(codes_of(one).codes, codes_of(sample_rows(rows, 8)).codes);
  }
}

TEST(TableGenerator, MoreAndFewerRowsHaveTheCountsThatWereFitted) {
  const CliqueTargets& targets = FitInputs(people_generator().release(), Context{}).targets;
  const TableFit& fit = people_generator().fit();
  for (const std::uint64_t rows : {std::uint64_t{500}, std::uint64_t{6000}}) {
    const CodedRows drawn = codes_of(sample_rows(rows, 3));
    CliqueValues difference = zero_values(targets);
    add_counts(targets, drawn, 0, drawn.rows, 1.0 / static_cast<double>(drawn.rows), difference);
    for (std::size_t k = 0; k < targets.sizes.size(); ++k) {  // the columns
      double distance = 0.0;
      for (std::size_t i = 0; i < difference[k].size(); ++i) {
        distance += 0.5 * std::abs(difference[k][i] - fit.averages[k][i] / kFitted);
      }
      // Records drawn at random would be about sqrt(cells / rows) / 2 away: .04 to .09 and .01 to
      // .03.
      EXPECT_LT(distance, rows == 500 ? 0.02 : 0.005) << k;
    }
  }
}

TEST(TableGenerator, MeetsItsConditions) {
  const Table table = sample(
      people_generator(), {.rows = 300, .seed = 2, .where = {{"region", "west"}, {"age", "40"}}});
  ASSERT_EQ(table.rows(), 300U);
  for (const TableColumn& column : table.columns) {
    if (column.name == "region") {
      EXPECT_EQ(std::get<std::vector<std::string>>(column.values),
                std::vector<std::string>(300, "west"));
    } else if (column.name == "age") {
      EXPECT_EQ(std::get<std::vector<std::int64_t>>(column.values),
                std::vector<std::int64_t>(300, 40));
    }
  }
}

TEST(TableGenerator, ComesBackFromItsBytes) {
  const std::string bytes = people_generator().to_bytes();
  const std::unique_ptr<Generator> back = Generator::from_bytes(bytes, "m");
  EXPECT_EQ(back->to_bytes(), bytes);
  for (const std::uint64_t rows :
       {std::uint64_t{400}, std::uint64_t{kFitted}, std::uint64_t{2000}}) {
    expect_equal(sample(*back, {.rows = rows, .seed = 5, .where = {}}), sample_rows(rows, 5));
  }
}

/// A table that is just long enough to keep its potentials, of two small columns.
const TableGenerator& long_generator() {
  static const TableGenerator generator = [] {
    const Schema schema = schema_of_categories({2, 8});
    std::vector<std::vector<std::string>> values(2);
    for (std::size_t row = 0; row < 131'200; ++row) {
      // Of the last category 20 records.
      const std::size_t code = row < 20 ? 7 : row % 7;
      values[0].push_back(schema.columns()[0].labels()[code % 2]);
      values[1].push_back(schema.columns()[1].labels()[code]);
    }
    Table table;
    for (std::size_t c = 0; c < 2; ++c) {
      table.columns.push_back(
          {schema.columns()[c].name, schema.columns()[c].kind, std::move(values[c]), {}});
    }
    ArrowArrayStream stream = arrow_stream_of({std::move(table)});
    Accountant accountant({20.0, 1e-6});
    return TableGenerator(
        release_marginals(PrivateTable(&stream, schema), {}, accountant, Context{}),
        TableFitOptions{}, Context{});
  }();
  return generator;
}

TEST(TableGenerator, LongTablesKeepTheirPotentials) {
  const std::string bytes = long_generator().to_bytes();
  const std::unique_ptr<Generator> back = Generator::from_bytes(bytes, "m");
  EXPECT_EQ(back->to_bytes(), bytes);
  const Column& rare = back->release().schema().columns()[1];
  const SampleOptions options{.rows = 500, .seed = 1, .where = {{rare.name, rare.labels()[7]}}};
  bool has_waited = false;
  Table drawn;
  back->sample(options, Context{1, [&](const Progress& now) { has_waited |= now.rows == 0; }, {}},
               [&](const Table& table) { drawn.append(table); });
  EXPECT_FALSE(has_waited);
  expect_equal(drawn, sample(long_generator(), options));

  const CheckedFile file =
      parse_checked_file(bytes, CheckedFileKind::kModel, Generator::kVersion, "m");
  const std::string key = "\"potentials\":true,";
  ASSERT_NE(file.header.find(key), std::string::npos);
  const auto refused = [&](const CheckedFile& changed, const char* words) {
    const std::string made =
        serialize_checked_file(CheckedFileKind::kModel, Generator::kVersion, changed);
    expect_mentions(
        message_of(ErrorCode::kInvalidRelease, [&] { Generator::from_bytes(made, "m"); }), {words});
  };
  CheckedFile without = file;
  without.header.erase(without.header.find(key), key.size());
  refused(without, "another size");
  CheckedFile infinite = file;
  infinite.payload.replace(infinite.payload.size() - 4, 4, "\xff\xff\xff\xff");
  refused(infinite, "one of its potentials is not finite");
}

TEST(TableGenerator, AFileWithoutPotentialsLearnsThemOnceAndSaysSo) {
  const std::unique_ptr<Generator> model =
      Generator::from_bytes(people_generator().to_bytes(), "m");
  const SampleOptions options{
      .rows = 1500, .seed = 1, .where = {{"region", "west"}, {"age", "40"}}};
  std::vector<Progress> told;
  const Context context{1, [&](const Progress& now) { told.push_back(now); }, nullptr};
  const auto ignore = [](const Table&) {};
  model->sample(options, context, ignore);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].rows, 0U);
  EXPECT_LT(told[0].fraction, 0.0);
  EXPECT_NE(told[0].words, "");
  EXPECT_EQ(told[1].rows, 1500U);
  EXPECT_EQ(told[1].fraction, 1.0);
  model->sample(options, context, ignore);
  EXPECT_EQ(told.size(), 3U);
}

TEST(TableGenerator, RefusesZeroRows) {
  message_of(ErrorCode::kInvalidArgument, [] { sample_rows(0); });
}

TEST(TableGenerator, RefusesAReleaseOfOtherFeaturesThanCounts) {
  ArrowArrayStream stream = arrow_stream_of({simulate_people(200, 1)});
  Accountant accountant({1.0, 1e-6});
  const Release sums =
      release_dp_hp(PrivateTable(&stream, people_schema()), {}, accountant, Context{});
  expect_mentions(message_of(ErrorCode::kInvalidRelease,
                             [&] { TableGenerator(sums, TableFitOptions{}, Context{}); }),
                  {"counts of cells are needed"});
}

}  // namespace table_generator_test
}  // namespace mehler
