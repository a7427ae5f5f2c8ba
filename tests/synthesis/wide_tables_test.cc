// Wide tables within the default method: the rule, moments, and the private teacher.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mehler/core/seeded_random.h"
#include "mehler/generator/fitted_table/table_generator.h"
#include "mehler/generator/moments/moments_generator.h"
#include "mehler/measurement/measured_release.h"
#include "mehler/release/measured_sums.h"
#include "mehler/synthesis/marginals/moment_rounds.h"
#include "mehler/synthesis/marginals/release_marginals.h"
#include "mehler/synthesis/methods.h"
#include "tests/support/counted_table.h"
#include "tests/support/errors.h"

namespace mehler {
namespace wide_tables_test {

using Records = std::vector<std::vector<std::int64_t>>;

/// So many numbers, and a class, last.
Schema wide_schema(std::size_t numbers, const std::string& head, const std::string& of_number = "",
                   std::size_t classes = 2) {
  std::string columns;
  for (std::size_t c = 0; c < numbers; ++c) {
    columns += R"({"name": "x)" + std::to_string(c) + R"(", "kind": "integer", "bounds": [0, 99])" +
               of_number + "}, ";
  }
  std::string categories = R"("0")";
  for (std::size_t k = 1; k < classes; ++k) {
    categories += ", \"" + std::to_string(k) + "\"";
  }
  return Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [)" + columns +
                           R"({"name": "y", "kind": "categorical", "categories": [)" + categories +
                           "]}]}");
}
const std::string kTarget = R"("target": "y", )";

/// Every third number goes with a first common cause, the next with a second, others with none;
/// the class is a matter of the first cause, and of a number without a cause.
Records wide_records(std::size_t rows, std::size_t numbers) {
  SeededRandom random(17);
  Records records;
  for (std::size_t r = 0; r < rows; ++r) {
    const double causes[] = {random.normal(), random.normal(), 0.0};
    std::vector<std::int64_t> record;
    double third = 0.0;
    for (std::size_t c = 0; c < numbers; ++c) {
      const double own = random.normal();
      third = c == 2 ? own : third;
      const double value = c % 3 == 2 ? own : 0.8 * causes[c % 3] + 0.6 * own;
      record.push_back(std::clamp<std::int64_t>(std::llround(50.0 + 15.0 * value), 0, 99));
    }
    record.push_back(causes[0] + third > 0.0 ? 1 : 0);
    records.push_back(std::move(record));
  }
  return records;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double sums[5] = {};
  for (std::size_t i = 0; i < a.size(); ++i) {
    sums[0] += a[i];
    sums[1] += b[i];
    sums[2] += a[i] * a[i];
    sums[3] += b[i] * b[i];
    sums[4] += a[i] * b[i];
  }
  const auto n = static_cast<double>(a.size());
  return (sums[4] - sums[0] * sums[1] / n) /
         std::sqrt((sums[2] - sums[0] * sums[0] / n) * (sums[3] - sums[1] * sums[1] / n));
}

std::vector<double> numbers_of(const Table& table, std::size_t column) {
  std::vector<double> result;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&table.columns[column].values)) {
    for (const std::string& text : *texts) {
      result.push_back(std::stod(text));
    }
    return result;
  }
  for (const std::int64_t value :
       std::get<std::vector<std::int64_t>>(table.columns[column].values)) {
    result.push_back(static_cast<double>(value));
  }
  return result;
}

bool are_same(const Table& a, const Table& b) {
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    if (a.columns[c].values != b.columns[c].values ||
        a.columns[c].is_missing != b.columns[c].is_missing) {
      return false;
    }
  }
  return true;
}

/// A release of moments, whatever the rule would say.
Release moments_of(const Schema& schema, const Records& records, PrivacyBudget budget,
                   std::size_t threads = 1) {
  CountedTable counted(schema, table_of(schema, records), budget);
  const Context context{threads, nullptr, nullptr};
  if (schema.relation() == NeighbourRelation::kAddRemoveOne) {
    counted.rounds.measure("the number of records", {CountBlock::records()}, {1.0},
                           0.03 * counted.rounds.left(), context);
  }
  measure_moments(counted.rounds, counted.encoder, WideRule(counted.encoder), context);
  return read_back(counted.rounds.finish("marginals"));
}

constexpr PrivacyBudget kHardlyAnyNoise = {200.0, 1e-5};

TEST(WideRule, TakesMomentsForTheWidestAndATeacherInBetween) {
  const WideRule wide{Encoder(wide_schema(120, kTarget))};
  const double mu_squared = 0.25 * 0.25;
  const auto rows_of = [&](const WideRule& rule, double noise) {
    return static_cast<double>(rule.columns) / (0.25 * noise);
  };
  EXPECT_EQ(wide.columns, 120U);
  EXPECT_EQ(wide.class_target, 120U);
  EXPECT_EQ(wide.treatment(rows_of(wide, 0.06), mu_squared), WideTreatment::kMoments);
  EXPECT_EQ(wide.treatment(rows_of(wide, 0.04), mu_squared), WideTreatment::kTeacher);
  EXPECT_EQ(wide.treatment(rows_of(wide, 0.009), mu_squared), WideTreatment::kNone);
  EXPECT_EQ(wide.treatment(1.0, mu_squared), WideTreatment::kNone);
  EXPECT_EQ(wide.treatment(2e6, 1e-6), WideTreatment::kNone);
  WideRule of_people = wide;
  of_people.rows_of_unit = 2.0;
  EXPECT_EQ(of_people.treatment(2.0 * rows_of(wide, 0.06), mu_squared), WideTreatment::kMoments);
  EXPECT_EQ(of_people.treatment(2.0 * rows_of(wide, 0.04), mu_squared), WideTreatment::kTeacher);
  const WideRule narrower{Encoder(wide_schema(90, kTarget))};
  EXPECT_EQ(narrower.treatment(rows_of(narrower, 0.06), mu_squared), WideTreatment::kTeacher);
  const WideRule few{Encoder(wide_schema(49, kTarget))};
  EXPECT_EQ(few.treatment(3000.0, mu_squared), WideTreatment::kTeacher);
  EXPECT_EQ(few.treatment(2999.0, mu_squared), WideTreatment::kNone);
  EXPECT_EQ(few.treatment(2000.0, mu_squared), WideTreatment::kNone);
  EXPECT_EQ(WideRule{Encoder(wide_schema(29, kTarget))}.treatment(4000.0, mu_squared),
            WideTreatment::kNone);
  const WideRule without{Encoder(wide_schema(120, ""))};
  EXPECT_EQ(without.columns, 121U);
  EXPECT_EQ(without.treatment(rows_of(without, 0.06), mu_squared), WideTreatment::kMoments);
  EXPECT_EQ(without.treatment(rows_of(without, 0.04), mu_squared), WideTreatment::kNone);
  std::vector<std::size_t> sizes(120, 5);
  const WideRule of_categories{Encoder(schema_of_categories(sizes, R"("target": "c0", )"))};
  EXPECT_EQ(of_categories.treatment(rows_of(of_categories, 0.06), mu_squared),
            WideTreatment::kTeacher);
  EXPECT_EQ(of_categories.treatment(2999.0, mu_squared), WideTreatment::kNone);
}

TEST(WideRule, OfFiftyNumbersOrMoreChangesWithTheNoiseAloneAndNotAtANumberOfRecords) {
  for (const std::size_t columns : {50, 75, 99}) {
    const WideRule rule{Encoder(wide_schema(columns, kTarget))};
    for (const double mu : {0.05, 0.25, 1.0}) {
      for (double rows = 20.0; rows < 1e6; rows *= 1.01) {
        const double noise = static_cast<double>(columns) / (mu * rows);
        EXPECT_EQ(rule.treatment(rows, mu * mu),
                  noise >= 0.01 && noise <= 5.0 ? WideTreatment::kTeacher : WideTreatment::kNone)
            << columns << " columns, " << rows << " records, mu " << mu;
      }
    }
  }
  const WideRule wide{Encoder(wide_schema(100, kTarget))};
  for (double rows = 30.0; rows < 1e6; rows *= 1.01) {  // mu 1, so the noise is 100 / rows
    EXPECT_EQ(wide.treatment(rows, 1.0), rows <= 2000.0     ? WideTreatment::kMoments
                                         : rows <= 10'000.0 ? WideTreatment::kTeacher
                                                            : WideTreatment::kNone)
        << rows;
  }
}

TEST(Moments, WithoutNoiseCorrelationsAndTheClassAreKept) {
  const Schema schema = wide_schema(24, kTarget);
  const Records records = wide_records(4000, 24);
  const Table real = table_of(schema, records);
  const MomentsGenerator model(moments_of(schema, records, kHardlyAnyNoise));
  const Table made = model.sample(4000, 3);
  for (const std::pair<std::size_t, std::size_t>& pair :
       std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 3}, {1, 4}, {0, 1}, {2, 5}, {6, 9}, {7, 22}, {0, 24}, {2, 24}, {1, 24}}) {
    const auto of = [&](const Table& table) {
      return correlation(numbers_of(table, pair.first), numbers_of(table, pair.second));
    };
    EXPECT_NEAR(of(made), of(real), 0.12) << pair.first << ", " << pair.second;
  }
}

TEST(Moments, ColumnsHaveTheirCounts) {
  const Schema schema = wide_schema(24, kTarget);
  const Records records = wide_records(4000, 24);
  const Table real = table_of(schema, records);
  const Table made = MomentsGenerator(moments_of(schema, records, kHardlyAnyNoise)).sample(4000, 3);
  for (const std::size_t c : {0U, 2U, 24U}) {
    const auto share_below = [&](const Table& table, double limit) {
      const std::vector<double> values = numbers_of(table, c);
      return static_cast<double>(std::count_if(values.begin(), values.end(),
                                               [&](double value) { return value < limit; })) /
             static_cast<double>(values.size());
    };
    for (const double limit : {1.0, 30.0, 50.0, 70.0}) {
      EXPECT_NEAR(share_below(made, limit), share_below(real, limit), 0.02) << c << ", " << limit;
    }
  }
}

TEST(Moments, SpendTheWholeBudgetUnderBothRelationsAndWithoutClasses) {
  const Records records = wide_records(300, 20);
  for (const std::string& head :
       {kTarget, std::string(), kTarget + R"("relation": "replace-one", )"}) {
    const Release release = moments_of(wide_schema(20, head), records, {1.0, 1e-5});
    EXPECT_NEAR(release.statement().epsilon_spent(), 1.0, 1e-6);
    EXPECT_EQ(sums_of_step(release, wide_steps::kTeacher).empty(), head.empty());
    EXPECT_EQ(sums_of_step(release, wide_steps::kLoadings).empty(), head.empty());
    EXPECT_EQ(MomentsGenerator(release).sample(50).rows(), 50U);
  }
}

TEST(Moments, SamplesAreTheSameForAnyThreadsAndBeginLongerOnes) {
  const MomentsGenerator model(
      moments_of(wide_schema(20, kTarget), wide_records(500, 20), {3.0, 1e-5}));
  const Table one = model.sample(9000, 5, Context{1, nullptr, nullptr});
  EXPECT_TRUE(are_same(model.sample(9000, 5, Context{3, nullptr, nullptr}), one));
  Table shorter = model.sample(5000, 5);
  const std::vector<double> longer_column = numbers_of(one, 7);
  EXPECT_EQ(numbers_of(shorter, 7),
            std::vector<double>(longer_column.begin(), longer_column.begin() + 5000));
  EXPECT_FALSE(are_same(model.sample(9000, 6), one));
}

TEST(Moments, AModelFileDrawsTheSameRecords) {
  const MomentsGenerator model(
      moments_of(wide_schema(20, kTarget), wide_records(500, 20), {3.0, 1e-5}));
  const auto again = Generator::from_bytes(model.to_bytes(), "a model");
  EXPECT_TRUE(are_same(again->sample(100, 2), model.sample(100, 2)));
}

TEST(Moments, ConditionsAreMet) {
  const MomentsGenerator model(
      moments_of(wide_schema(20, kTarget), wide_records(500, 20), {3.0, 1e-5}));
  SampleOptions options;
  options.rows = 300;
  options.where = {{"y", "1"}, {"x3", ConditionRelation::kAtLeast, {"60"}}};
  Table made;
  model.sample(options, Context{}, [&](const Table& part) { made.append(part); });
  ASSERT_EQ(made.rows(), 300U);
  for (const double label : numbers_of(made, 20)) {
    EXPECT_EQ(label, 1.0);
  }
  for (const double number : numbers_of(made, 3)) {
    EXPECT_GE(number, 60.0);
  }
  options.rows = 1;
  options.where = {};
  for (std::size_t c = 0; c < 20; ++c) {
    options.where.push_back({"x" + std::to_string(c), ConditionRelation::kAtLeast, {"95"}});
  }
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [&] { model.sample(options, Context{}, [](const Table&) {}); }),
                  {"too rare"});
}

TEST(Moments, MissingValuesComeBackAndNoRecordIsLostToThem) {
  const Schema schema = wide_schema(20, kTarget, R"(, "missing": true)");
  Table table = table_of(schema, wide_records(600, 20));
  for (std::size_t c = 0; c < 20; ++c) {
    table.columns[c].is_missing.assign(600, false);
    for (std::size_t r = c % 4; r < 600; r += 4) {
      table.columns[c].is_missing[r] = true;
    }
  }
  CountedTable counted(schema, table, {20.0, 1e-5});
  counted.rounds.measure("the number of records", {CountBlock::records()}, {1.0},
                         0.03 * counted.rounds.left(), Context{});
  measure_moments(counted.rounds, counted.encoder, WideRule(counted.encoder), Context{});
  const MomentsGenerator model(read_back(counted.rounds.finish("marginals")));
  const Table made = model.sample(2000);
  double missing = 0.0;
  for (std::size_t c = 0; c < 20; ++c) {
    for (std::size_t r = 0; r < 2000; ++r) {
      missing += made.columns[c].is_missing.at(r) ? 1.0 / 40'000.0 : 0.0;
    }
  }
  EXPECT_NEAR(missing, 0.25, 0.04);
}

/// What the default method makes of a table in between.
struct WithTeacher {
  Schema schema = wide_schema(60, kTarget);
  Records records = wide_records(6000, 60);
  Accountant accountant;
  Release release;

  explicit WithTeacher(double epsilon)
      : accountant(PrivacyBudget{epsilon, 1e-5}),
        release(release_marginals(PrivateTable({part_of({table_of(schema, records)})}, schema), {},
                                  accountant, Context{2, nullptr, nullptr})) {}
};

TEST(PrivateTeacher, GetsItsShareOfTheBudget) {
  const WithTeacher made(1.0);
  double teacher = 0.0;
  for (const PrivacySpend& spend : made.accountant.ledger()) {
    teacher += spend.what.starts_with("teacher, round") ? spend.mu_squared() : 0.0;
  }
  EXPECT_NEAR(teacher / made.accountant.total_mu_squared(), 0.3, 1e-9);
  EXPECT_LT(made.accountant.left_mu_squared(), 1e-9);
}

TEST(PrivateTeacher, KnowsClassesThatAreTooRareForTablesOfPairsOfTheirOwn) {
  constexpr std::size_t kRows = 600;
  Records records = wide_records(kRows, 50);
  for (std::size_t r = 0; r < kRows; ++r) {  // of twelve classes nine have 6 records each
    records[r].back() = r < 54 ? static_cast<std::int64_t>(3 + r % 9) : records[r].back();
  }
  const Schema schema = wide_schema(50, kTarget, "", 12);
  Accountant accountant(PrivacyBudget{1.0, 1e-5});
  const Context context{2, nullptr, nullptr};
  const Release release = release_marginals(
      PrivateTable({part_of({table_of(schema, records)})}, schema), {}, accountant, context);
  const TableGenerator model(release, TableFitOptions{}, context);
  for (const double label : numbers_of(model.sample(kRows, 1, context), 50)) {
    EXPECT_LT(label, 12.0);
  }
}

TEST(PrivateTeacher, LabelsTheFittedTable) {
  const WithTeacher made(3.0);
  TableFitOptions options;
  const TableGenerator model(made.release, options, Context{2, nullptr, nullptr});
  for (const std::uint64_t seed : {1, 2}) {
    const Table table = model.sample(model.fit().polished.rows, seed, Context{2, nullptr, nullptr});
    // The class goes with the number that no other goes with: a fact of one pair among 1,800.
    // The law has .564 and .451; releases come to .60 and .41, with a spread of .005 and .05.
    EXPECT_NEAR(correlation(numbers_of(table, 2), numbers_of(table, 60)), 0.564, 0.08) << seed;
    EXPECT_GT(correlation(numbers_of(table, 0), numbers_of(table, 60)), 0.15) << seed;
  }
  const auto again = Generator::from_bytes(model.to_bytes(), "a model");
  EXPECT_TRUE(are_same(again->sample(500, 4), model.sample(500, 4)));
}

TEST(PrivateTeacher, HoldsLabelsThatAreAskedFor) {
  const WithTeacher made(1.0);
  const TableGenerator model(made.release, {}, Context{2, nullptr, nullptr});
  SampleOptions options;
  options.rows = 4000;  // more than the fitted table has
  options.where = {{"y", "1"}};
  std::size_t rows = 0;
  model.sample(options, Context{2, nullptr, nullptr}, [&](const Table& part) {
    for (const double label : numbers_of(part, 60)) {
      ASSERT_EQ(label, 1.0);
    }
    rows += part.rows();
  });
  EXPECT_EQ(rows, 4000U);
}

}  // namespace wide_tables_test
}  // namespace mehler
