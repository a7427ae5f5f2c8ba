#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "mehler/core/seeded_random.h"
#include "mehler/demo/people.h"
#include "mehler/estimation/network_growth.h"
#include "mehler/evaluation/release/release_agreement.h"
#include "mehler/generator/bayes_network/bayes_network_generator.h"
#include "mehler/generator/fitted_table/table_generator.h"
#include "mehler/release/payload.h"
#include "mehler/report/release_report.h"
#include "mehler/synthesis/methods.h"
#include "mehler/synthesis/privbayes/network_candidates.h"
#include "mehler/synthesis/privbayes/release_privbayes.h"
#include "mehler/table/table_stream.h"
#include "tests/support/counted_table.h"
#include "tests/support/errors.h"

namespace mehler {
namespace privbayes_test {

using Records = std::vector<std::vector<std::int64_t>>;

/// c2 is c0 xor c1, c3 is like c0, c1 is a coin: pairs alone do not tell c2.
Records entangled(std::size_t rows) {
  SeededRandom random(7);
  Records records;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto a = static_cast<std::int64_t>(random.next_word() % 2);
    const auto b = static_cast<std::int64_t>(random.next_word() % 2);
    records.push_back({a, b, a ^ b, random.flip(0.9) ? a : 1 - a});
  }
  return records;
}

Release release_of(const Schema& schema, const Table& table, double epsilon,
                   const PrivBayesOptions& options = {}) {
  ArrowArrayStream stream = arrow_stream_of({table});
  Accountant accountant({.epsilon = epsilon, .delta = 1e-6});
  return release_privbayes(PrivateTable(&stream, schema), options, accountant, Context{});
}

const Release& entangled_release() {
  static const Release made = [] {
    const Schema schema = schema_of_categories({2, 2, 2, 2}, R"("target": "c0", )");
    return release_of(schema, table_of(schema, entangled(4000)), 4.0);
  }();
  return made;
}

/// How many rows of a sample have c2 = c0 xor c1.
double share_of_xor(const Generator& generator) {
  const Table table = generator.sample(2000);
  const auto codes = [&](std::size_t c) {
    return std::get<std::vector<std::string>>(table.columns[c].values);
  };
  double kept = 0.0;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    kept += (codes(0)[r] != codes(1)[r]) == (codes(2)[r] == "1") ? 1.0 : 0.0;
  }
  return kept / 2000.0;
}

// Noise of sigma 5 against counts of 1,000: a failure has a probability far below 1e-9.
TEST(PrivBayes, FindsWhatPairsDoNotTell) {
  const auto generator = fit(entangled_release());
  EXPECT_GT(share_of_xor(*generator), 0.97);
  FitRequest as_table;
  as_table.options.add("model", "table");
  EXPECT_GT(share_of_xor(*fit(entangled_release(), as_table)), 0.9);
}

TEST(PrivBayes, StatesItsChoicesAndSpendsTheBudget) {
  const PrivacyStatement& statement = entangled_release().statement();
  std::size_t choices = 0;
  double of_choices = 0.0;
  for (const Charge& charge : statement.charges) {
    if (const auto* selection = std::get_if<Selection>(&charge)) {
      ++choices;
      of_choices += selection->mu_squared();
      EXPECT_GT(selection->candidates, 1u);
    }
  }
  EXPECT_EQ(choices, 3u);  // 3, 6 and 7 candidates
  EXPECT_NEAR(of_choices / gaussian_mu_squared(statement.charges), 0.10, 1e-6);
  EXPECT_NEAR(statement.epsilon_spent(), 4.0, 1e-6);
  const std::string words = text_of(entangled_release(), "r", true);
  expect_mentions(words, {"chosen among 3 by the exponential mechanism", "It matches",
                          "cells of a column, columns", "network"});
}

TEST(PrivBayes, TheTargetIsTheRootAndConditionsOnItAreExact) {
  const BayesNetworkGenerator generator(entangled_release());
  EXPECT_EQ(generator.columns().front().column, 0u);
  SampleOptions options;
  options.rows = 500;
  options.where = {SampleCondition("c0", "1"), SampleCondition("c1", "0")};
  std::size_t rows = 0;
  generator.sample(options, Context{}, [&](const Table& table) {
    for (std::size_t r = 0; r < table.rows(); ++r) {
      EXPECT_EQ(std::get<std::vector<std::string>>(table.columns[0].values)[r], "1");
      EXPECT_EQ(std::get<std::vector<std::string>>(table.columns[1].values)[r], "0");
    }
    rows += table.rows();
  });
  EXPECT_EQ(rows, 500u);
  message_of(ErrorCode::kInvalidArgument,
             [&] { generator.check_conditions({SampleCondition("c0", "2")}); });
}

TEST(PrivBayes, WorksWithoutATargetWithOneColumnAndWithNoRecords) {
  const Schema without_target = schema_of_categories({3, 2, 1});
  const Release release = release_of(without_target, table_of(without_target, {{0, 1, 0}}), 1.0);
  EXPECT_EQ(fit(release)->sample(50).rows(), 50u);
  const Schema one = schema_of_categories({3});
  const Release of_one = release_of(one, table_of(one, {{0}, {2}}), 1.0);
  EXPECT_NEAR(of_one.statement().epsilon_spent(), 1.0, 1e-6);
  EXPECT_EQ(fit(of_one)->sample(50).rows(), 50u);
  const Release of_none = release_of(without_target, table_of(without_target, {}), 1.0);
  EXPECT_EQ(fit(of_none)->sample(50).rows(), 50u);
}

Schema published_schema() {
  return schema_of_categories({2, 2, 2, 2}, R"("target": "c0", "relation": "replace-one", )");
}

const Release& published_release() {
  static const Release made = [] {
    PrivBayesOptions options;
    options.published = true;
    return release_of(published_schema(), table_of(published_schema(), entangled(4000)), 4.0,
                      options);
  }();
  return made;
}

TEST(PrivBayes, ThePublishedProtocolStatesThePrivacyThatItHas) {
  const PrivacyStatement& statement = published_release().statement();
  EXPECT_EQ(statement.noise_of(0).sensitivity, 2.0);
  // Laplace noise of 4 d / epsilon on 4 tables.
  EXPECT_NEAR(std::get<LaplaceSums>(statement.charges[0]).scale, 4.0, 1e-6);
  expect_mentions(
      published_release().in_words(),
      // A half of 4 on tables; a quarter on choices, of which the last has one candidate.
      {"delta is 0 with epsilon 2.667.", "published accounting"});
  const Release back = Release::from_bytes(published_release().to_bytes(), "r");
  EXPECT_EQ(back.to_bytes(), published_release().to_bytes());
  expect_mentions(text_of(back, "r", true), {"Laplace, epsilon 0.5", "upper bound"});
}

// Noise of scale 4 against counts of 1,000.
TEST(PrivBayes, FindsTheSameByThePublishedProtocol) {
  const auto generator = fit(published_release());
  EXPECT_GT(share_of_xor(*generator), 0.95);
  ReleaseComparison comparison(published_release(), Context{});
  ArrowArrayStream stream = arrow_stream_of({generator->sample(4000)});
  comparison.add(RecordStream(&stream));
  EXPECT_LT(comparison.agreement().counts.front().error, 0.05);
}

TEST(PrivBayes, AReleaseWithLessNoiseThanStatedIsRefused) {
  PrivacyStatement statement = published_release().statement();
  for (Charge& charge : statement.charges) {
    if (auto* laplace = std::get_if<LaplaceSums>(&charge)) {
      laplace->scale /= 2.0;
    }
  }
  expect_mentions(message_of(ErrorCode::kInvalidRelease,
                             [&] {
                               Release("privbayes", published_release().schema(),
                                       published_release().payload(), statement);
                             }),
                  {"epsilon"});
  statement = entangled_release().statement();
  std::get<Selection>(statement.charges.back()).epsilon *= 1.1;
  message_of(ErrorCode::kInvalidRelease, [&] {
    Release("privbayes", entangled_release().schema(), entangled_release().payload(), statement);
  });
  statement = published_release().statement();
  std::get<LaplaceSums>(statement.charges[0]).sensitivity = 1.0;
  expect_mentions(message_of(ErrorCode::kInvalidRelease,
                             [&] {
                               Release("privbayes", published_release().schema(),
                                       published_release().payload(), statement);
                             }),
                  {"sensitivity"});
}

TEST(PrivBayes, RefusesWhatThePublishedProtocolIsNotFor) {
  OptionValues published;
  published.add("protocol", "published");
  const Method& method = find_method("privbayes");
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [&] {
                               method.check(schema_of_categories({2, 2}), published, {});
                             }),
                  {"replace-one", "add-remove-one", "option 'protocol'"});
  method.check(published_schema(), published, {});
}

TEST(PrivBayes, RefusesOptionsOutsideTheirRange) {
  const auto refused = [](const char* name, const char* value, const char* word) {
    OptionValues options;
    options.add("protocol", "published");
    options.replace(name, value);
    expect_mentions(
        message_of(ErrorCode::kInvalidArgument, [&] { PrivBayesOptions::parse(options); }), {word});
  };
  for (const char* value : {"0", "5", "-1", "two", "nan"}) {
    refused("parents", value, "parents");
  }
  for (const char* value : {"0", "1", "257", "x"}) {
    refused("ranges", value, "ranges");
  }
  for (const char* value : {"0", "-1", "nan", "inf", "1001", "x"}) {
    refused("theta", value, "theta");
  }
  refused("protocol", "else", "protocol");
  OptionValues own;
  own.add("theta", "4");
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { PrivBayesOptions::parse(own); }),
                  {"theta", "published"});
  EXPECT_EQ(PrivBayesOptions::parse({}).ranges, PrivBayesOptions().ranges);
}

TEST(PrivBayes, RefusesColumnsWithTooManyValuesBeforeItReads) {
  const Schema schema = schema_of_categories({20'001, 2});
  Accountant accountant({.epsilon = 1.0, .delta = 1e-6});
  ArrowArrayStream stream = arrow_stream_of({table_of(schema, {})});
  expect_mentions(
      message_of(
          ErrorCode::kInvalidArgument,
          [&] { release_privbayes(PrivateTable(&stream, schema), {}, accountant, Context{}); }),
      {"'c0'", "20001", "group"});
  EXPECT_TRUE(accountant.ledger().empty());
}

// Before: after records had been measured, for whose noise the budget was gone.
TEST(PrivBayes, RefusesNoiseAndChoicesThatCannotBeMadeBeforeItReads) {
  const auto refused = [](const Schema& schema, const PrivacyBudget& budget, bool is_published,
                          std::initializer_list<const char*> words) {
    PrivBayesOptions options;
    options.published = is_published;
    Accountant accountant(budget);
    ArrowArrayStream stream = arrow_stream_of({table_of(schema, {})});
    const std::string message = message_of(ErrorCode::kInvalidArgument, [&] {
      release_privbayes(PrivateTable(&stream, schema), options, accountant, Context{});
    });
    expect_mentions(message, words);
    EXPECT_EQ(message.find("spent"), std::string::npos) << message;
    EXPECT_TRUE(accountant.ledger().empty());
  };
  const Schema own = schema_of_categories({2, 3, 4});
  refused(own, {1e5, 1e-3}, false, {"'choice 1", "at most 1000"});
  refused(own, {1e-9, 1e-12}, false, {"can be drawn only within"});
  refused(schema_of_categories({2, 3}), {1e6, 1e-3}, false, {"can be drawn only within"});
  refused(schema_of_categories({2}), {1e6, 1e-3}, false, {"can be drawn only within"});
  const Schema published = published_schema();
  refused(published, {1e6, 1e-3}, true, {"Laplace noise of scale"});
  refused(published, {1e-9, 1e-12}, true, {"Laplace noise of scale"});
}

Schema schema_of_coins(std::size_t columns) {
  return schema_of_categories(std::vector<std::size_t>(columns, 2));
}

// Before: only when a choice had them, after tables had been measured and paid for.
TEST(PrivBayes, RefusesTooManyCandidatesBeforeItReads) {
  PrivBayesOptions three;
  three.parents = 3;
  EXPECT_NO_THROW(require_privbayes(schema_of_coins(40), three));
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [&] { require_privbayes(schema_of_coins(60), three); }),
                  {"200000", "60 columns", "3 parents", "'parents'"});
  EXPECT_NO_THROW(require_privbayes(schema_of_coins(890), {}));
  expect_mentions(
      message_of(ErrorCode::kInvalidArgument, [] { require_privbayes(schema_of_coins(900), {}); }),
      {"900 columns", "ignore columns"});
}

// 3 parents of 100 columns would be up to 1.7 million candidates.
TEST(PrivBayes, ThePublishedProtocolHasFewerParentsInWideTables) {
  PrivBayesOptions published;
  published.published = true;
  const Schema schema =
      schema_of_categories(std::vector<std::size_t>(70, 2), R"("relation": "replace-one", )");
  const Release release = release_of(
      schema, table_of(schema, Records(400, std::vector<std::int64_t>(70, 1))), 50.0, published);
  std::size_t most = 0;
  for (const CountBlock& block : release.counts().counts.blocks()) {
    most = std::max(most, block.cell_counts()->columns.size());
  }
  EXPECT_EQ(most, 3u);
}

TEST(PrivBayes, DrawsPeopleThatMeetACondition) {
  const Schema schema = people_schema();
  const Release release = release_of(schema, simulate_people(2000, 1), 1.0);
  const auto generator = fit(release);
  SampleOptions options;
  options.rows = 100;
  options.where = {SampleCondition("age", ConditionRelation::kAtLeast, {"40"})};
  std::size_t rows = 0;
  generator->sample(options, Context{}, [&](const Table& table) { rows += table.rows(); });
  EXPECT_EQ(rows, 100u);
}

TEST(NetworkCandidates, AreAllSetsWithinTheLimits) {
  std::vector<std::shared_ptr<const ColumnPartition>> cells;
  const Schema schema = schema_of_categories({2, 3, 4, 5});
  for (const Column& column : schema.columns()) {
    cells.push_back(std::make_shared<const ColumnPartition>(ColumnPartition::even(column, 2)));
  }
  const std::size_t known[] = {3, 1, 2};
  ParentLimits limits{.most_parents = 3, .most_cells = 1000.0, .only_largest = false};
  EXPECT_EQ(candidates_of(0, known, cells, limits).size(), 7u);
  limits.most_cells = 2.0 * 3.0 * 4.0;
  const auto smaller = candidates_of(0, known, cells, limits);
  ASSERT_EQ(smaller.size(), 4u);  // {1}, {1, 2}, {2}, {3}
  EXPECT_EQ(smaller[1].parents, (std::vector<std::size_t>{1, 2}));
  limits.only_largest = true;
  const auto largest = candidates_of(0, known, cells, limits);
  ASSERT_EQ(largest.size(), 2u);  // {1, 2}, {3}
  limits.most_cells = 3.0;
  const auto none = candidates_of(0, known, cells, limits);
  ASSERT_EQ(none.size(), 1u);
  EXPECT_TRUE(none[0].parents.empty());
}

TEST(NetworkCandidates, AreNeverMoreThanSaidBefore) {
  for (const bool only_largest : {false, true}) {
    for (std::size_t columns = 2; columns <= 9; ++columns) {
      std::vector<std::shared_ptr<const ColumnPartition>> cells;
      const Schema schema = schema_of_categories(std::vector<std::size_t>(columns, 2));
      for (const Column& column : schema.columns()) {
        cells.push_back(std::make_shared<const ColumnPartition>(ColumnPartition::even(column, 2)));
      }
      for (std::size_t parents = 1; parents <= 4; ++parents) {
        for (const double most_cells : {4.0, 8.0, 16.0, 1000.0}) {
          const ParentLimits limits{parents, most_cells, only_largest};
          std::vector<std::size_t> known;
          for (std::size_t k = 1; k < columns; ++k) {
            known.push_back(k - 1);
            const auto of_one = candidates_of(columns - 1, known, cells, limits).size();
            EXPECT_LE(static_cast<double>(of_one * (columns - k)),
                      candidates_at_most(columns, parents, only_largest));
          }
        }
      }
    }
  }
  EXPECT_EQ(candidates_at_most(5, 1, false),
            6.0);  // of 2 known ones 3 columns, or of 3 known ones 2
}

TEST(NetworkGrowth, DealsAsManyRowsAsTheSharesSay) {
  NetworkColumn root{0, {}, {2}, {0.25, 0.75}};
  NetworkColumn child{1, {0}, {2, 3}, {0.5, 0.5, 0.0, 0.1, 0.2, 0.7}};
  CodedRows rows(400, 2);
  SeededRandom random(5);
  deal_column(root, random, rows);
  deal_column(child, random, rows);
  std::map<std::pair<int, int>, int> counts;
  for (std::size_t r = 0; r < rows.rows; ++r) {
    ++counts[{rows.row(r)[0], rows.row(r)[1]}];
  }
  EXPECT_EQ((counts[{0, 0}]), 50);
  EXPECT_EQ((counts[{0, 1}]), 50);
  EXPECT_EQ((counts[{0, 2}]), 0);
  EXPECT_EQ((counts[{1, 0}]), 30);
  EXPECT_EQ((counts[{1, 1}]), 60);
  EXPECT_EQ((counts[{1, 2}]), 210);
}

TEST(NetworkGrowth, RefusesTablesThatAreOutOfPlace) {
  const Encoder& encoder = entangled_release().encoder();
  const NoisyCounts& counts = entangled_release().counts();
  NetworkGrowth growth(encoder, std::nullopt, NetworkEstimate::kShrunk);
  expect_mentions(
      message_of(ErrorCode::kInvalidRelease,
                 [&] { growth.add(counts.counts.blocks().back(), counts.blocks.back(), 1.0); }),
      {"out of place"});
}

}  // namespace privbayes_test
}  // namespace mehler
