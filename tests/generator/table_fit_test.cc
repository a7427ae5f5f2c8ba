#include "mehler/generator/fitted_table/table_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "mehler/generator/fitted_table/conditional_rows.h"
#include "mehler/generator/fitted_table/model_rows.h"
#include "mehler/generator/fitted_table/pairwise_model.h"
#include "testing/coded_tables.h"
#include "tests/support/errors.h"

namespace mehler {
namespace table_fit_test {

const std::vector<std::size_t> kSizes = {4, 9, 2, 16, 23, 6};

std::size_t count_of(const CodedRows& rows, std::size_t column, std::uint16_t code) {
  std::size_t count = 0;
  for (std::size_t r = 0; r < rows.rows; ++r) {
    count += rows.row(r)[column] == code ? 1 : 0;
  }
  return count;
}

TEST(TableFit, ReproducesThePairsOfATable) {
  const CodedRows real = dependent_rows(4000, kSizes, 1);
  const CliqueTargets targets = targets_of(real, kSizes, 1.0);
  const TableFit fit = fit_table(targets, {}, {});
  ASSERT_TRUE(codes_fit(fit.polished, kSizes));
  EXPECT_EQ(fit.polished.rows, 4000U);
  EXPECT_LT(mean_distance(targets, real, fit.polished), 0.012);
  EXPECT_FALSE(fit.slow_mixing);
  EXPECT_LT(fit.energy.back(), 0.05 * fit.energy.front());
}

TEST(TableFit, MeetsStiffTargetsAsCloselyAsSoftOnes) {
  // Weights of 1,000 on every pair would freeze the rows: the goals move instead.
  const CodedRows real = dependent_rows(4000, kSizes, 1);
  const CliqueTargets stiff = targets_of(real, kSizes, 1000.0);
  EXPECT_LT(mean_distance(stiff, real, fit_table(stiff, {}, {}).polished), 0.008);
}

/// 2,000 rows of two columns of four codes, which the target says are often equal.
CliqueTargets equal_columns(double weight) {
  CliqueTargets targets{{4, 4}, 2000, {}};
  targets.cliques.push_back({{0}, 1.0, std::vector<double>(4, 500.0)});
  targets.cliques.push_back({{1}, 1.0, std::vector<double>(4, 500.0)});
  targets.cliques.push_back({{0, 1}, weight, std::vector<double>(16, 50.0)});
  for (std::size_t code = 0; code < 4; ++code) {
    targets.cliques[2].target[5 * code] = 350.0;
  }
  return targets;
}

TEST(TableFit, MeetsTheMomentsOfPairsWhoseCellsHaveLittleWeight) {
  for (const double weight : {1e-4, 1e-2, 100.0}) {
    CliqueTargets targets = equal_columns(weight);
    CliqueTarget& pair = targets.cliques[2];
    const double unit = std::sqrt(1.25);
    pair.first_scores = pair.second_scores = {-1.5 / unit, -0.5 / unit, 0.5 / unit, 1.5 / unit};
    const double wanted = pair.moment(pair.target);
    EXPECT_NEAR(wanted, 1200.0, 1e-9);
    const double without = pair.moment(fit_table(targets, {}, {}).averages[2]);
    pair.moment_weight = 1.0;
    const double with = pair.moment(fit_table(targets, {}, {}).averages[2]);
    EXPECT_NEAR(with, wanted, 0.05 * wanted) << weight;
    EXPECT_GE(with, without - 0.01 * wanted) << weight;
    if (weight < 1e-3) {
      EXPECT_LT(without, 0.2 * wanted);
    }
    // A weight that is as large as the moment's own spread by chance gives half of it.
    if (weight < 1e-3) {
      pair.moment_weight = 1.0 / 2000.0;
      EXPECT_NEAR(pair.moment(fit_table(targets, {}, {}).averages[2]), 0.5 * wanted, 0.1 * wanted);
    }
  }
}

TEST(TableFit, RefusesMomentsWithoutScores) {
  CliqueTargets targets = equal_columns(1.0);
  targets.cliques[2].moment_weight = 1.0;
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { fit_table(targets, {}, {}); }),
                  {"score"});
  targets.cliques[2].moment_weight = std::numeric_limits<double>::quiet_NaN();
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { fit_table(targets, {}, {}); }),
                  {"moment"});
  targets.cliques[2].moment_weight = -1.0;
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { fit_table(targets, {}, {}); }),
                  {"moment"});
}

TEST(TableFit, PolishingBringsTheTableToItsAverages) {
  const CliqueTargets targets = targets_of(dependent_rows(4000, kSizes, 1), kSizes, 0.02);
  const TableFit fit = fit_table(targets, {}, {});
  const auto distance = [&](const CodedRows& rows) {
    CliqueValues counts = zero_values(targets);
    add_counts(targets, rows, 0, rows.rows, 1.0, counts);
    double sum = 0.0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      for (std::size_t i = 0; i < counts[k].size(); ++i) {
        sum += std::abs(counts[k][i] - fit.averages[k][i]);
      }
    }
    return sum;
  };
  EXPECT_LT(distance(fit.polished), 0.4 * distance(fit.chain));
}

TEST(TableFit, TheSeedAndNotTheThreadsDecide) {
  const CliqueTargets targets = targets_of(dependent_rows(3000, kSizes, 1), kSizes, 1.0);
  TableFitOptions options;
  options.chains = 4;
  Context threads;
  threads.threads = 3;
  const TableFit one = fit_table(targets, options, {});
  const TableFit three = fit_table(targets, options, threads);
  EXPECT_EQ(one.polished.codes, three.polished.codes);
  EXPECT_EQ(one.averages, three.averages);
  EXPECT_EQ(one.energy, three.energy);
  options.seed = 2;
  EXPECT_NE(one.polished.codes, fit_table(targets, options, {}).polished.codes);
}

TEST(TableFit, PartsOfATableAreFittedToTheirShare) {
  const CodedRows real = dependent_rows(6000, kSizes, 1);
  const CliqueTargets targets = targets_of(real, kSizes, 1.0);
  TableFitOptions options;
  options.chains = 3;
  EXPECT_LT(mean_distance(targets, real, fit_table(targets, options, {}).polished), 0.015);
}

TEST(TableFit, CliquesWithoutWeightAreAveragedToo) {
  CliqueTargets targets = targets_of(dependent_rows(2000, {4, 5}, 1), {4, 5}, 1.0);
  targets.cliques[2].weight = 0.0;
  const TableFit fit = fit_table(targets, {}, {});
  double total = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      const double average = fit.averages[2][5 * i + j];
      total += average;
      // Nothing ties the columns, so the cell is the product of its margins, with a standard error
      // below 10 in 2000 rows averaged over 8 sweeps.
      EXPECT_NEAR(average, fit.averages[0][i] * fit.averages[1][j] / 2000.0, 60.0);
    }
  }
  EXPECT_NEAR(total, 2000.0, 1e-9);
}

/// Mean over the pairs of half the L1 distance between averages and targets, as shares.
double distance_of_averages(const CliqueTargets& targets, const CliqueValues& averages) {
  double sum = 0.0;
  for (std::size_t k = targets.sizes.size(); k < averages.size(); ++k) {
    for (std::size_t i = 0; i < averages[k].size(); ++i) {
      sum += 0.5 * std::abs(averages[k][i] - targets.cliques[k].target[i]);
    }
  }
  return sum / static_cast<double>(targets.rows * (averages.size() - targets.sizes.size()));
}

TEST(TableFit, FewRowsStandForMany) {
  const std::vector<std::size_t> sizes = {8, 8, 6, 12, 5, 9};
  const CliqueTargets all = targets_of(dependent_rows(100'000, sizes, 3), sizes, 10.0);
  const CliqueTargets targets = scaled_targets(all, 2000);
  TableFitOptions options;
  options.average_sweeps = 16;
  const TableFit fit = fit_table(targets, options, {});
  EXPECT_LT(distance_of_averages(targets, fit.averages), 0.01);
  EXPECT_FALSE(fit.slow_mixing);
}

/// Column 2 says whether columns 0 and 1 differ: every pair looks independent.
TEST(TableFit, TriplesAreFitted) {
  const std::vector<std::size_t> sizes = {2, 2, 2, 5};
  CodedRows real = dependent_rows(2000, sizes, 1);
  SeededRandom random(1);
  for (std::size_t r = 0; r < real.rows; ++r) {
    const auto row = real.row(r);
    row[0] = random.flip(0.5) ? 1 : 0;
    row[1] = random.flip(0.5) ? 1 : 0;
    row[2] = row[0] ^ row[1];
  }
  CliqueTargets targets = targets_of(real, sizes, 1.0);
  targets.cliques.push_back({{0, 1, 2}, 1.0, {500, 0, 0, 500, 0, 500, 500, 0}});
  const TableFit fit = fit_table(targets, {}, {});
  const PairwiseModel model = PairwiseModel::fit(targets, fit, {1, 40}, {});
  DrawOptions unpolished;
  unpolished.polish_sweeps = 0;
  for (const CodedRows& rows :
       {fit.polished, draw_rows(model, fit, 0, 2000, unpolished, Context{})}) {
    std::size_t kept = 0;
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const auto row = rows.row(r);
      kept += row[2] == (row[0] ^ row[1]) ? 1 : 0;
    }
    EXPECT_GT(kept, 1950U);  // by pairs alone about 1000
  }
}

TEST(TableFit, ARareClassSurvives) {
  CodedRows real = dependent_rows(8000, {6, 5, 2}, 1);
  for (std::size_t r = 0; r < real.rows; ++r) {
    real.row(r)[2] = r < 40 ? 1 : 0;
  }
  const TableFit fit = fit_table(targets_of(real, {6, 5, 2}, 1.0), {}, {});
  EXPECT_NEAR(static_cast<double>(count_of(fit.polished, 2, 1)), 40.0, 2.0);
}

TEST(TableFit, IdenticalColumnsStayIdentical) {
  CodedRows real = dependent_rows(3000, {12, 12, 3}, 1);
  for (std::size_t r = 0; r < real.rows; ++r) {
    real.row(r)[1] = real.row(r)[0];
  }
  const TableFit fit = fit_table(targets_of(real, {12, 12, 3}, 20.0), {}, {});
  std::size_t same = 0;
  for (std::size_t r = 0; r < real.rows; ++r) {
    same += fit.polished.row(r)[0] == fit.polished.row(r)[1] ? 1 : 0;
  }
  EXPECT_GT(same, 2970U);
}

TEST(TableFit, ColumnsInCorrespondenceWith500CodesAreMatched) {
  CodedRows real = dependent_rows(5000, {500, 500}, 1);
  for (std::size_t r = 0; r < real.rows; ++r) {
    real.row(r)[1] = static_cast<std::uint16_t>((7 * real.row(r)[0] + 3) % 500);
  }
  const TableFit fit = fit_table(targets_of(real, {500, 500}, 20.0), {}, {});
  std::size_t matched = 0;
  for (std::size_t r = 0; r < real.rows; ++r) {
    matched += (7 * fit.polished.row(r)[0] + 3) % 500 == fit.polished.row(r)[1] ? 1 : 0;
  }
  EXPECT_GT(matched, 3500U);  // of independent columns 10 would be
}

TEST(TableFit, CellsThatShouldBeEmptyAreNotFilledByChanceAlone) {
  // All records are alike: of 16 codes 15 have none, and 2,000 rows could take any of these.
  const CodedRows real(2000, 1);
  const TableFit fit = fit_table(targets_of(real, {16}, 1.0), {}, {});
  EXPECT_GT(fit.averages[0][0], 1998.0);
  EXPECT_GE(std::count(fit.polished.codes.begin(), fit.polished.codes.end(), 0), 1999);
}

TEST(TableFit, TwoEqualColumnsStayEqualWhereThePairIsPrecise) {
  for (const std::size_t rows : {500, 2000}) {
    CodedRows real = dependent_rows(rows, {16, 16}, 1);
    for (std::size_t r = 0; r < rows; ++r) {
      real.row(r)[1] = real.row(r)[0];
    }
    const TableFit fit = fit_table(targets_of(real, {16, 16}, 1e4), {}, {});
    std::size_t unequal = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      unequal += fit.polished.row(r)[0] == fit.polished.row(r)[1] ? 0 : 1;
    }
    EXPECT_LT(unequal, 12U) << rows;  // 8; where chance among the cells decides, more than 20
  }
}

TEST(TableFit, SaysWhenItHasNotSettled) {
  // Columns of 200 codes that determine one another, begun without time to cool or to settle.
  const std::vector<std::size_t> sizes(6, 200);
  CodedRows real(20'000, sizes.size());
  for (std::size_t r = 0; r < real.rows; ++r) {
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      real.row(r)[c] = static_cast<std::uint16_t>((7 * c * r + r) % 200);
    }
  }
  const CliqueTargets targets = targets_of(real, sizes, 50.0);
  TableFitOptions hasty;
  hasty.anneal_sweeps = 1;
  hasty.settling_sweeps = 0;
  hasty.extra_rounds = 0;
  EXPECT_TRUE(fit_table(targets, hasty, {}).slow_mixing);
  hasty.extra_rounds = 2;
  const TableFit longer = fit_table(targets, hasty, {});
  EXPECT_GT(longer.energy.size(), std::size_t{1 + 8});
}

TEST(TableFit, TwoHundredColumnsWork) {
  const std::vector<std::size_t> sizes(200, 3);
  const CodedRows real = dependent_rows(200, sizes, 1);
  CliqueTargets targets = targets_of(real, sizes, 0.5);
  // One stored float per cell and orientation, rounded up to blocks.
  EXPECT_LT(table_fit_bytes(targets), std::size_t{8} << 20);
  TableFitOptions quick;
  quick.anneal_sweeps = 4;
  quick.average_sweeps = 4;
  const TableFit fit = fit_table(targets, quick, {});
  EXPECT_LT(mean_distance(targets, real, fit.polished), 0.1);
  for (std::size_t k = 200; k < targets.cliques.size(); ++k) {
    targets.cliques[k].weight = 0.0;
  }
  targets.cliques.resize(200);
  EXPECT_LT(table_fit_bytes(targets), std::size_t{1} << 19);
}

struct OddTargets {
  const char* name;
  std::vector<std::size_t> sizes;
  std::size_t rows;
  double weight;
  double (*count)(std::size_t clique, std::size_t cell);
};

TEST(TableFit, OddTargetsGiveATable) {
  const auto zero = [](std::size_t, std::size_t) { return 0.0; };
  const auto negative = [](std::size_t, std::size_t) { return -5.0; };
  const auto conflicting = [](std::size_t clique, std::size_t cell) {
    return cell == clique % 3 ? 1000.0 : -200.0;
  };
  const auto huge = [](std::size_t, std::size_t cell) { return cell == 0 ? 1e15 : -1e15; };
  for (const OddTargets& odd :
       std::initializer_list<OddTargets>{{"one column", {5}, 100, 1.0, zero},
                                         {"one code", {1, 4}, 50, 1.0, zero},
                                         {"one code alone", {1}, 50, 1.0, zero},
                                         {"one row", {3, 4}, 1, 1.0, zero},
                                         {"three rows", {3, 4, 2}, 3, 1.0, negative},
                                         {"all zero", {3, 20}, 100, 1.0, zero},
                                         {"negative", {3, 20}, 100, 1.0, negative},
                                         {"conflicting", {3, 20, 4}, 100, 1.0, conflicting},
                                         {"tiny weights", {3, 20}, 100, 1e-12, conflicting},
                                         {"vanishing weights", {3, 20}, 100, 1e-300, conflicting},
                                         {"large weights", {3, 20}, 100, 1e6, conflicting},
                                         {"largest weights", {3, 20}, 100, 1e12, huge}}) {
    CliqueTargets targets = all_pairs(odd.sizes, odd.rows, odd.weight);
    for (std::size_t k = 0; k < targets.cliques.size(); ++k) {
      targets.cliques[k].weight = odd.weight;
      for (std::size_t i = 0; i < targets.cliques[k].target.size(); ++i) {
        targets.cliques[k].target[i] = odd.count(k, i);
      }
    }
    const TableFit fit = fit_table(targets, {}, {});
    EXPECT_EQ(fit.polished.rows, odd.rows) << odd.name;
    EXPECT_TRUE(codes_fit(fit.polished, odd.sizes)) << odd.name;
    for (const double energy : fit.energy) {
      EXPECT_TRUE(std::isfinite(energy)) << odd.name;
    }
  }
}

TEST(TableFit, BadTargetsAndOptionsAreRefused) {
  const CliqueTargets good = all_pairs({3, 4}, 10, 1.0);
  const auto refuses = [&](const std::function<void(CliqueTargets&)>& spoil, const char* word) {
    CliqueTargets bad = good;
    spoil(bad);
    expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { fit_table(bad, {}, {}); }),
                    {word});
  };
  refuses([](CliqueTargets& t) { t.rows = 0; }, "row");
  refuses([](CliqueTargets& t) { t.sizes[0] = 0; }, "codes");
  refuses([](CliqueTargets& t) { t.sizes[0] = 70'000; }, "65536");
  refuses([](CliqueTargets& t) { t.cliques[2].weight = -1.0; }, "weight");
  refuses([](CliqueTargets& t) { t.cliques[2].weight = std::nan(""); }, "weight");
  refuses([](CliqueTargets& t) { t.cliques[2].target[0] = std::nan(""); }, "counts");
  refuses(
      [](CliqueTargets& t) { t.cliques[2].target[0] = std::numeric_limits<double>::infinity(); },
      "counts");
  refuses([](CliqueTargets& t) { t.cliques[2].target.pop_back(); }, "cells");
  refuses([](CliqueTargets& t) { t.cliques[2].columns = {1, 0}; }, "ascending");
  refuses([](CliqueTargets& t) { t.cliques.push_back(t.cliques[2]); }, "second time");
  refuses([](CliqueTargets& t) { std::swap(t.cliques[0], t.cliques[1]); }, "1-way");
  TableFitOptions options;
  options.start_temperature = std::nan("");
  message_of(ErrorCode::kInvalidArgument, [&] { fit_table(good, options, {}); });
  options = {};
  options.polish_sweeps = 0;
  message_of(ErrorCode::kInvalidArgument, [&] { fit_table(good, options, {}); });
}

TEST(TableFit, TellsHowFarItIsAndStopsOnRequest) {
  const CliqueTargets targets = targets_of(dependent_rows(500, {3, 4}, 1), {3, 4}, 1.0);
  std::atomic<bool> cancelled{false};
  Context context;
  context.cancelled = &cancelled;
  double last = 0.0;
  context.progress = [&](const Progress& progress) {
    EXPECT_GE(progress.fraction, last);
    last = progress.fraction;
  };
  fit_table(targets, {}, context);
  EXPECT_EQ(last, 1.0);
  cancelled = true;
  message_of(ErrorCode::kCancelled, [&] { fit_table(targets, {}, context); });
}

/// Targets of dependent rows in which a code of column 0 never stands beside some of column 1, of a
/// pair that was measured, and one of column 2 beside some of 4 and 5, of a triple that was not.
CliqueTargets targets_with_zeros(std::size_t rows) {
  CliqueTargets targets = targets_of(dependent_rows(rows, kSizes, 1), kSizes, 1.0);
  for (CliqueTarget& clique : targets.cliques) {
    if (clique.columns == std::vector<std::size_t>{0, 1}) {
      clique.forbidden.assign(clique.target.size(), false);
      for (const std::size_t code : {3, 4, 5}) {
        clique.forbidden[1 * kSizes[1] + code] = true;
      }
    }
  }
  CliqueTarget triple{{2, 4, 5}, 0.0, std::vector<double>(2 * 23 * 6, 0.0)};
  triple.forbidden.assign(triple.target.size(), false);
  for (std::size_t code = 0; code < 12; ++code) {
    triple.forbidden[(1 * kSizes[4] + code) * kSizes[5] + 2] = true;
  }
  targets.cliques.push_back(triple);
  return targets;
}

std::size_t forbidden_rows(const CliqueTargets& targets, const CodedRows& rows) {
  CliqueValues counts = zero_values(targets);
  add_counts(targets, rows, 0, rows.rows, 1.0, counts);
  double found = 0.0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    for (std::size_t i = 0; i < targets.cliques[k].forbidden.size(); ++i) {
      found += targets.cliques[k].forbidden[i] ? counts[k][i] : 0.0;
    }
  }
  return static_cast<std::size_t>(found);
}

TEST(TableFit, NoRowIsEverInAForbiddenCell) {
  const CliqueTargets targets = targets_with_zeros(2000);
  // The rows that the targets count are in forbidden cells.
  EXPECT_GT(forbidden_rows(targets, dependent_rows(2000, kSizes, 1)), 20U);
  const TableFit fit = fit_table(targets, {}, {});
  EXPECT_EQ(forbidden_rows(targets, fit.chain), 0U);
  EXPECT_EQ(forbidden_rows(targets, fit.polished), 0U);
  EXPECT_TRUE(std::isfinite(fit.energy.back()));
  EXPECT_EQ(forbidden_rows(targets, shrink_rows(targets, fit, 300, 1)), 0U);
  const PairwiseModel model = PairwiseModel::fit(targets, fit, {}, {});
  for (const std::vector<double>& potentials : model.potentials()) {
    EXPECT_TRUE(std::all_of(potentials.begin(), potentials.end(),
                            [](double value) { return std::isfinite(value); }));
  }
  EXPECT_EQ(forbidden_rows(targets, draw_rows(model, fit, 0, 3000, {}, {})), 0U);
  // Many rows, few, and rare ones, which are clamped.
  const std::vector<std::vector<CodeCondition>> conditions = {
      {{0, {1}}}, {{1, {4}}}, {{2, {1}}, {5, {2}}}, {{0, {1}}, {1, {2}}, {3, {15}}}};
  const SearchableFit searchable(fit);
  const auto at_hand = [&]() -> const PairwiseModel& { return model; };
  for (const std::vector<CodeCondition>& condition : conditions) {
    const ConditionalRows drawn = draw_where(targets, searchable, at_hand, condition, 500, 1, {});
    EXPECT_EQ(drawn.rows.rows, 500U);
    EXPECT_EQ(forbidden_rows(targets, drawn.rows), 0U);
  }
  // Conditions that nothing can meet are very unlikely.
  EXPECT_TRUE(draw_where(targets, searchable, at_hand, {{0, {1}}, {1, {4}}}, 10, 1, {}).unlikely);
}

}  // namespace table_fit_test
}  // namespace mehler
