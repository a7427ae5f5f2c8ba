// The guarantee itself, through the code that is shipped: sensitivities are never exceeded, noise
// has the stated scale, and no released value betrays which of two neighbouring tables it came
// from.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/seeded_random.h"
#include "mehler/features/embedding_features.h"
#include "mehler/measurement/embedding.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "tests/support/distinguisher.h"
#include "tests/support/embedding_test_peer.h"
#include "tests/support/errors.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace mechanism_privacy_test {

using Sums = std::vector<std::vector<std::int64_t>>;

Schema schema_with(const std::string& head) {
  return Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [
      {"name": "x", "kind": "numeric", "bounds": [-4, 9], "missing": true},
      {"name": "y", "kind": "integer", "bounds": [0, 1000]},
      {"name": "c", "kind": "categorical", "categories": ["a", "b", "d"], "other": "rest"},
      {"name": "label", "kind": "boolean"}]})");
}

/// A record of extreme and ordinary values; missing and unknown ones too.
Table random_record(SeededRandom& random) {
  const double extremes[] = {-4, 9, 2.5, -1e300, 1e300, 2.5 + 6.5 * (2 * random.uniform() - 1)};
  const std::int64_t whole[] = {0, 1000, 500, -7,
                                static_cast<std::int64_t>(1000 * random.uniform())};
  const char* texts[] = {"a", "b", "d", "unknown"};
  Table record;
  record.columns.push_back({"x",
                            ColumnKind::kNumeric,
                            std::vector<double>{extremes[random.next_word() % 6]},
                            {random.flip(0.2)}});
  record.columns.push_back(
      {"y", ColumnKind::kInteger, std::vector<std::int64_t>{whole[random.next_word() % 5]}, {}});
  record.columns.push_back(
      {"c", ColumnKind::kCategorical, std::vector<std::string>{texts[random.next_word() % 4]}, {}});
  record.columns.push_back(
      {"label", ColumnKind::kBoolean, std::vector<std::int64_t>{random.flip(0.5) ? 1 : 0}, {}});
  return record;
}

Sums sums_of(const Schema& schema, const Encoder& encoder, const FeatureSet& features,
             std::vector<Table> batches) {
  return EmbeddingTestPeer::sums(
      embed(PrivateTable({part_of(std::move(batches))}, schema), encoder, features, Context{}));
}

/// The weighted 2-norm of the difference of two tables' sums of a block, in units of the features.
/// Without another table: of the sums themselves.
double change(const FeatureSet& features, std::size_t b, const Sums& one, const Sums* other) {
  const FeatureBlock& block = features.blocks()[b];
  const double step = std::ldexp(1.0, -block.grid_exponent());
  double sum = 0.0;
  for (std::size_t row = 0; row < features.block_rows(block); ++row) {
    for (const FeatureSegment& segment : block.segments()) {
      for (std::size_t i = 0; i < segment.count; ++i) {
        const std::size_t place = row * block.dimension() + segment.first + i;
        const std::int64_t difference = one[b][place] - (other == nullptr ? 0 : (*other)[b][place]);
        const double weighted = segment.weight * step * static_cast<double>(difference);
        sum += weighted * weighted;
      }
    }
  }
  return std::sqrt(sum);
}

/// Pairs of neighbours of each kind of block, over all settings of a test.
constexpr std::size_t kPairs = 100'000;

/// Sums are exact, so a table with one record more, or with one exchanged, differs from its
/// neighbour by exactly that record's own sums, or by the difference of two records' sums. Tables
/// of one record therefore give all pairs of neighbours: `added` of them for add-remove-one, and
/// 450 records more than 100,000 exchanges.
void expect_sensitivity_holds(const Schema& schema, const EmbeddingOptions& options,
                              double tightness, std::size_t added, const auto& draw_record) {
  const Encoder encoder(schema);
  const FeatureSet features = mean_embedding_features(encoder, options);
  const bool replace = schema.relation() == NeighbourRelation::kReplaceOne;
  constexpr std::size_t kExchanged = 450;
  SeededRandom random(options.order);
  std::vector<Sums> others;
  std::vector<double> worst(features.blocks().size(), 0.0);
  for (std::size_t i = 0; i < (replace ? kExchanged : added); ++i) {
    Sums record = sums_of(schema, encoder, features, {draw_record(random)});
    for (std::size_t b = 0; b < worst.size(); ++b) {
      if (!replace) {
        worst[b] = std::max(worst[b], change(features, b, record, nullptr));
      }
      for (const Sums& other : others) {
        worst[b] = std::max(worst[b], change(features, b, record, &other));
      }
    }
    if (replace) {
      others.push_back(std::move(record));
    }
  }
  for (std::size_t b = 0; b < worst.size(); ++b) {
    const double stated = features.blocks()[b].sensitivity(schema.relation());
    EXPECT_LE(worst[b], stated) << schema.to_json() << options.order << features.blocks()[b].name;
    EXPECT_GE(worst[b], tightness * stated)
        << schema.to_json() << options.order << features.blocks()[b].name << ": loose";
  }
}

/// Sum and product blocks of every mix of maps, at several orders and length scales.
void expect_sensitivities_hold(const std::string& head) {
  for (const auto& [order, length_scale] :
       std::vector<std::pair<std::size_t, double>>{{20, 0.15}, {3, 0.05}, {60, 0.05}, {5, 0.7}}) {
    EmbeddingOptions options;
    options.order = order;
    options.length_scale = length_scale;
    options.column_weights["y"] = 1.7;
    options.product.order = std::min<std::size_t>(order, 8);
    options.product.length_scale = length_scale;
    options.product.named = {{"x"}, {"c"}, {"x", "y"}, {"c", "y"}, {"y", "c", "x"}};
    expect_sensitivity_holds(schema_with(head), options, 0.95, kPairs / 8, random_record);
  }
}

/// Random Fourier features, of numbers of which one may be missing, and products over directions.
void expect_sensitivities_of_several_columns_hold(const std::string& head, double tightness) {
  EmbeddingOptions options;
  options.sum = false;
  options.fourier = {50, 0.3, 3};
  options.product.linear = {{{"y", "z"}, {{3.0, 1.0}, {-1.0, 2.0}}}};
  const std::string columns = head + R"("columns": [
      {"name": "x", "kind": "numeric", "bounds": [-4, 9], "missing": true},
      {"name": "y", "kind": "integer", "bounds": [0, 1000]},
      {"name": "z", "kind": "numeric", "bounds": [-1, 1]},
      {"name": "c", "kind": "categorical", "categories": ["a", "b", "d"], "other": "rest"},
      {"name": "label", "kind": "boolean"}]})";
  const Schema schema = Schema::from_json(R"({"mehler_schema": 1, )" + columns);
  expect_sensitivity_holds(schema, options, tightness, kPairs / 2, [](SeededRandom& random) {
    Table record = random_record(random);
    const double ends[] = {-1.0, 1.0, 0.0, 2.0 * random.uniform() - 1.0};
    record.columns.push_back(
        {"z", ColumnKind::kNumeric, std::vector<double>{ends[random.next_word() % 4]}, {}});
    return record;
  });
}

TEST(Sensitivity, OfSeveralColumnsIsNeverExceeded) {
  expect_sensitivities_of_several_columns_hold("", 0.95);
  expect_sensitivities_of_several_columns_hold(R"("target": "label", )", 0.95);
  // Under replace-one random Fourier features are charged for opposite vectors, which hardly occur.
  expect_sensitivities_of_several_columns_hold(R"("relation": "replace-one", )", 0.7);
  expect_sensitivities_of_several_columns_hold(R"("relation": "replace-one", "target": "label", )",
                                               0.7);
}

TEST(Sensitivity, AddRemoveIsNeverExceededAndTight) {
  expect_sensitivities_hold("");
  expect_sensitivities_hold(R"("target": "label", )");
}

TEST(Sensitivity, ReplaceIsNeverExceededAndTight) {
  expect_sensitivities_hold(R"("relation": "replace-one", )");
  expect_sensitivities_hold(R"("relation": "replace-one", "target": "label", )");
}

TEST(Noise, HasTheStatedScaleInEveryMap) {
  const Schema schema = schema_with(R"("target": "label", )");
  const Encoder encoder(schema);
  EmbeddingOptions options;
  options.order = 300;
  options.length_scale = 0.01;
  options.column_weights["y"] = 2.0;
  const FeatureSet features = mean_embedding_features(encoder, options);
  SeededRandom random(1);
  const Table record = random_record(random);
  Embedding embedding =
      embed(PrivateTable({part_of({record})}, schema), encoder, features, Context{});
  const Sums exact = EmbeddingTestPeer::sums(embedding);
  Accountant accountant({1.0, 1e-6});
  SumMechanism mechanism(accountant, accountant.left_mu_squared(), features, schema);
  const double sigma = mechanism.charges()[1].sigma;
  const NoisyEmbedding noisy = privatize(std::move(embedding), std::move(mechanism));
  const FeatureBlock& block = features.blocks()[1];
  std::size_t offset = 0;
  for (const WeightedMap& member : block.maps) {
    double squares = 0.0;
    std::size_t count = 0;
    for (std::size_t row = 0; row < 2; ++row) {
      for (std::size_t i = 0; i < member.map.dimension(); ++i, ++count) {
        const std::size_t place = row * block.dimension() + offset + i;
        const double z =
            std::ldexp(static_cast<double>(noisy.blocks[1].grid_sums[place] - exact[1][place]),
                       -kGridExponent) /
            (sigma / member.weight);
        squares += z * z;
      }
    }
    offset += member.map.dimension();
    // Chi-square with `count` degrees of freedom, 7 standard deviations (8 values: a generous upper
    // tail too).
    const auto freedom = static_cast<double>(count);
    EXPECT_LT(squares, freedom + 7.0 * std::sqrt(2.0 * freedom) + 25.0);
    if (count > 100) {
      EXPECT_GT(squares, freedom - 7.0 * std::sqrt(2.0 * freedom));
    }
  }
}

TEST(Noise, LeavesNoSumAsItIs) {
  const Schema schema = schema_with(R"("target": "label", )");
  const Encoder encoder(schema);
  EmbeddingOptions options;
  options.product.order = 3;
  options.product.named = {{"x", "y"}, {"c", "y"}};
  const FeatureSet features = mean_embedding_features(encoder, options);
  SeededRandom random(1);
  const Table record = random_record(random);
  const Sums exact = sums_of(schema, encoder, features, {record});
  std::vector<std::vector<int>> unchanged;
  for (const std::vector<std::int64_t>& sums : exact) {
    unchanged.emplace_back(sums.size(), 0);
  }
  constexpr int kRuns = 3;
  for (int run = 0; run < kRuns; ++run) {
    Accountant accountant({1.0, 1e-6});
    const NoisyEmbedding noisy =
        privatize(embed(PrivateTable({part_of({record})}, schema), encoder, features, Context{}),
                  SumMechanism(accountant, accountant.left_mu_squared(), features, schema));
    for (std::size_t b = 0; b < exact.size(); ++b) {
      for (std::size_t i = 0; i < exact[b].size(); ++i) {
        unchanged[b][i] += noisy.blocks[b].grid_sums[i] == exact[b][i] ? 1 : 0;
      }
    }
  }
  // Noise of 2^20 steps of the grid and more is 0 three times in a row with probability 1e-19.
  for (std::size_t b = 0; b < exact.size(); ++b) {
    EXPECT_EQ(std::count(unchanged[b].begin(), unchanged[b].end(), kRuns), 0)
        << features.blocks()[b].name;
  }
}

TEST(Noise, HidesTheDifferenceOfNeighbouringTables) {
  // What one record adds is a fraction of the noise: seen from the neighbour's sums, no released
  // value is further away than noise goes (which values are possible at all:
  // noise_support_test.cc).
  const Schema schema = schema_with("");
  const Encoder encoder(schema);
  const FeatureSet features = mean_embedding_features(encoder, {});
  SeededRandom random(2);
  const Table common = random_record(random);
  const Table mine = random_record(random);
  const Sums neighbour = sums_of(schema, encoder, features, {common});
  std::size_t values = 0;
  std::size_t far_apart = 0;
  for (int run = 0; run < 50; ++run) {
    Accountant accountant({1.0, 1e-6});
    const Release release =
        release_dp_hp(PrivateTable({part_of({common, mine})}, schema), {}, accountant, Context{});
    for (std::size_t b = 0; b < neighbour.size(); ++b) {
      for (std::size_t i = 0; i < neighbour[b].size(); ++i) {
        const std::int64_t implied_noise = release.sums().blocks[b].grid_sums[i] - neighbour[b][i];
        const double sigmas = std::ldexp(static_cast<double>(implied_noise), -kGridExponent) /
                              release.statement().noise_of(b).sigma;
        far_apart += std::fabs(sigmas) > 8.0 ? 1 : 0;  // 2500 values: probability 3e-12
        ++values;
      }
    }
  }
  EXPECT_GT(values, 2000u);
  EXPECT_EQ(far_apart, 0u);
}

/// A count of all records, with this weight within its block.
FeatureSet count_of_weight(const Encoder& encoder, double weight) {
  FeatureBlock block;
  block.name = "count";
  block.maps.push_back({FeatureMap::constant(), weight});
  return FeatureSet(encoder, {block});
}

TEST(Payment, ForOtherFeaturesIsRefused) {
  // A count of weight 1e-4 is little changed by a record, and so needs little noise: for the plain
  // count that noise would hide nothing.
  const Schema schema = schema_with("");
  const Encoder encoder(schema);
  const FeatureSet plain = count_of_weight(encoder, 1.0);
  SeededRandom random(5);
  Embedding embedding =
      embed(PrivateTable({part_of({random_record(random)})}, schema), encoder, plain, Context{});
  Accountant accountant({0.1, 1e-6});
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [&] {
                               privatize(std::move(embedding),
                                         SumMechanism(accountant, accountant.left_mu_squared(),
                                                      count_of_weight(encoder, 1e-4), schema));
                             }),
                  {"other features"});
  // Nothing was consumed: with a payment of their own the sums can still be released.
  Accountant another({0.1, 1e-6});
  EXPECT_EQ(privatize(std::move(embedding),
                      SumMechanism(another, another.left_mu_squared(), plain, schema))
                .blocks.size(),
            1u);
}

TEST(Payment, UnderASchemaThatProtectsLessIsRefused) {
  const Schema schema = schema_with(R"("relation": "replace-one", )");
  const Encoder encoder(schema);
  const FeatureSet features = count_of_weight(encoder, 1.0);
  SeededRandom random(5);
  Embedding embedding =
      embed(PrivateTable({part_of({random_record(random)})}, schema), encoder, features, Context{});
  Accountant accountant({1.0, 1e-6});
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [&] {
                               privatize(std::move(embedding),
                                         SumMechanism(accountant, accountant.left_mu_squared(),
                                                      features, schema_with("")));
                             }),
                  {"another schema"});
}

TEST(Noise, IsFreshInEveryRelease) {
  const Schema schema = schema_with("");
  SeededRandom random(3);
  const Table record = random_record(random);
  const auto release = [&] {
    Accountant accountant({1.0, 1e-6});
    return release_dp_hp(PrivateTable({part_of({record})}, schema), {}, accountant, Context{})
        .to_bytes();
  };
  EXPECT_NE(release(), release());
}

/// Tries to falsify the guarantee: no test between two neighbouring tables may beat
/// (epsilon, delta).
TEST(Guarantee, SurvivesTheOptimalDistinguisher) {
  const Schema schema = schema_with("");
  const Encoder encoder(schema);
  const FeatureSet features = mean_embedding_features(encoder, {});
  SeededRandom random(4);
  const Table common = random_record(random);
  Table mine = random_record(random);
  mine.columns[0].is_missing = {true};  // the largest contribution
  const Sums without = sums_of(schema, encoder, features, {common});
  const Sums with_mine = sums_of(schema, encoder, features, {common, mine});
  const PrivacyBudget budget{1.0, 0.1};
  constexpr int kRuns = 20'000;
  const auto ratios = [&](bool include) {
    std::vector<double> result;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<Table> batches = {common};
      if (include) {
        batches.push_back(mine);
      }
      Accountant accountant(budget);
      SumMechanism mechanism(accountant, accountant.left_mu_squared(), features, schema);
      const std::vector<GaussianSums> stated = mechanism.charges();
      const NoisyEmbedding noisy =
          privatize(embed(PrivateTable({part_of(batches)}, schema), encoder, features, Context{}),
                    std::move(mechanism));
      double sum = 0.0;
      for (std::size_t b = 0; b < without.size(); ++b) {
        const double sigma = std::ldexp(stated[b].sigma, kGridExponent);
        for (std::size_t i = 0; i < without[b].size(); ++i) {
          sum += log_ratio(static_cast<double>(noisy.blocks[b].grid_sums[i]),
                           static_cast<double>(with_mine[b][i]), static_cast<double>(without[b][i]),
                           sigma);
        }
      }
      result.push_back(sum);
    }
    return result;
  };
  const double gained = gain_of_distinguisher(ratios(true), ratios(false), budget.epsilon);
  // With mu = 0.92 the two probabilities are .26 and .06, so the standard error over half of the
  // runs is sqrt(.26 .74 / n + e^2 .06 .94 / n) = .0078; six of them: a failure probability of
  // 2e-9. Half the noise would gain .45, 1.4 times the noise .04.
  constexpr double kStandardError = 0.0078;
  EXPECT_LT(gained, budget.delta + 6 * kStandardError);
  EXPECT_GT(gained, budget.delta - 6 * kStandardError) << "far more noise than was asked for";
}

}  // namespace mechanism_privacy_test
}  // namespace mehler
