#include "mehler/generator/fitted_table/table_generator.h"

#include <gtest/gtest.h>

#include <map>

#include "mehler/demo/people.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "mehler/synthesis/marginals/release_marginals.h"
#include "mehler/table/table_stream.h"
#include "tests/support/errors.h"
#include "tests/support/sampled_table.h"

namespace mehler {
namespace {

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

}  // namespace
}  // namespace mehler
