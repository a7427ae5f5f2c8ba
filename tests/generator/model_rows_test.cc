#include "mehler/generator/fitted_table/model_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/generator/fitted_table/conditional_rows.h"
#include "testing/coded_tables.h"
#include "tests/support/errors.h"

namespace mehler {
namespace model_rows_test {

const std::vector<std::size_t> kSizes = {4, 9, 2, 20, 6};

/// A fit and its model, made once.
struct Fitted {
  CodedRows real = dependent_rows(4000, kSizes, 1);
  CliqueTargets targets = targets_of(real, kSizes, 0.2);
  TableFit fit = fit_table(targets, {}, {});
  PairwiseModel model = PairwiseModel::fit(targets, fit, {1, 60}, {});
};

const Fitted& fitted() {
  static const Fitted instance;
  return instance;
}

/// draw_where() with the model at hand.
ConditionalRows draw_from(const PairwiseModel& model, const TableFit& fit,
                          const std::vector<CodeCondition>& conditions, std::size_t count,
                          std::uint64_t seed, const Context& context = {}) {
  return draw_where(
      model.shape(), SearchableFit(fit), [&]() -> const PairwiseModel& { return model; },
      conditions, count, seed, context);
}

CodedRows part(const CodedRows& rows, std::size_t first, std::size_t count) {
  CodedRows result(count, rows.columns);
  std::copy_n(&rows.codes[first * rows.columns], count * rows.columns, result.codes.begin());
  return result;
}

TEST(PairwiseModel, PotentialsAreWhatTheWeightsLeaveOpen) {
  const Fitted& f = fitted();
  DrawOptions options;
  options.polish_sweeps = 0;
  const CodedRows rows = draw_rows(f.model, f.fit, 0, 40'000, options, {});
  CliqueValues counts = zero_values(f.targets);
  add_counts(f.targets, rows, 0, rows.rows, 0.1, counts);
  // theta = w (t - m): the potentials and the model's own counts agree. A count of 40,000 rows
  // times 0.1 has a standard error of at most 0.1 sqrt(10,000) = 10; potentials wander by about as
  // much.
  for (std::size_t k = 0; k < counts.size(); ++k) {
    for (std::size_t i = 0; i < counts[k].size(); ++i) {
      EXPECT_NEAR(
          f.targets.cliques[k].target[i] - f.model.potentials()[k][i] / f.model.weights()[k],
          counts[k][i], 60.0)
          << "clique " << k << ", cell " << i;
    }
  }
}

TEST(PairwiseModel, TheSeedAndNotTheThreadsDecide) {
  const Fitted& f = fitted();
  Context threads;
  threads.threads = 3;
  const PairwiseModel again = PairwiseModel::fit(f.targets, f.fit, {1, 60}, threads);
  EXPECT_EQ(f.model.potentials(), again.potentials());
}

TEST(ModelRows, LongerTablesAreNoWorseThanTheFit) {
  const Fitted& f = fitted();
  const double fit_distance = mean_distance(f.targets, f.real, f.fit.polished);
  const CodedRows rows = draw_rows(f.model, f.fit, 0, 4 * f.real.rows, {}, {});
  ASSERT_TRUE(codes_fit(rows, kSizes));
  EXPECT_LT(mean_distance(f.targets, f.real, rows), 1.05 * fit_distance + 0.001);
}

TEST(ModelRows, SplitsAndThreadsDoNotMatter) {
  const Fitted& f = fitted();
  for (const std::size_t total : {std::size_t{0}, std::size_t{10'000}}) {
    DrawOptions options;
    options.total_rows = total;
    Context threads;
    threads.threads = 3;
    const CodedRows whole = draw_rows(f.model, f.fit, 0, 10'000, options, threads);
    EXPECT_EQ(draw_rows(f.model, f.fit, 3000, 4500, options, {}).codes,
              part(whole, 3000, 4500).codes);
    EXPECT_EQ(draw_rows(f.model, f.fit, 9999, 1, options, {}).codes, part(whole, 9999, 1).codes);
    options.seed = 2;
    EXPECT_NE(draw_rows(f.model, f.fit, 0, 10'000, options, threads).codes, whole.codes);
  }
}

TEST(ModelRows, RowsBeyondTheTableAreRefused) {
  const Fitted& f = fitted();
  DrawOptions options;
  options.total_rows = 100;
  message_of(ErrorCode::kInvalidArgument, [&] { draw_rows(f.model, f.fit, 90, 11, options, {}); });
  EXPECT_EQ(draw_rows(f.model, f.fit, 90, 0, options, {}).rows, 0U);
}

TEST(ModelRows, ShorterTablesArePolished) {
  const Fitted& f = fitted();
  const CodedRows fewer = shrink_rows(f.targets, f.fit, 500, 1);
  ASSERT_TRUE(codes_fit(fewer, kSizes));
  EXPECT_LT(mean_distance(f.targets, f.real, fewer),
            0.7 * mean_distance(f.targets, f.real, part(f.fit.polished, 0, 500)));
  EXPECT_EQ(shrink_rows(f.targets, f.fit, 0, 1).rows, 0U);
}

TEST(ConditionalRows, RowsMeetTheirConditions) {
  const Fitted& f = fitted();
  const std::vector<CodeCondition> conditions = {{2, {1}}, {3, {2, 3, 4}}, {0, {1, 2}}};
  for (const std::size_t count : {std::size_t{10}, std::size_t{3000}, std::size_t{200'000}}) {
    const ConditionalRows drawn = draw_from(f.model, f.fit, conditions, count, 1);
    ASSERT_EQ(drawn.rows.rows, count);
    EXPECT_FALSE(drawn.unlikely);
    for (std::size_t r = 0; r < count; ++r) {
      const auto row = drawn.rows.row(r);
      ASSERT_TRUE(row[2] == 1 && row[3] >= 2 && row[3] <= 4 && (row[0] == 1 || row[0] == 2));
    }
  }
}

TEST(ConditionalRows, OtherColumnsFollowTheCondition) {
  const Fitted& f = fitted();
  CodedRows matching(0, kSizes.size());
  for (std::size_t r = 0; r < f.real.rows; ++r) {
    if (f.real.row(r)[3] == 14) {
      matching.codes.insert(matching.codes.end(), f.real.row(r).begin(), f.real.row(r).end());
      ++matching.rows;
    }
  }
  // Few rows are picked, many are clamped; both are near the real rows with that code, which the
  // others are far from.
  for (const std::size_t count : {matching.rows / 2, 400 * matching.rows}) {
    const ConditionalRows drawn = draw_from(f.model, f.fit, {{3, {14}}}, count, 1, {});
    EXPECT_LT(mean_distance(f.targets, matching, drawn.rows), 0.2) << count;
    EXPECT_NEAR(drawn.probability, static_cast<double>(matching.rows) / 4000.0, 0.02);
  }
  EXPECT_GT(mean_distance(f.targets, matching, f.real), 0.4);
}

TEST(ConditionalRows, RowsOfTheTableAreTakenWithoutAModelAndNoneTwice) {
  const Fitted& f = fitted();
  const std::vector<CodeCondition> conditions = {{2, {1}}, {0, {1, 2}}};
  CodedRows matching(0, kSizes.size());
  for (std::size_t r = 0; r < f.fit.polished.rows; ++r) {
    const auto row = f.fit.polished.row(r);
    if (row[2] == 1 && (row[0] == 1 || row[0] == 2)) {
      matching.codes.insert(matching.codes.end(), row.begin(), row.end());
      ++matching.rows;
    }
  }
  ASSERT_GT(matching.rows, 100U);
  const ModelSource none = []() -> const PairwiseModel& {
    throw Error(ErrorCode::kInvalidArgument, "a model was asked for");
  };
  const ConditionalRows all =
      draw_where(f.targets, SearchableFit(f.fit), none, conditions, matching.rows, 3, {});
  const auto sorted = [](const CodedRows& rows) {
    std::vector<std::vector<std::uint16_t>> result;
    for (std::size_t r = 0; r < rows.rows; ++r) {
      result.emplace_back(rows.row(r).begin(), rows.row(r).end());
    }
    std::sort(result.begin(), result.end());
    return result;
  };
  EXPECT_EQ(sorted(all.rows), sorted(matching));
  message_of(ErrorCode::kInvalidArgument, [&] {
    draw_where(f.targets, SearchableFit(f.fit), none, conditions, matching.rows + 1, 3, {});
  });
  message_of(ErrorCode::kInvalidArgument, [&] {
    draw_where(f.targets, SearchableFit(f.fit), none, conditions, 1, 3, {}, false);  // taken before
  });
}

TEST(ConditionalRows, CodesCountByTheirShares) {
  const Fitted& f = fitted();
  // Of code 9 all rows, of code 10 a quarter: the same from the table and clamped.
  const std::vector<CodeCondition> conditions = {{3, {9, 10}, {0.2, 0.05}}};
  const auto count_of = [](const CodedRows& rows, std::size_t code) {
    std::size_t count = 0;
    for (std::size_t r = 0; r < rows.rows; ++r) {
      count += rows.row(r)[3] == code ? 1 : 0;
    }
    return static_cast<double>(count);
  };
  const double expected =
      f.fit.averages[3][9] / (f.fit.averages[3][9] + 0.25 * f.fit.averages[3][10]);
  for (const std::size_t count : {std::size_t{200}, std::size_t{40'000}}) {
    const CodedRows rows = draw_from(f.model, f.fit, conditions, count, 1).rows;
    EXPECT_EQ(count_of(rows, 9) + count_of(rows, 10), static_cast<double>(count));
    EXPECT_NEAR(count_of(rows, 9) / static_cast<double>(count), expected,
                count == 200 ? 0.15 : 0.04)
        << count;
  }
}

TEST(PairwiseModel, PotentialsOfFewerRowsGiveAlikeRows) {
  const Fitted& f = fitted();
  PairwiseModelOptions options;
  options.iterations = 40;
  options.rows = 1000;
  const PairwiseModel part = PairwiseModel::fit(f.targets, f.fit, options, {});
  DrawOptions draw;
  draw.polish_sweeps = 0;
  draw.sweeps = 20;
  EXPECT_LT(mean_distance(f.targets, draw_rows(f.model, f.fit, 0, 40'000, draw, {}),
                          draw_rows(part, f.fit, 0, 40'000, draw, {})),
            0.05);
}

TEST(ConditionalRows, WhatTheModelDoesNotHoldIsMarked) {
  // Column 1 repeats column 0, so they cannot differ.
  CodedRows real = dependent_rows(2000, {8, 8, 3}, 1);
  for (std::size_t r = 0; r < real.rows; ++r) {
    real.row(r)[1] = real.row(r)[0];
  }
  const CliqueTargets targets = targets_of(real, {8, 8, 3}, 20.0);
  const TableFit fit = fit_table(targets, {}, {});
  const PairwiseModel model = PairwiseModel::fit(targets, fit, {1, 40}, {});
  const ConditionalRows drawn = draw_from(model, fit, {{0, {1}}, {1, {6}}}, 50, 1, {});
  EXPECT_TRUE(drawn.unlikely);
  EXPECT_LT(drawn.probability, 2.5e-4);
  ASSERT_EQ(drawn.rows.rows, 50U);
  for (std::size_t r = 0; r < 50; ++r) {
    EXPECT_EQ(drawn.rows.row(r)[0], 1);
    EXPECT_EQ(drawn.rows.row(r)[1], 6);
  }
}

TEST(ConditionalRows, TheSeedAndNotTheThreadsDecide) {
  const Fitted& f = fitted();
  Context threads;
  threads.threads = 3;
  for (const std::size_t count : {std::size_t{20}, std::size_t{5000}, std::size_t{100'000}}) {
    EXPECT_EQ(draw_from(f.model, f.fit, {{3, {2}}}, count, 4, {}).rows.codes,
              draw_from(f.model, f.fit, {{3, {2}}}, count, 4, threads).rows.codes);
  }
}

TEST(ConditionalRows, BadConditionsAreRefused) {
  const Fitted& f = fitted();
  const auto refuses = [&](const std::vector<CodeCondition>& conditions, const char* word) {
    expect_mentions(message_of(ErrorCode::kInvalidArgument,
                               [&] { draw_from(f.model, f.fit, conditions, 5, 1, {}); }),
                    {word});
  };
  refuses({{9, {0}}}, "does not have");
  refuses({{0, {}}}, "no code");
  refuses({{0, {7}}}, "does not have");
  refuses({{0, {1}}, {0, {2}}}, "second");
  EXPECT_EQ(draw_from(f.model, f.fit, {}, 5, 1, {}).rows.rows, 5U);
}

}  // namespace model_rows_test
}  // namespace mehler
