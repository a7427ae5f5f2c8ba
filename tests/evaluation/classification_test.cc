#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/core/seeded_random.h"
#include "mehler/evaluation/classifiers/classification_features.h"
#include "mehler/evaluation/classifiers/classification_metrics.h"
#include "mehler/evaluation/classifiers/classification_score.h"
#include "mehler/evaluation/classifiers/logistic_regression.h"
#include "tests/support/errors.h"

namespace mehler {
namespace classification_test {

void expect_error(ErrorCode code, const char* words, const std::function<void()>& call) {
  expect_mentions(message_of(code, call), {words});
}

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

TEST(RocAuc, IsTheShareOfPairsInOrderAndTiesCountHalf) {
  // Positives at 4, 2, 2; negatives at 3, 2, 1: of 9 pairs 3 + 1.5 + 1.5 are won.
  EXPECT_DOUBLE_EQ(roc_auc({4, 3, 2, 2, 2, 1}, {1, 0, 1, 1, 0, 0}), 6.0 / 9.0);
  EXPECT_DOUBLE_EQ(roc_auc({2, 1}, {1, 0}), 1.0);
  EXPECT_DOUBLE_EQ(roc_auc({2, 1}, {0, 1}), 0.0);
  EXPECT_DOUBLE_EQ(roc_auc({5, 5, 5}, {1, 0, 0}), 0.5);
}

TEST(AveragePrecision, AddsPrecisionWhereRecallGrowsAndTiesAreOneThreshold) {
  // Recall grows by 1/3 at 1/1, then by 2/3 at the tie, where 3 of 5 are positive.
  EXPECT_DOUBLE_EQ(average_precision({4, 3, 2, 2, 2, 1}, {1, 0, 1, 1, 0, 0}),
                   1.0 / 3.0 + 2.0 / 3.0 * 3.0 / 5.0);
  EXPECT_DOUBLE_EQ(average_precision({4, 3, 2, 1}, {1, 0, 1, 0}), 0.5 * 1.0 + 0.5 * 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(average_precision({1, 1, 1, 1}, {1, 0, 0, 0}), 0.25);
}

TEST(WeightedF1, WeighsClassesByTheirShareOfTheTruth) {
  // Class 0: F1 1/2 (one of two found, one wrong), weight 1/2; class 1: 1, weight 1/4; class 2 is
  // predicted wrongly and never found.
  EXPECT_DOUBLE_EQ(weighted_f1({0, 0, 1, 2}, {0, 2, 1, 0}), 0.5 * 0.5 + 0.25 * 1.0);
  EXPECT_DOUBLE_EQ(accuracy({0, 0, 1, 2}, {0, 2, 1, 0}), 0.5);
  EXPECT_DOUBLE_EQ(weighted_f1({0, 0}, {5, 5}), 0.0);
}

TEST(Logistic, FitsTheLogOddsOfATwoByTwoTableExactly) {
  // Without a ridge the constant is the log-odds at 0 (1 of 4), the slope their difference (3 of
  // 4).
  SparseFeatures features{8, 1, 2, {0, 0, 0, 0, 1, 1, 1, 1}, {}};
  const LogisticFit fit =
      fit_logistic(features, {1, 0, 0, 0, 1, 1, 1, 0}, {.ridge = 0.0}, Context{});
  EXPECT_NEAR(fit.parameters[0], std::log(1.0 / 3.0), 1e-6);
  EXPECT_NEAR(fit.parameters[1], 2.0 * std::log(3.0), 1e-6);
}

TEST(Logistic, MinimisesThePenalisedLoss) {
  // At the minimum the gradient is zero: sum (p - y) x + ridge w = 0, without the ridge for the
  // constant.
  SparseFeatures features{5, 2, 3, {1, 2, 1, 0, 1, 2, 1, 0, 1, 2}, {}};
  features.values = {0.5, 1.0, -2.0, 0.0, 3.0, 1.0, 0.25, 0.0, -1.0, 1.0};
  const std::vector<char> is_positive = {1, 0, 1, 1, 0};
  const double ridge = 0.7;
  const LogisticFit fit = fit_logistic(features, is_positive, {.ridge = ridge}, Context{});
  std::vector<double> gradient = {0.0, ridge * fit.parameters[1], ridge * fit.parameters[2]};
  for (std::size_t row = 0; row < 5; ++row) {
    const double residual = logistic(features.linear_part(row, fit.parameters)) - is_positive[row];
    gradient[0] += residual;
    for (std::size_t i = 0; i < 2; ++i) {
      if (features.active[2 * row + i] != 0) {
        gradient[features.active[2 * row + i]] += residual * features.values[2 * row + i];
      }
    }
  }
  for (const double slope : gradient) {
    EXPECT_NEAR(slope, 0.0, 1e-4);
  }
}

/// Columns a (categorical, two labels), r (ordinal, three), n (numeric in [0, 10]) and the target.
Schema small_schema(std::vector<std::string> classes) {
  Column a;
  a.name = "a";
  a.kind = ColumnKind::kCategorical;
  a.categories = {"x", "y"};
  a.missing = true;
  Column r = a;
  r.name = "r";
  r.kind = ColumnKind::kOrdinal;
  r.categories = {"low", "middle", "high"};
  Column n;
  n.name = "n";
  n.kind = ColumnKind::kNumeric;
  n.bounds = Interval{0.0, 10.0};
  n.missing = true;
  Column target = a;
  target.name = "target";
  target.categories = std::move(classes);
  return Schema({a, r, n, target});
}

CodedTable table_of(std::vector<std::uint16_t> a, std::vector<std::uint16_t> r,
                    std::vector<double> n, std::vector<std::uint16_t> target) {
  CodedTable table;
  table.rows = a.size();
  table.columns.resize(4);
  table.columns[0].codes = std::move(a);
  table.columns[1].codes = std::move(r);
  table.columns[2].codes.assign(table.rows, 0);
  table.columns[2].numbers = std::move(n);
  table.columns[3].codes = std::move(target);
  return table;
}

/// The target is 1 with a chance that grows with a, r and n.
CodedTable simulate(std::size_t rows, std::uint64_t seed, std::size_t classes = 2) {
  SeededRandom random(seed);
  std::vector<std::uint16_t> a;
  std::vector<std::uint16_t> r;
  std::vector<double> n;
  std::vector<std::uint16_t> target;
  for (std::size_t row = 0; row < rows; ++row) {
    a.push_back(random.uniform() < 0.5 ? 0 : 1);
    r.push_back(static_cast<std::uint16_t>(3.0 * random.uniform()));
    n.push_back(10.0 * random.uniform());
    const double value = a.back() + r.back() + 0.5 * n.back() + random.uniform();
    const double limit = classes == 2 ? 5.0 : 3.0;
    target.push_back(static_cast<std::uint16_t>(
        std::min(std::floor(value / limit), static_cast<double>(classes - 1))));
  }
  return table_of(std::move(a), std::move(r), std::move(n), std::move(target));
}

TEST(ClassificationFeatures, AreStandardisedNumbersRanksAndLabels) {
  const Encoder encoder(small_schema({"no", "yes"}));
  // Missing and unknown (label count, and one more) are one; 99 is clamped to 10.
  const CodedTable table =
      table_of({0, 1, 2, 3}, {0, 2, 3, 4}, {0.0, 99.0, kNoNumber, 5.0}, {0, 1, 0, 1});
  const std::vector<std::size_t> rows = {0, 1, 2, 3};
  const ClassificationFeatures features(encoder, 3, table, rows, 100);
  // The number, the rank; 'missing' of a and r (2 records each), then 'x', 'y' and missing n.
  EXPECT_EQ(features.count(), 7U);
  const SparseFeatures found = features.of(table, rows);
  EXPECT_EQ(found.active, (std::vector<std::uint32_t>{5, 1, 2, 6, 1, 2, 3, 4, 7, 3, 4, 2}));
  const double deviation = std::sqrt(50.0 / 3.0);
  EXPECT_NEAR(found.values[1], -1.0, 1e-12);  // ranks 0 and 2
  EXPECT_NEAR(found.values[2], -5.0 / deviation, 1e-12);
  EXPECT_NEAR(found.values[5], 5.0 / deviation, 1e-12);
  EXPECT_EQ(found.values[6], 1.0);
  const ClassificationFeatures fewer(encoder, 3, table, rows, 3);
  EXPECT_EQ(fewer.count(), 3U);
}

TEST(ClassificationFeatures, LeaveConstantColumnsOut) {
  const Encoder encoder(small_schema({"no", "yes"}));
  const CodedTable table = table_of({1, 1, 1}, {3, 3, 3}, {4.0, 4.0, 4.0}, {0, 1, 0});
  const ClassificationFeatures features(encoder, 3, table, {0, 1, 2}, 100);
  EXPECT_EQ(features.count(), 0U);
}

ClassificationScore score_of(const Encoder& encoder, const CodedTable& training,
                             const CodedTable& test, const ClassificationOptions& options = {},
                             std::size_t threads = 1) {
  const auto target = decide_positive(classification_target(encoder, "target", ""), test);
  return classification_score(encoder, target, training, test, options,
                              Context{threads, nullptr, nullptr});
}

TEST(ClassificationScore, OfTwoClassesRanksAndOfMoreHasF1) {
  const Encoder two(small_schema({"no", "yes"}));
  const ClassificationScore binary = score_of(two, simulate(500, 1), simulate(400, 2));
  EXPECT_GT(binary.roc_auc.value(), 0.95);  // seeded; the truth is linear but for noise
  EXPECT_GT(binary.average_precision.value(), 0.9);
  EXPECT_FALSE(binary.weighted_f1.has_value());
  EXPECT_EQ(binary.training_rows, 500U);
  EXPECT_EQ(binary.test_rows, 400U);
  const Encoder three(small_schema({"a", "b", "c"}));
  const ClassificationScore several = score_of(three, simulate(500, 1, 3), simulate(400, 2, 3));
  EXPECT_GT(several.weighted_f1.value(), 0.7);
  EXPECT_FALSE(several.roc_auc.has_value());
  const ClassificationScore threaded =
      score_of(three, simulate(500, 1, 3), simulate(400, 2, 3), {}, 4);
  EXPECT_EQ(several.weighted_f1, threaded.weighted_f1);
}

TEST(ClassificationScore, OfASingleClassOrOfConstantColumnsIsChance) {
  const Encoder encoder(small_schema({"no", "yes"}));
  const CodedTable test = simulate(400, 2);
  CodedTable single = simulate(100, 1);
  single.columns[3].codes.assign(100, 1);
  CodedTable constant = simulate(100, 1);
  constant.columns[0].codes.assign(100, 2);
  constant.columns[1].codes.assign(100, 1);
  constant.columns[2].numbers.assign(100, kNoNumber);
  for (const CodedTable& training : {single, constant}) {
    const ClassificationScore score = score_of(encoder, training, test);
    EXPECT_EQ(score.roc_auc, 0.5);
    const auto yes = static_cast<double>(
        std::count(test.columns[3].codes.begin(), test.columns[3].codes.end(), 1));
    const double rarer = std::min(yes, 400.0 - yes) / 400.0;
    EXPECT_DOUBLE_EQ(score.average_precision.value(), rarer);
  }
}

TEST(ClassificationScore, LeavesRecordsWithoutTargetOutAndSamplesTheRest) {
  const Encoder encoder(small_schema({"no", "yes"}));
  CodedTable training = simulate(300, 1);
  training.columns[3].codes[0] = 2;  // missing
  training.columns[3].codes[1] = 3;  // unknown
  EXPECT_EQ(score_of(encoder, training, simulate(200, 2)).training_rows, 298U);
  ClassificationOptions options;
  options.max_rows = 100;
  EXPECT_EQ(score_of(encoder, training, simulate(200, 2), options).training_rows, 100U);
}

TEST(ClassificationScore, NeverPredictsAClassThatTheTrainingTableLacks) {
  const Encoder encoder(small_schema({"a", "b", "c"}));
  CodedTable training = simulate(400, 1, 3);
  for (std::uint16_t& code : training.columns[3].codes) {
    code = std::min<std::uint16_t>(code, 1);
  }
  const CodedTable test = simulate(400, 2, 3);
  const auto lacking = static_cast<double>(
      std::count(test.columns[3].codes.begin(), test.columns[3].codes.end(), 2));
  EXPECT_LE(score_of(encoder, training, test).accuracy, 1.0 - lacking / 400.0);
}

TEST(ClassificationTarget, TakesTheRarerClassUnlessOneIsNamed) {
  const Encoder encoder(small_schema({"no", "yes"}));
  CodedTable test = simulate(10, 1);
  test.columns[3].codes = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1};
  EXPECT_EQ(decide_positive(classification_target(encoder, "target", ""), test).positive, 1U);
  EXPECT_EQ(decide_positive(classification_target(encoder, "target", "no"), test).positive, 0U);
  test.columns[3].codes = {1, 1, 1, 1, 1, 1, 1, 0, 0, 0};
  EXPECT_EQ(decide_positive(classification_target(encoder, "target", ""), test).positive, 0U);
  test.columns[3].codes.assign(10, 1);
  expect_error(ErrorCode::kInvalidTable, "fewer than two classes",
               [&] { decide_positive(classification_target(encoder, "target", ""), test); });
}

TEST(ClassificationTarget, RefusesWhatCannotBePredicted) {
  const Encoder encoder(small_schema({"no", "yes"}));
  expect_error(ErrorCode::kInvalidArgument, "did you mean 'target'",
               [&] { classification_target(encoder, "targe", ""); });
  expect_error(ErrorCode::kInvalidArgument, "'n' is numeric",
               [&] { classification_target(encoder, "n", ""); });
  expect_error(ErrorCode::kInvalidArgument, "no class 'maybe'",
               [&] { classification_target(encoder, "target", "maybe"); });
  expect_error(ErrorCode::kInvalidArgument, "3 classes",
               [&] { classification_target(encoder, "r", "low"); });
  const Encoder one(small_schema({"yes"}));
  expect_error(ErrorCode::kInvalidArgument, "one category",
               [&] { classification_target(one, "target", ""); });
}

TEST(ClassificationScore, RefusesATableWithoutTargets) {
  const Encoder encoder(small_schema({"no", "yes"}));
  CodedTable training = simulate(10, 1);
  training.columns[3].codes.assign(10, 2);
  expect_error(ErrorCode::kInvalidTable, "missing in every record",
               [&] { score_of(encoder, training, simulate(200, 2)); });
}

}  // namespace classification_test
}  // namespace mehler
