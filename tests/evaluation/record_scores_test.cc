#include <gtest/gtest.h>

#include <cmath>

#include "mehler/core/seeded_random.h"
#include "mehler/demo/mixture.h"
#include "mehler/demo/people.h"
#include "mehler/evaluation/tables/closest_record.h"
#include "mehler/evaluation/tables/propensity.h"
#include "tests/support/errors.h"

namespace mehler {
namespace record_scores_test {

CodedTable people(std::size_t rows, std::uint64_t seed, std::size_t bins = 20) {
  const Encoder encoder(people_schema());
  return read_coded_table(encoder, column_bins(encoder, bins), simulate_people(rows, seed));
}

TEST(Propensity, OfTwoSamplesOfOneDistributionIsAboutWhatIsExpected) {
  // pmse / expected is about chi-squared with p - 1 degrees of freedom over p - 1: with p near 53,
  // a standard deviation of .2 a pair and .04 for the mean of 30. Seeded: no chance to fail.
  double mean = 0.0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const PropensityScore score = propensity_score(people(3000, 1000 + seed, 10),
                                                   people(2000, 2000 + seed, 10), {}, Context{});
    EXPECT_GT(score.parameters, 40U);
    EXPECT_EQ(score.real_rows, 3000U);
    EXPECT_EQ(score.synthetic_rows, 2000U);
    mean += score.ratio().value() / 30;
  }
  EXPECT_NEAR(mean, 1.0, 0.15);
}

TEST(Propensity, OfTwoColumnsMatchesTheClosedForm) {
  // One binary column is fitted exactly: p is the share of synthetic records at each code.
  CodedTable real;
  real.rows = 100;
  real.columns.resize(1);
  CodedTable synthetic = real;
  for (std::size_t i = 0; i < 100; ++i) {
    real.columns[0].codes.push_back(i < 30 ? 1 : 0);
    synthetic.columns[0].codes.push_back(i < 60 ? 1 : 0);
  }
  const PropensityScore score = propensity_score(real, synthetic, {}, Context{});
  EXPECT_EQ(score.parameters, 2U);
  const double at_one = 60.0 / 90.0 - 0.5;
  const double at_zero = 40.0 / 110.0 - 0.5;
  EXPECT_NEAR(score.pmse, (90 * at_one * at_one + 110 * at_zero * at_zero) / 200, 1e-6);
  EXPECT_NEAR(score.expected_pmse, 0.25 / 200, 1e-15);
}

TEST(Propensity, OfEqualTablesIsZeroAndOfSeparateOnesAQuarter) {
  const CodedTable real = people(500, 1);
  EXPECT_NEAR(propensity_score(real, real, {}, Context{}).pmse, 0.0, 1e-9);
  CodedTable apart = real;
  for (std::uint16_t& code : apart.columns[0].codes) {
    code = static_cast<std::uint16_t>(code + 40);
  }
  EXPECT_NEAR(propensity_score(real, apart, {}, Context{}).pmse, 0.25, 1e-3);
}

TEST(Propensity, DoesNotCountColumnsThatSayTheSame) {
  CodedTable real = people(800, 3, 5);
  CodedTable synthetic = people(800, 4, 5);
  const PropensityScore once = propensity_score(real, synthetic, {}, Context{});
  real.columns.push_back(real.columns[2]);
  synthetic.columns.push_back(synthetic.columns[2]);
  const PropensityScore twice = propensity_score(real, synthetic, {}, Context{});
  EXPECT_EQ(once.parameters, twice.parameters);
  EXPECT_NEAR(once.pmse, twice.pmse, 1e-6);
}

TEST(Propensity, SamplesRowsAndBoundsParameters) {
  PropensityOptions options;
  options.max_rows = 300;
  options.max_parameters = 20;
  const PropensityScore score =
      propensity_score(people(900, 5), people(200, 6), options, Context{});
  EXPECT_EQ(score.real_rows, 300U);
  EXPECT_EQ(score.synthetic_rows, 200U);
  EXPECT_LE(score.parameters, 20U);
}

TEST(SampleRows, AreDistinctAndAsManyAsAsked) {
  EXPECT_EQ(sample_rows(5, 9, 1), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  std::vector<int> seen(10, 0);
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const auto rows = sample_rows(10, 3, seed);
    ASSERT_EQ(rows.size(), 3U);
    for (const std::size_t row : rows) {
      ++seen[row];
    }
  }
  for (const int times : seen) {
    EXPECT_NEAR(times, 900, 6 * 25);  // standard deviation 25; seeded
  }
}

TEST(ClosestRecords, AreAsNearOnEitherSideForFreshRecords) {
  const Encoder encoder(people_schema());
  const ClosestRecords found = compare_closest_records(encoder, people(1000, 1), people(2000, 2),
                                                       people(1500, 3), {}, Context{});
  EXPECT_EQ(found.synthetic_rows, 1000U);
  EXPECT_EQ(found.other_rows, 1500U);
  EXPECT_NEAR(found.share_nearer_to_training, 0.5, 4 * found.standard_error);  // seeded
  EXPECT_GT(found.median_to_training, 0.0);
}

TEST(ClosestRecords, ShowCopiesOfTheTrainingRecords) {
  const Encoder encoder(people_schema());
  const CodedTable training = people(800, 4);
  const CodedTable held_out = people(800, 5);
  const ClosestRecords copied =
      compare_closest_records(encoder, training, training, held_out, {}, Context{});
  EXPECT_GT(copied.share_nearer_to_training, 0.99);
  EXPECT_EQ(copied.median_to_training, 0.0);
  const ClosestRecords threaded = compare_closest_records(encoder, training, training, held_out, {},
                                                          Context{3, nullptr, nullptr});
  EXPECT_EQ(copied.median_to_held_out, threaded.median_to_held_out);
}

TEST(ClosestRecords, HaveGowersDistance) {
  const Encoder encoder(Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "numeric", "bounds": [0, 10], "missing": true},
      {"name": "c", "kind": "categorical", "categories": ["a", "b"], "missing": true}]})"));
  const double missing = std::nan("");
  const auto table_of = [](double x, std::uint16_t code) {
    CodedTable table;
    table.rows = 1;
    table.columns = {{{0}, {x}, 0, 0}, {{code}, {}, 0, 0}};
    return table;
  };
  const auto distance = [&](const CodedTable& a, const CodedTable& b) {
    return compare_closest_records(encoder, a, b, b, {}, Context{}).median_to_training;
  };
  EXPECT_NEAR(distance(table_of(2, 0), table_of(5, 0)), 0.15, 1e-6);
  EXPECT_NEAR(distance(table_of(2, 0), table_of(5, 1)), 0.65, 1e-6);
  EXPECT_NEAR(distance(table_of(2, 0), table_of(missing, 2)), 1.0, 1e-6);
  EXPECT_NEAR(distance(table_of(missing, 2), table_of(missing, 2)), 0.0, 1e-6);
}

TEST(ExactMatches, AreCountedValueForValue) {
  const CodedTable a = people(400, 6);
  EXPECT_EQ(exact_match_rate(a, a), 1.0);
  EXPECT_EQ(exact_match_rate(a, people(400, 7)), 0.0);
  CodedTable near = a;
  for (std::size_t row = 0; row < 100; ++row) {
    near.columns[1].numbers[row] += 1e-9;  // the same bin, another value
  }
  EXPECT_EQ(exact_match_rate(near, a), 0.75);
}

TEST(MixtureScore, OfTheTruthAndOfACollapse) {
  const Encoder encoder(mixture_schema());
  const CodedTable table =
      read_coded_table(encoder, column_bins(encoder), simulate_mixture(50'000, 1));
  const MixtureScore truth =
      score_mixture(table.columns[0].numbers, table.columns[1].numbers, table.columns[2].codes);
  EXPECT_NEAR(truth.negative_log_likelihood, 2.833, 0.02);  // standard error .0045
  EXPECT_NEAR(truth.without_class, 2.782, 0.02);
  EXPECT_EQ(truth.covered_modes, 25U);
  EXPECT_NEAR(truth.near_a_mode, 0.989, 0.003);
  const std::vector<double> zeros(100, 0.0);
  const std::vector<std::uint16_t> right(100, 1);  // (2 + 2 * 2) mod 5
  const MixtureScore collapsed = score_mixture(zeros, zeros, right);
  EXPECT_LT(collapsed.negative_log_likelihood, 2.0);
  EXPECT_EQ(collapsed.covered_modes, 1U);
  EXPECT_EQ(collapsed.near_a_mode, 1.0);
  const std::vector<std::uint16_t> wrong(100, 0);
  EXPECT_GT(score_mixture(zeros, zeros, wrong).negative_log_likelihood, 10.0);
  EXPECT_EQ(score_mixture(zeros, zeros, wrong).covered_modes, 0U);
  const std::vector<double> missing(100, std::nan(""));
  message_of(ErrorCode::kInvalidTable, [&] { score_mixture(missing, missing, right); });
}

}  // namespace record_scores_test
}  // namespace mehler
