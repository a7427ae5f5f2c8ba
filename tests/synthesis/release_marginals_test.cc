// How the default method spends its budget: which rounds it takes, and how much each gets.

#include "mehler/synthesis/marginals/release_marginals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mehler/measurement/measured_release.h"
#include "tests/support/counted_table.h"
#include "tests/support/errors.h"

namespace mehler {
namespace release_marginals_test {

using Words = std::vector<std::string>;

/// A number of 160 values, that is 16 ranges of 10, which can be halved four times; three
/// categories; and two classes.
Schema small_schema(const std::string& head) {
  return Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [
      {"name": "x", "kind": "integer", "bounds": [0, 159]},
      {"name": "c", "kind": "categorical", "categories": ["0", "1", "2"]},
      {"name": "t", "kind": "categorical", "categories": ["0", "1"]}]})");
}

/// All records have the same number, so that its range alone is worth halving, down to the value.
std::vector<std::vector<std::int64_t>> small_records(std::size_t rows) {
  std::vector<std::vector<std::int64_t>> records;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int64_t value = i % 12 < 6 ? 36 : 12;
    records.push_back({value, static_cast<std::int64_t>(i % 3), static_cast<std::int64_t>(i % 2)});
  }
  return records;
}

/// A release and how it was paid for.
struct Spent {
  explicit Spent(const Schema& schema, const std::vector<std::vector<std::int64_t>>& records,
                 const MarginalsOptions& options = {}, PrivacyBudget budget = {10.0, 1e-6})
      : accountant(budget),
        release(release_marginals(PrivateTable({part_of({table_of(schema, records)})}, schema),
                                  options, accountant, Context{})) {}

  Words rounds() const {
    Words words;
    for (const PrivacySpend& spend : accountant.ledger()) {
      words.push_back(spend.what);
    }
    return words;
  }
  /// The part of the budget that a round got.
  double part(const std::string& what) const {
    double sum = 0.0;
    for (const PrivacySpend& spend : accountant.ledger()) {
      sum += spend.what == what ? spend.mu_squared() : 0.0;
    }
    return sum / accountant.total_mu_squared();
  }
  /// Precision of a block, by its name.
  double precision(const std::string& name) const {
    for (const Charge& charge : release.statement().charges) {
      const auto& block = std::get<GaussianSums>(charge);
      if (block.name == name) {
        return 1.0 / (block.sigma * block.sigma);
      }
    }
    ADD_FAILURE() << "no block " << name;
    return 0.0;
  }
  std::size_t cells(const std::string& name) const {
    for (const CountBlock& block : release.counts().counts.blocks()) {
      if (block.name == name) {
        return block.marginal()->shape()[0];
      }
    }
    return 0;
  }

  Accountant accountant;
  Release release;
};

MarginalsOptions with(int rounds, Triples triples = Triples::kNever, double target_weight = 4.0) {
  MarginalsOptions options;
  options.rounds = rounds;
  options.triples = triples;
  options.target_weight = target_weight;
  return options;
}

const Words kLevels = {"values of numbers, level 1", "values of numbers, level 2",
                       "values of numbers, level 3", "values of numbers, level 4"};

Words rounds_with_levels(Words before, const Words& after) {
  before.insert(before.end(), kLevels.begin(), kLevels.end());
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

TEST(MehlerPlan, SpendsTheWholeBudgetAndNeverMore) {
  for (const char* head : {"", R"("target": "t", )", R"("relation": "replace-one", )"}) {
    for (const MarginalsOptions& options :
         {with(1), with(2), with(2, Triples::kAlways), with(2, Triples::kByRule)}) {
      for (const PrivacyBudget budget : {PrivacyBudget{0.1, 1e-9}, {1.0, 1e-6}, {10.0, 0.01}}) {
        const Spent spent(small_schema(head), small_records(600), options, budget);
        const double total = spent.accountant.total_mu_squared();
        double booked = 0.0;
        double stated = 0.0;
        for (const PrivacySpend& spend : spent.accountant.ledger()) {
          booked += spend.mu_squared();
        }
        for (const Charge& charge : spent.release.statement().charges) {
          const auto& block = std::get<GaussianSums>(charge);
          stated += block.mu_squared();
        }
        EXPECT_GE(spent.accountant.left_mu_squared(), 0.0);
        EXPECT_LT(spent.accountant.left_mu_squared(), 2e-11 * total);
        EXPECT_NEAR(booked, total, 3e-11 * total);
        EXPECT_NEAR(stated, booked, 1e-13 * total)
            << "every noise is booked, and all that is booked";
      }
    }
  }
}

/// Two numbers of 256 values, the second of which follows from the first in no order, or has
/// nothing to do with it.
std::vector<std::vector<std::int64_t>> two_numbers(bool follows) {
  std::vector<std::vector<std::int64_t>> records;
  for (std::int64_t i = 0; i < 8000; ++i) {
    const std::int64_t other = follows ? i : i / 256 * 97 + i;
    records.push_back({i % 256, other * 77 % 256});
  }
  return records;
}

Schema two_numbers_schema() {
  return Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "integer", "bounds": [0, 255]},
      {"name": "y", "kind": "integer", "bounds": [0, 255]}]})");
}

TEST(FinerLooks, AreTakenUntilAPairIsInItsValues) {
  const Spent spent(two_numbers_schema(), two_numbers(true), with(2), {1000.0, 1e-6});
  const MarginalMeasurements measured(spent.release);
  ASSERT_FALSE(measured.finer_looks().empty());
  EXPECT_EQ(measured.finer_looks().back().shape(), (std::vector<std::size_t>{256, 256}));
  EXPECT_EQ(measured.joint_tables().size(), 1U) << "the pair itself stays in its cells";
  double looks = 0.0;
  for (int number = 1; number <= 3; ++number) {
    looks += spent.part("counts of pairs, finer look " + std::to_string(number));
  }
  EXPECT_GT(looks, 0.0);
  EXPECT_LE(looks, 3 * 0.04 * 0.6) << "a small part of what round 1 has left";
  EXPECT_LT(spent.accountant.left_mu_squared(), 2e-11 * spent.accountant.total_mu_squared());
}

TEST(FinerLooks, CostNothingWhereNoiseWouldHideThem) {
  const Spent spent(two_numbers_schema(), two_numbers(false), with(2), {0.3, 1e-6});
  EXPECT_TRUE(MarginalMeasurements(spent.release).finer_looks().empty());
  for (const std::string& round : spent.rounds()) {
    EXPECT_EQ(round.find("finer"), std::string::npos) << round;
  }
}

TEST(FinerLooks, AreRefusedInCellsThatDoNotRefineThoseOfThePair) {
  const Encoder encoder(two_numbers_schema());
  MarginalMeasurements measured(encoder);
  const auto add = [&](std::size_t ranges) {
    const CountBlock block =
        CountBlock::marginal(encoder, {{0, 1}}, own_cells(encoder, ranges), "a look");
    add_exact_counts(block, std::vector<std::int64_t>(ranges * ranges, 5), 1.0, measured);
  };
  add(8);
  add(16);
  EXPECT_EQ(measured.finer_looks().size(), 1U);
  expect_mentions(message_of(ErrorCode::kInvalidRelease, [&] { add(4); }), {"in other cells"});
}

TEST(MehlerPlan, TakesItsRoundsInOrderWithTheirShares) {
  const Spent spent(small_schema(R"("target": "t", )"), small_records(3000), with(2));
  EXPECT_EQ(spent.rounds(), rounds_with_levels({"the number of records", "counts of each column"},
                                               {"counts of pairs, round 1", "counts, round 2"}));
  EXPECT_NEAR(spent.part("the number of records"), 0.03 * 0.95, 1e-10);
  for (const std::string& level : kLevels) {
    EXPECT_NEAR(spent.part(level), 0.05 / 4.0, 1e-10) << level;  // one range of one column
  }
  const double columns = spent.part("counts of each column");
  EXPECT_GE(columns, 0.15 * 0.95);
  EXPECT_LE(columns, 0.35 * 0.95);
  EXPECT_NEAR(spent.part("counts of pairs, round 1"), 0.4 * (0.95 - 0.03 * 0.95 - columns), 1e-10);
  EXPECT_NEAR(spent.part("counts, round 2"), 0.6 * (0.95 - 0.03 * 0.95 - columns), 1e-10);
}

TEST(MehlerPlan, GivesColumnsMoreWhereTheirErrorIsLarge) {
  // Under replace-one the number of records is public, so that the error follows from the schema:
  // the mean over columns of 0.4 d sqrt((1 - 1/d) / precision) / records, with a quarter of the
  // rest of the budget and precisions by 4 sqrt(cells) for the target, sqrt(cells) for others.
  const Schema schema = small_schema(R"("target": "t", "relation": "replace-one", )");
  for (const std::size_t rows : {1000U, 3000U, 100'000U}) {
    const Spent spent(schema, small_records(rows), with(2), {1.0, 1e-6});
    const double rest = 0.95 * spent.accountant.total_mu_squared();
    const double sizes[] = {16.0, 3.0, 2.0};
    const double shares[] = {4.0, std::sqrt(3.0), 4.0 * std::sqrt(2.0)};
    double error = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      // An exchange costs 2 a precision.
      const double precision =
          0.25 * rest * shares[i] / (2.0 * (shares[0] + shares[1] + shares[2]));
      error += 0.4 * sizes[i] * std::sqrt((1.0 - 1.0 / sizes[i]) / precision) /
               (3.0 * static_cast<double>(rows));
    }
    EXPECT_NEAR(spent.part("counts of each column"),
                0.95 * (0.15 + 0.20 * std::min(1.0, error / 0.03)), 1e-9)
        << rows;
  }
}

TEST(MehlerPlan, CountsPairsInFewerRangesWhereTheNoiseIsLarge) {
  // By the same formula the error of 16 ranges is 56/records, of 8 36/records: at most 0.06 wanted.
  // Columns by themselves have 16 all the same.
  const Schema schema = small_schema(R"("target": "t", "relation": "replace-one", )");
  for (const auto& [rows, most] :
       std::vector<std::pair<std::size_t, std::size_t>>{{700, 8}, {300, 4}, {3, 4}}) {
    const Spent spent(schema, small_records(rows), with(2), {1.0, 1e-6});
    EXPECT_EQ(spent.cells("x (round 1)"), 16U) << rows;
    // The frequent value 36 divides its range.
    EXPECT_LE(spent.cells("x x c (round 1)"), most + 2) << rows;
  }
}

TEST(MehlerPlan, DoesNotCountRecordsWhoseNumberIsPublic) {
  const Spent spent(small_schema(R"("relation": "replace-one", )"), small_records(3000), with(2));
  EXPECT_EQ(spent.rounds(), rounds_with_levels({"counts of each column"},
                                               {"counts of pairs, round 1", "counts, round 2"}));
}

TEST(MehlerPlan, GivesPairsAllThatIsLeftInOneRound) {
  const Spent spent(small_schema(""), small_records(3000), with(1));
  EXPECT_EQ(spent.rounds(), rounds_with_levels({"the number of records", "counts of each column"},
                                               {"counts of pairs, round 1"}));
}

TEST(MehlerPlan, LooksAtTriplesBeforeTheSecondRound) {
  const Spent spent(small_schema(""), small_records(3000), with(2, Triples::kAlways));
  EXPECT_EQ(spent.rounds(),
            rounds_with_levels(
                {"the number of records", "counts of each column"},
                {"counts of pairs, round 1", "counts of triples, first look", "counts, round 2"}));
  EXPECT_NEAR(spent.part("counts of triples, first look"), 0.05, 1e-10);
}

TEST(MehlerPlan, KeepsNothingForValuesWhereNoColumnHasAny) {
  const Schema schema = schema_of_categories({3, 2});
  std::vector<std::vector<std::int64_t>> records;
  for (std::int64_t i = 0; i < 600; ++i) {
    records.push_back({i % 3, i % 2});
  }
  const Spent spent(schema, records, with(2));
  EXPECT_EQ(spent.rounds(), (Words{"the number of records", "counts of each column",
                                   "counts of pairs, round 1", "counts, round 2"}));
  EXPECT_NEAR(spent.part("the number of records"), 0.03, 1e-10);
}

TEST(MehlerPlan, SpendsTheRestOnColumnsWhereThereAreNoPairs) {
  const Schema schema = schema_of_categories({3, 1});  // the second never varies
  const Spent spent(schema, {{0, 0}, {1, 0}, {1, 0}}, with(2));
  EXPECT_EQ(spent.rounds(), (Words{"the number of records", "counts of each column",
                                   "counts of each column, round 2"}));
}

TEST(MehlerPlan, MeasuresColumnsByTheRootOfTheirCellsAndTheTargetMore) {
  const Spent spent(small_schema(R"("target": "t", )"), small_records(3000), with(2));
  EXPECT_NEAR(spent.precision("t (round 1)") / spent.precision("c (round 1)"),
              4.0 * std::sqrt(2.0 / 3.0), 1e-9);
  EXPECT_NEAR(spent.precision("x (round 1)") / spent.precision("c (round 1)"),
              std::sqrt(16.0 / 3.0), 1e-9);
}

TEST(MehlerPlan, MeasuresPairsWithTheTargetMorePreciselyByItsWeight) {
  // Both classes stand out, so that the weight alone decides.
  const Schema schema = schema_of_categories({3, 3, 3}, R"("target": "c2", )");
  std::vector<std::vector<std::int64_t>> records;
  for (std::int64_t i = 0; i < 3000; ++i) {
    records.push_back({i % 3, (i / 3) % 3, (i / 9) % 3});
  }
  for (const double weight : {1.0, 4.0, 0.5}) {
    const Spent spent(schema, records, with(1, Triples::kNever, weight));
    EXPECT_NEAR(spent.precision("c0 x c2 (round 1)") / spent.precision("c0 x c1 (round 1)"), weight,
                1e-9);
    EXPECT_NEAR(spent.precision("c1 x c2 (round 1)") / spent.precision("c0 x c1 (round 1)"), weight,
                1e-9);
  }
}

TEST(MarginalsOptions, RefuseValuesOutsideTheirRange) {
  const auto refused = [](const auto& change, std::initializer_list<const char*> words) {
    MarginalsOptions options;
    change(options);
    expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { options.validate(); }), words);
  };
  for (const int rounds : {0, 3, -1}) {
    refused([&](MarginalsOptions& options) { options.rounds = rounds; }, {"rounds", "1 or 2"});
  }
  for (const double weight : {0.0, 0.009, 101.0, -4.0, double{NAN}, double{INFINITY}}) {
    refused([&](MarginalsOptions& options) { options.target_weight = weight; }, {"[0.01, 100]"});
  }
  refused([](MarginalsOptions& options) { options.max_bytes = 9'999'999; }, {"memory", "10 MB"});
  refused([](MarginalsOptions& options) { options = with(1, Triples::kAlways); }, {"2 rounds"});
  MarginalsOptions().validate();
}

TEST(MehlerPlan, RefusesBeforeItSpendsAnything) {
  Accountant accountant({1.0, 1e-6});
  const Schema one_value = schema_of_categories({1, 1});
  expect_mentions(
      message_of(ErrorCode::kInvalidArgument,
                 [&] {
                   release_marginals(
                       PrivateTable({part_of({table_of(one_value, {{0, 0}})})}, one_value), {},
                       accountant, Context{});
                 }),
      {"single possible value"});
  EXPECT_TRUE(accountant.ledger().empty());
}

/// Three columns of two categories, the last one of this name.
Schema three_columns(const std::string& third) {
  std::vector<Column> columns(3);
  for (std::size_t i = 0; i < 3; ++i) {
    columns[i].name = i == 0 ? "a" : i == 1 ? "b" : third;
    columns[i].kind = ColumnKind::kCategorical;
    columns[i].categories = {"0", "1"};
  }
  return Schema(std::move(columns));
}

TEST(MehlerPlan, ReleasesColumnsWhoseNamesLookLikeThoseOfBlocks) {
  for (const char* name :
       {"a x b", "a (round 1)", "\"a\" x b", "count", "a x b (round 1)", "x b", "a x", "x"}) {
    const Schema schema = three_columns(name);
    std::vector<std::vector<std::int64_t>> records(40, {0, 1, 1});
    const Spent spent(schema, records, with(2, Triples::kAlways));
    std::set<std::string> names;
    for (const Charge& charge : spent.release.statement().charges) {
      const auto& block = std::get<GaussianSums>(charge);
      EXPECT_TRUE(names.insert(block.name).second) << name << ": " << block.name;
    }
  }
}

TEST(MehlerPlan, RefusesNoiseThatCannotBeDrawnBeforeItMeasures) {
  for (const PrivacyBudget budget : {PrivacyBudget{1e6, 1e-6}, PrivacyBudget{1e-9, 1e-12}}) {
    Accountant accountant(budget);
    const Schema schema = three_columns("c");
    expect_mentions(
        message_of(ErrorCode::kInvalidArgument,
                   [&] {
                     release_marginals(
                         PrivateTable({part_of({table_of(schema, {{0, 0, 0}})})}, schema), {},
                         accountant, Context{});
                   }),
        {"standard deviation", "can be drawn only within"});
    EXPECT_TRUE(accountant.ledger().empty());
  }
}

TEST(MehlerPlan, SaysNothingOfABudgetThatIsNotSpent) {
  const Schema schema = three_columns("c");
  Accountant accountant({1.0, 1e-6});
  const std::atomic<bool> stop{true};
  const std::string message = message_of(ErrorCode::kCancelled, [&] {
    release_marginals(PrivateTable({part_of({table_of(schema, {{0, 0, 0}, {1, 1, 1}})})}, schema),
                      {}, accountant, Context{1, nullptr, &stop});
  });
  EXPECT_EQ(message.find("spent"), std::string::npos) << message;
  EXPECT_TRUE(accountant.ledger().empty());
}

TEST(OnceMeasured, AddsThatTheBudgetIsSpentAndKeepsTheCode) {
  bool measured = false;
  const auto fail = [&]() -> Release { throw Error(ErrorCode::kFile, "the disk is full"); };
  const auto message = [&] {
    return message_of(ErrorCode::kFile, [&] { once_measured([&] { return measured; }, fail); });
  };
  EXPECT_EQ(message(), "the disk is full");
  measured = true;
  expect_mentions(message(), {"the disk is full", "the privacy budget counts as spent"});
  const auto run_out = [&]() -> Release { throw std::bad_alloc(); };
  expect_mentions(
      message_of(ErrorCode::kFile, [&] { once_measured([&] { return measured; }, run_out); }),
      {"memory", "counts as spent"});
}

}  // namespace release_marginals_test
}  // namespace mehler
