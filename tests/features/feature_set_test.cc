#include "mehler/features/feature_set.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/features/embedding_features.h"
#include "tests/support/errors.h"

namespace mehler {
namespace feature_set_test {

constexpr const char* kColumns = R"(
    {"name": "x", "kind": "numeric", "bounds": [0, 1]},
    {"name": "y", "kind": "numeric", "bounds": [0, 1], "missing": true},
    {"name": "c", "kind": "categorical", "categories": ["a", "b", "d"]},
    {"name": "label", "kind": "categorical", "categories": ["no", "yes"], "missing": true})";

Encoder encoder_of(const std::string& head, const std::string& columns = kColumns) {
  return Encoder(
      Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [)" + columns + "]}"));
}

TEST(FeatureSet, LabelledSumsHaveARowPerClass) {
  const Encoder encoder = encoder_of(R"("target": "label", )");
  const FeatureSet features = mean_embedding_features(encoder, {});
  EXPECT_EQ(features.classes(), 3u);
  ASSERT_EQ(features.blocks().size(), 2u);
  EXPECT_EQ(features.blocks()[0].name, "count");
  EXPECT_EQ(features.blocks()[1].dimension(), 21u + 22u + 3u);
  EXPECT_EQ(features.dimension(), 3u * (1u + 46u));
}

TEST(FeatureSet, SensitivityIsTheFormulaOfEachRelation) {
  const Encoder labelled = encoder_of(R"("target": "label", )");
  const FeatureBlock sum = mean_embedding_features(labelled, {}).blocks()[1];
  const double s = sum.maps[0].map.squared_norm_bound();
  const double m = sum.maps[0].map.squared_difference_bound();
  EXPECT_NEAR(s, 1.0, 1e-4);
  EXPECT_NEAR(m, 2.0, 2e-2);
  EXPECT_DOUBLE_EQ(sum.sensitivity(NeighbourRelation::kAddRemoveOne),
                   std::sqrt(s + std::max(1.0, s) + 1.0));
  EXPECT_GE(sum.sensitivity(NeighbourRelation::kReplaceOne),
            std::sqrt(2.0 * (s + 2.0)) * (1 - 1e-12));

  const Encoder unlabelled = encoder_of(R"("relation": "replace-one", )");
  const FeatureSet features = mean_embedding_features(unlabelled, {});
  ASSERT_EQ(features.blocks().size(), 1u) << "a public count is not measured";
  EXPECT_LE(features.blocks()[0].sensitivity(NeighbourRelation::kReplaceOne), std::sqrt(4 * 2.02));
}

TEST(FeatureSet, RoundingIsPartOfTheBound) {
  // A length scale so long that phi is almost (1, 0, ...): its norm bound must still exceed what
  // rounding adds.
  const FeatureMap map = FeatureMap::hermite(0, HermiteFeatures(3, 100.0, 1e-5), false);
  EXPECT_GT(map.squared_norm_bound(), 1.0);
  EXPECT_LT(map.squared_norm_bound(), 1.0 + 1e-5);
}

TEST(FeatureSet, WeightsEnterTheSensitivity) {
  const Encoder encoder =
      encoder_of("", R"({"name": "c", "kind": "boolean"}, {"name": "d", "kind": "boolean"})");
  EmbeddingOptions options;
  options.column_weights["c"] = 3.0;
  const FeatureSet features = mean_embedding_features(encoder, options);
  EXPECT_DOUBLE_EQ(features.blocks()[1].sensitivity(NeighbourRelation::kAddRemoveOne),
                   std::sqrt(10.0));
}

TEST(FeatureSet, ComesBackFromJson) {
  const Encoder encoder = encoder_of(R"("target": "label", )");
  EmbeddingOptions options;
  options.order = 7;
  options.column_length_scales["y"] = 0.3;
  options.column_weights["c"] = 1.0 / 3.0;
  const FeatureSet features = mean_embedding_features(encoder, options);
  EXPECT_EQ(features.blocks()[1].maps[1].map.hermite().length_scale(), 0.3);
  EXPECT_EQ(FeatureSet::from_json(encoder, features.to_json(encoder)), features);
}

TEST(FeatureSet, RefusesOptionsForColumnsTheyDoNotFit) {
  const Encoder encoder = encoder_of(R"("target": "label", )");
  const auto refused = [&](const EmbeddingOptions& options) {
    return message_of(ErrorCode::kInvalidArgument,
                      [&] { mean_embedding_features(encoder, options); });
  };
  EmbeddingOptions options;
  options.column_length_scales["c"] = 0.1;
  expect_mentions(refused(options), {"'c'", "numbers"});
  options = {};
  options.column_weights["label"] = 2.0;
  expect_mentions(refused(options), {"'label'"});
  options = {};
  options.column_weights["xx"] = 2.0;
  expect_mentions(refused(options), {"'xx'", "known names: x, y, c"});
  for (const double bad : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    options = {};
    options.column_weights["x"] = bad;
    refused(options);
    options = {};
    options.column_length_scales["x"] = bad;
    refused(options);
    options = {};
    options.length_scale = bad;
    refused(options);
  }
}

TEST(FeatureSet, RefusesASpecificationThatDoesNotFitTheSchema) {
  const Encoder encoder = encoder_of("");
  const auto refused = [&](const std::string& maps, ErrorCode code = ErrorCode::kInvalidRelease) {
    message_of(code, [&] {
      FeatureSet::from_json(
          encoder,
          R"({"grid_exponent": 20, "blocks": [{"name": "b", "labelled": false, "weight": 1, "maps": [)" +
              maps + "]}]}");
    });
  };
  refused(R"({"map": "one-hot", "column": "x", "weight": 1})");
  refused(
      R"({"map": "hermite", "column": "c", "order": 5, "length_scale": 0.1, "rho": 0.5, "weight": 1})");
  refused(R"({"map": "one-hot", "column": "none", "weight": 1})", ErrorCode::kInvalidArgument);
  refused(R"({"map": "fourier", "column": "x", "weight": 1})");
  refused(
      R"({"map": "hermite", "column": "x", "order": 100000, "length_scale": 0.1, "rho": 0.5, "weight": 1})");
}

}  // namespace feature_set_test
}  // namespace mehler
