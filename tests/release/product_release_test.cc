// Releases with product blocks and with the published rules.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "mehler/features/embedding_features.h"
#include "mehler/release/checked_file.h"
#include "mehler/release/payload.h"
#include "tests/support/errors.h"

namespace mehler {
namespace product_release_test {

using Json = nlohmann::ordered_json;

Schema schema_with(const std::string& head) {
  return Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [
    {"name": "id", "kind": "identifier"},
    {"name": "x", "kind": "numeric", "bounds": [0, 1]},
    {"name": "y", "kind": "numeric", "bounds": [0, 1], "missing": true},
    {"name": "c", "kind": "categorical", "categories": ["a", "b"], "missing": true}]})");
}

/// A release with made-up sums: counts, a sum and two products. By the published accounting it
/// spends a tenth less than its budget.
Release make_release(const std::string& head, const NoiseRules& rules = {}) {
  const Schema schema = schema_with(head);
  EmbeddingOptions options;
  options.order = 6;
  options.product.order = 3;
  options.product.named = {{"x", "y"}, {"y"}};
  const FeatureSet features = mean_embedding_features(Encoder(schema), options);
  PrivacyStatement statement;
  statement.budget = {1.0, 1e-6};
  statement.rules = rules;
  if (schema.relation() == NeighbourRelation::kReplaceOne) {
    statement.public_rows = 123;
  }
  const double mu =
      calibrate_mu(statement.budget) * (rules.accounting == AccountingRule::kPublished ? 0.9 : 1.0);
  std::vector<NoisyBlock> blocks;
  for (const FeatureBlock& block : features.blocks()) {
    const double sensitivity = protected_sensitivity(block, schema, rules.sensitivity);
    statement.charges.push_back(
        GaussianSums{block.name, sensitivity,
                     sensitivity / mu * std::sqrt(static_cast<double>(features.blocks().size()))});
    NoisyBlock noisy{features.block_rows(block), block.dimension(), {}, block.grid_exponent()};
    for (std::size_t i = 0; i < noisy.rows * noisy.columns; ++i) {
      noisy.grid_sums.push_back((static_cast<std::int64_t>(i) - 3) * 1'000'000'007);
    }
    blocks.push_back(noisy);
  }
  return Release("dp-hp", schema, NoisySums{features, blocks}, statement);
}

constexpr const char* kLabelled = R"("target": "c", )";
constexpr const char* kHeads[] = {kLabelled, "", R"("relation": "replace-one", )",
                                  R"("privacy_unit": {"column": "id", "max_rows": 4}, )"};
constexpr NoiseRules kAllRules[] = {{},
                                    {SensitivityRule::kPublished, AccountingRule::kExact},
                                    {SensitivityRule::kCertified, AccountingRule::kPublished},
                                    {SensitivityRule::kPublished, AccountingRule::kPublished}};

TEST(ProductRelease, ComesBackFromItsBytes) {
  for (const char* head : kHeads) {
    for (const NoiseRules& rules : kAllRules) {
      const Release release = make_release(head, rules);
      const Release back = Release::from_bytes(release.to_bytes(), "r");
      EXPECT_EQ(back.sums().features, release.sums().features);
      EXPECT_EQ(back.statement().rules, rules);
      EXPECT_EQ(back.to_bytes(), release.to_bytes());
      EXPECT_EQ(back.in_words(), release.in_words());
      ASSERT_EQ(back.sums().blocks.size(), release.sums().blocks.size());
      for (std::size_t i = 0; i < back.sums().blocks.size(); ++i) {
        EXPECT_EQ(back.sums().blocks[i].grid_sums, release.sums().blocks[i].grid_sums);
        EXPECT_EQ(back.sums().blocks[i].grid_exponent, release.sums().blocks[i].grid_exponent);
      }
    }
  }
}

TEST(ProductRelease, HoldsMultiplesOfTheProductOfTwoGrids) {
  const Release release = make_release(kLabelled);
  EXPECT_EQ(release.sums().blocks[1].grid_exponent, 20);
  EXPECT_EQ(release.sums().blocks[2].grid_exponent, 34);
  EXPECT_EQ(release.sums().blocks[2].at(0, 5), std::ldexp(2e9 + 14.0, -34));
}

TEST(ProductRelease, SaysWhatThePublishedAccountingSpends) {
  const Release release = make_release(kLabelled, kAllRules[2]);
  const double spent = release.statement().epsilon_spent();
  EXPECT_LT(spent, 0.95);
  expect_mentions(release.in_words(), {"published accounting", rounded_up(spent, 4).c_str()});
  EXPECT_EQ(make_release(kLabelled).in_words().find("published"), std::string::npos);
}

/// Reads the release after `change` of its header, with lengths and checksum made right.
void expect_refused(const std::string& bytes, const std::function<void(Json&)>& change,
                    std::initializer_list<const char*> words) {
  CheckedFile file = parse_checked_file(bytes, CheckedFileKind::kRelease, Release::kVersion, "r");
  Json header = Json::parse(file.header);
  change(header);
  file.header = header.dump();
  const std::string rewritten =
      serialize_checked_file(CheckedFileKind::kRelease, Release::kVersion, file);
  expect_mentions(
      message_of(ErrorCode::kInvalidRelease, [&] { Release::from_bytes(rewritten, "r"); }), words);
}

TEST(ProductRelease, RefusesASensitivityThatItsFeaturesDoNotHave) {
  for (const NoiseRules& rules : kAllRules) {
    const std::string bytes = make_release(kLabelled, rules).to_bytes();
    for (const double factor : {0.9, 1.1}) {
      expect_refused(bytes,
                     [&](Json& header) {
                       // The noise too, so that mu and epsilon stay what they are.
                       Json& block = header["privacy"]["charges"][2];
                       block["sensitivity"] = factor * block["sensitivity"].get<double>();
                       block["sigma"] = factor * block["sigma"].get<double>();
                     },
                     {"'product_1'", "sensitivity"});
    }
  }
}

TEST(ProductRelease, RefusesRulesThatAreNotThose) {
  const std::string own = make_release(kLabelled).to_bytes();
  const std::string published = make_release(kLabelled, kAllRules[3]).to_bytes();
  for (const char* rule : {"sensitivity_rule", "accounting_rule"}) {
    for (const Json& value : {Json("exact"), Json("Published"), Json(true), Json()}) {
      expect_refused(own, [&](Json& header) { header["privacy"][rule] = value; }, {rule});
    }
  }
  expect_refused(own, [](Json& header) { header["privacy"]["sensitivity_rule"] = "published"; },
                 {"sensitivity"});
  expect_refused(published, [](Json& header) { header["privacy"].erase("sensitivity_rule"); },
                 {"sensitivity"});
  expect_refused(published, [](Json& header) { header["privacy"].erase("accounting_rule"); },
                 {"epsilon"});
  expect_refused(own, [](Json& header) { header["privacy"]["noise_rule"] = "published"; },
                 {"noise_rule"});
}

TEST(ProductRelease, RefusesPublishedAccountingThatOverspends) {
  const std::string bytes = make_release(kLabelled, kAllRules[2]).to_bytes();
  expect_refused(bytes, [](Json& header) { header["privacy"]["epsilon"] = 0.5; }, {"epsilon 0.5"});
}

TEST(ProductRelease, RefusesAnotherCombination) {
  const std::string bytes = make_release(kLabelled).to_bytes();
  expect_refused(bytes, [](Json& header) { header["sums"]["blocks"][2].erase("combination"); },
                 {"payload", "more than"});
  expect_refused(bytes, [](Json& header) { header["sums"]["blocks"][2]["combination"] = "sum"; },
                 {"'sum'"});
  expect_refused(bytes,
                 [](Json& header) { header["sums"]["blocks"][1]["combination"] = "product"; },
                 {"payload", "fewer"});
  // One map: the shape is the same, the grid is not the one that was summed on.
  expect_refused(bytes, [](Json& header) { header["sums"]["blocks"][3].erase("combination"); },
                 {"'product_2'", "sensitivity"});
  expect_refused(bytes, [](Json& header) { header["sums"]["blocks"][2]["maps"][0]["weight"] = 2; },
                 {"'product_1'", "weight"});
  expect_refused(bytes,
                 [](Json& header) {
                   Json& maps = header["sums"]["blocks"][2]["maps"];
                   maps[1] = maps[0];
                 },
                 {"'product_1'", "different columns"});
}

TEST(ProductRelease, RefusesABudgetBeyondTheLargestEpsilon) {
  expect_refused(make_release(kLabelled).to_bytes(),
                 [](Json& header) { header["privacy"]["epsilon"] = 1e12; }, {"epsilon", "1000000"});
}

}  // namespace product_release_test
}  // namespace mehler
