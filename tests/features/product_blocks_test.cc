// Feature sets with product blocks: what they are made of, what is written of them, what is
// refused.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mehler/features/embedding_features.h"
#include "mehler/features/feature_set.h"
#include "tests/support/errors.h"

namespace mehler {
namespace product_blocks_test {

Encoder encoder_of(const std::string& head = R"("target": "label", )") {
  return Encoder(Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [
    {"name": "x", "kind": "numeric", "bounds": [0, 1]},
    {"name": "y", "kind": "numeric", "bounds": [0, 1], "missing": true},
    {"name": "c", "kind": "categorical", "categories": ["a", "b", "d"]},
    {"name": "z", "kind": "integer", "bounds": [0, 9]},
    {"name": "label", "kind": "categorical", "categories": ["no", "yes"], "missing": true}]})"));
}

/// Blocks of named products, of order 4 where nothing else is said.
EmbeddingOptions products(std::vector<std::vector<std::string>> named) {
  EmbeddingOptions options;
  options.product.named = std::move(named);
  options.product.order = 4;
  return options;
}

std::vector<std::vector<std::string>> columns_of(const Encoder& encoder,
                                                 const FeatureSet& features) {
  std::vector<std::vector<std::string>> result;
  for (const FeatureBlock& block : features.blocks()) {
    if (block.combination == Combination::kProduct) {
      result.emplace_back();
      for (const WeightedMap& member : block.maps) {
        result.back().push_back(encoder.columns()[member.map.column()].name);
      }
    }
  }
  return result;
}

TEST(ProductBlocks, HaveTheProductOfTheirMapsDimensions) {
  const Encoder encoder = encoder_of();
  const FeatureSet features =
      mean_embedding_features(encoder, products({{"x"}, {"x", "c"}, {"c", "y", "z"}}));
  ASSERT_EQ(features.blocks().size(), 5u);
  EXPECT_EQ(features.blocks()[2].dimension(), 5u);
  EXPECT_EQ(features.blocks()[3].dimension(), 5u * 3u);
  EXPECT_EQ(features.blocks()[4].dimension(), 3u * 6u * 5u);
  EXPECT_EQ(features.dimension(), 3u * (1u + (21u + 22u + 3u + 21u) + 5u + 15u + 90u));
  for (std::size_t i = 2; i < 5; ++i) {
    EXPECT_EQ(features.blocks()[i].name, "product_" + std::to_string(i - 1));
    EXPECT_TRUE(features.blocks()[i].labelled);
    EXPECT_EQ(features.blocks()[i].grid_exponent(), 2 * kProductFactorExponent);
  }
}

TEST(ProductBlocks, AreOneSegmentOfWeightOne) {
  const FeatureSet features = mean_embedding_features(encoder_of(), products({{"c", "y", "z"}}));
  const std::vector<FeatureSegment> segments = features.blocks().back().segments();
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].first, 0u);
  EXPECT_EQ(segments[0].count, 90u);
  EXPECT_EQ(segments[0].weight, 1.0);
}

TEST(ProductBlocks, AreSplitWhereTheFactorsAreShortest) {
  const Encoder encoder = encoder_of();
  const auto split_of = [&](const std::vector<std::string>& names) {
    const FeatureSet features = mean_embedding_features(encoder, products({names}));
    const FeatureBlock& block = features.blocks().back();
    const ProductHalves halves = block.halves();
    EXPECT_EQ(halves.first_dimension * halves.second_dimension, block.dimension());
    return std::pair(halves.first_maps, halves.first_dimension);
  };
  EXPECT_EQ(split_of({"x"}), std::pair(std::size_t{1}, std::size_t{5}));
  EXPECT_EQ(split_of({"x", "c"}), std::pair(std::size_t{1}, std::size_t{5}));
  // 3 + 30 or 18 + 5 or 90 + 1.
  EXPECT_EQ(split_of({"c", "y", "z"}), std::pair(std::size_t{2}, std::size_t{18}));
  // 6 + 75, 30 + 15, 90 + 5.
  EXPECT_EQ(split_of({"y", "z", "c", "x"}), std::pair(std::size_t{2}, std::size_t{30}));
  // 5 + 15 and 15 + 5 are equally short: the first is taken.
  EXPECT_EQ(split_of({"x", "c", "z"}), std::pair(std::size_t{1}, std::size_t{5}));
}

TEST(ProductBlocks, RunTheFirstMapSlowest) {
  const Encoder encoder = encoder_of();
  const FeatureSet features = mean_embedding_features(encoder, products({{"c", "x"}}));
  const FeatureBlock& block = features.blocks().back();
  EncodedBatch batch{1, std::vector<EncodedColumn>(encoder.columns().size())};
  batch.columns[0].numbers = {0.25};
  batch.columns[2].codes = {1};
  std::vector<double> single(5);
  block.maps[1].map.evaluate(batch, 0, single.data());
  std::vector<double> product(block.dimension());
  block.evaluate(batch, 0, product.data());
  for (std::size_t code = 0; code < 3; ++code) {
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_EQ(product[code * 5 + k], code == 1 ? single[k] : 0.0);
    }
  }
}

TEST(ProductBlocks, AreDrawnFromASeed) {
  const Encoder encoder = encoder_of();
  const auto drawn = [&](std::uint64_t seed) {
    EmbeddingOptions options;
    options.product.columns = 2;
    options.product.subsets = 12;
    options.product.seed = seed;
    return columns_of(encoder, mean_embedding_features(encoder, options));
  };
  EXPECT_EQ(drawn(3), drawn(3));
  EXPECT_NE(drawn(3), drawn(4));
  std::set<std::vector<std::string>> seen;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const std::vector<std::string>& subset : drawn(seed)) {
      ASSERT_EQ(subset.size(), 2u);
      EXPECT_NE(subset[0], subset[1]);
      seen.insert(subset);
    }
  }
  EXPECT_EQ(seen.size(), 6u) << "every pair of 4 columns, in the schema's order";
}

TEST(ProductBlocks, CanStandAlone) {
  EmbeddingOptions options = products({{"x", "c"}});
  options.sum = false;
  const FeatureSet labelled = mean_embedding_features(encoder_of(), options);
  ASSERT_EQ(labelled.blocks().size(), 2u);
  EXPECT_EQ(labelled.blocks()[0].name, "count");
  const FeatureSet alone =
      mean_embedding_features(encoder_of(R"("relation": "replace-one", )"), options);
  ASSERT_EQ(alone.blocks().size(), 1u);
  options.product = {};
  message_of(ErrorCode::kInvalidArgument, [&] { mean_embedding_features(encoder_of(), options); });
}

TEST(ProductBlocks, PublishedSensitivityIsNeverBelowTheCertifiedOne) {
  for (const char* head : {R"("target": "label", )", ""}) {
    for (const auto& [order, length_scale] :
         std::vector<std::pair<std::size_t, double>>{{1, 5.0}, {3, 0.05}, {8, 0.3}, {20, 100.0}}) {
      EmbeddingOptions options =
          products({{"x"}, {"c"}, {"x", "z"}, {"c", "y"}, {"y", "c", "x", "z"}});
      options.product.order = std::min<std::size_t>(order, 8);
      options.product.length_scale = length_scale;
      options.order = order;
      options.length_scale = length_scale;
      options.column_weights["x"] = 3.0;
      const FeatureSet features = mean_embedding_features(encoder_of(head), options);
      for (const FeatureBlock& block : features.blocks()) {
        for (const NeighbourRelation relation :
             {NeighbourRelation::kAddRemoveOne, NeighbourRelation::kReplaceOne}) {
          EXPECT_GE(block.published_sensitivity(relation), block.sensitivity(relation));
        }
        if (block.combination == Combination::kProduct) {
          EXPECT_NEAR(block.published_sensitivity(NeighbourRelation::kAddRemoveOne), 1.0, 2e-3);
          EXPECT_NEAR(block.published_sensitivity(NeighbourRelation::kReplaceOne), 2.0, 2e-3);
        }
      }
    }
  }
}

TEST(ProductBlocks, ComeBackFromJson) {
  const Encoder encoder = encoder_of();
  EmbeddingOptions options = products({{"x", "c"}, {"c", "y", "z"}});
  options.product.weight = 0.1;
  options.product.length_scale = 1.0 / 3.0;
  options.product.column_orders["y"] = 7;
  options.product.column_length_scales["z"] = 0.7;
  options.product.columns = 2;
  options.product.subsets = 3;
  const FeatureSet features = mean_embedding_features(encoder, options);
  const std::string text = features.to_json(encoder);
  EXPECT_EQ(FeatureSet::from_json(encoder, text), features);
  EXPECT_NE(text.find(R"("combination":"product")"), std::string::npos);
  EXPECT_EQ(text.find(R"("combination":"sum")"), std::string::npos);
}

/// The message of from_json for one product block, with `keys` and `maps` put in.
std::string refused_json(const std::string& keys, const std::string& maps,
                         ErrorCode code = ErrorCode::kInvalidRelease) {
  const Encoder encoder = encoder_of();
  return message_of(code, [&] {
    FeatureSet::from_json(
        encoder,
        R"({"grid_exponent": 20, "blocks": [{"name": "p", "labelled": true, "weight": 1, )" + keys +
            R"("maps": [)" + maps + "]}]}");
  });
}

TEST(ProductBlocks, RefuseJsonThatDescribesNone) {
  const std::string c = R"({"map": "one-hot", "column": "c", "weight": 1})";
  const std::string x =
      R"({"map": "hermite", "column": "x", "order": 5, "length_scale": 0.1, "rho": 0.5, "weight": 1})";
  const std::string product = R"("combination": "product", )";
  expect_mentions(refused_json(R"("combination": "cross", )", c), {"'cross'", "'product'"});
  expect_mentions(refused_json(R"("combination": "sum", )", c), {"'sum'"});
  expect_mentions(refused_json(R"("combination": 1, )", c), {"combination"});
  expect_mentions(refused_json(R"("combination": null, )", c), {"combination"});
  expect_mentions(refused_json(product + R"("extra": 1, )", c), {"extra"});
  const auto invalid = ErrorCode::kInvalidArgument;
  const std::string heavy = R"({"map": "one-hot", "column": "c", "weight": 2})";
  expect_mentions(refused_json(product, heavy + "," + x, invalid), {"'p'", "weight 1", "2"});
  expect_mentions(refused_json(product, c + "," + x + "," + c, invalid), {"'p'", "different"});
  expect_mentions(refused_json(product, R"({"map": "constant", "weight": 1})", invalid),
                  {"'p'", "no column"});
  refused_json(product, "", invalid);
}

TEST(ProductBlocks, RefuseWhatExceedsTheMemoryLimit) {
  const Encoder encoder = encoder_of();
  const auto refused = [&](const EmbeddingOptions& options) {
    return message_of(ErrorCode::kInvalidArgument,
                      [&] { mean_embedding_features(encoder, options); });
  };
  // 3 classes x 401 x 402 x 401 x 8 bytes.
  EmbeddingOptions options = products({{"x", "y", "z"}});
  options.product.order = 400;
  expect_mentions(refused(options), {"'product_1'", "1551 MB", "1073 MB", "3 classes"});
  // 3 x 201 x 202 x 8 bytes = 0.97 MB, and more than a thousand of them.
  options = products(std::vector<std::vector<std::string>>(1200, {"x", "y"}));
  options.product.order = 200;
  expect_mentions(refused(options), {"'product_1102'", "0.9744 MB", "1073 MB"});
}

TEST(ProductBlocks, RefuseASizeThatOverflows) {
  std::string columns;
  std::vector<std::string> names;
  for (int i = 0; i < 12; ++i) {
    names.push_back("x" + std::to_string(i));
    columns += (i > 0 ? ", " : "") + (R"({"name": ")" + names.back()) +
               R"(", "kind": "numeric", "bounds": [0, 1]})";
  }
  const Encoder encoder(Schema::from_json(R"({"mehler_schema": 1, "columns": [)" + columns + "]}"));
  EmbeddingOptions options = products({names});
  options.product.order = 99;  // 100^12 numbers
  expect_mentions(
      message_of(ErrorCode::kInvalidArgument, [&] { mean_embedding_features(encoder, options); }),
      {"MB", "1073 MB"});
}

TEST(ProductBlocks, RefuseOptionsThatDescribeNone) {
  const Encoder encoder = encoder_of();
  const auto refused = [&](const EmbeddingOptions& options) {
    return message_of(ErrorCode::kInvalidArgument,
                      [&] { mean_embedding_features(encoder, options); });
  };
  expect_mentions(refused(products({{"x", "none"}})), {"'none'", "known names: x, y, c, z"});
  expect_mentions(refused(products({{"x", "label"}})), {"'label'", "target"});
  expect_mentions(refused(products({{"x", "c", "x"}})), {"'x' twice"});
  expect_mentions(refused(products({{"x", ""}})), {"''"});
  expect_mentions(refused(products({{}})), {"no column"});
  EmbeddingOptions options;
  options.product.columns = 5;
  expect_mentions(refused(options), {"5 columns", "1 to 4"});
  for (const std::size_t subsets : {std::size_t{0}, ProductOptions::kMaxSubsets + 1}) {
    options.product.columns = 2;
    options.product.subsets = subsets;
    expect_mentions(refused(options), {"[1, 10000]"});
  }
  for (const double bad : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    options = products({{"c"}});  // which has no use for a length scale
    options.product.weight = bad;
    expect_mentions(refused(options), {"weight of products"});
    options = products({{"c"}});
    options.product.length_scale = bad;
    expect_mentions(refused(options), {"length scale"});
    options = products({{"c"}});
    options.product.column_length_scales["x"] = bad;
    expect_mentions(refused(options), {"length scale of 'x'"});
  }
  for (const double bad : {0.0, -1.0, 2.5, 1001.0, double{NAN}, double{INFINITY}}) {
    options = products({{"c"}});
    options.product.column_orders["x"] = bad;
    expect_mentions(refused(options), {"order of Hermite features of 'x'", "[1, 1000]"});
    options = {};
    options.column_orders["x"] = bad;
    expect_mentions(refused(options), {"order of Hermite features of 'x'", "[1, 1000]"});
  }
  options = products({{"c"}});
  options.product.column_orders["c"] = 3;
  expect_mentions(refused(options), {"'c'", "numbers"});
}

TEST(ProductBlocks, OfDirectionsMayMissWhatTheirOwnColumnsMayMiss) {
  const Encoder encoder = encoder_of("");
  EmbeddingOptions options;
  options.sum = false;
  options.product.columns = 0;
  options.product.linear = {{{"x", "y"}, {{1.0, 0.0}, {0.5, 0.5}}}};
  const FeatureSet features = mean_embedding_features(encoder, options);
  const std::vector<WeightedMap>& maps = features.blocks().back().maps;
  ASSERT_EQ(maps.size(), 2u);
  EXPECT_FALSE(maps[0].map.may_miss());  // of x alone, which is never missing
  EXPECT_TRUE(maps[1].map.may_miss());
  EXPECT_EQ(FeatureSet::from_json(encoder, features.to_json(encoder)), features);
}

TEST(FeatureSetJson, RefusesMoreFeaturesThanTheReleaseHasNumbersForBeforeBoundingThem) {
  const Encoder encoder = encoder_of("");
  const std::string map =
      R"({"map": "hermite", "column": "x", "order": 1000, "length_scale": 0.001, "rho": 1e-6, "weight": 1})";
  std::string maps = map;
  for (int i = 0; i < 5000; ++i) {
    maps += ", " + map;
  }
  const std::string text = R"({"grid_exponent": 20, "blocks": [{"name": "sum", "labelled": false,
      "weight": 1, "maps": [)" +
                           maps + "]}]}";
  expect_mentions(
      message_of(ErrorCode::kInvalidRelease, [&] { FeatureSet::from_json(encoder, text, 1000); }),
      {"more features", "numbers in the release"});
}

}  // namespace product_blocks_test
}  // namespace mehler
