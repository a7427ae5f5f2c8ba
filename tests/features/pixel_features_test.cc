// Features of images: what they are made of, how far they can reach, what is written of them, what
// is refused.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mehler/encoding/pixel_numbers.h"
#include "mehler/features/embedding_features.h"
#include "mehler/features/feature_set.h"
#include "tests/support/errors.h"
#include "tests/support/image_table.h"

namespace mehler {
namespace pixel_features_test {

constexpr ImageShape kShape{2, 3, 1};

EncodedBatch images_of(const std::vector<std::vector<std::uint8_t>>& images) {
  EncodedBatch batch;
  batch.rows = images.size();
  batch.columns.resize(2);
  for (const std::vector<std::uint8_t>& image : images) {
    batch.columns[0].pixels.insert(batch.columns[0].pixels.end(), image.begin(), image.end());
    batch.columns[1].codes.push_back(0);
  }
  return batch;
}

TEST(PixelFeatures, AreTheSameFeaturesOfEachByteOneAfterTheOther) {
  const HermiteFeatures hermite = HermiteFeatures::with_best_rho(7, 0.3);
  const FeatureMap map = FeatureMap::pixels(0, kShape.size(), hermite);
  const EncodedBatch batch = images_of({{0, 1, 2, 3, 4, 5}, {255, 0, 128, 127, 9, 200}});
  ASSERT_EQ(map.dimension(), 6u * 8u);
  std::vector<double> found(map.dimension());
  map.evaluate(batch, 1, found.data());
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    std::vector<double> expected(8);
    const double number = number_of_pixel(batch.columns[0].pixels[6 + i]);
    hermite.evaluate(number, expected.data());
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_EQ(found[i * 8 + k], expected[k]);
    }
    EXPECT_EQ(FeatureMap::pixel(0, i, hermite).number_of(batch, 1), number);
  }
}

TEST(PixelFeatures, PixelsReachFromOneEndToTheOtherAndComeBack) {
  EXPECT_EQ(number_of_pixel(0), -1.0);
  EXPECT_EQ(number_of_pixel(255), 1.0);
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(pixel_of_number(number_of_pixel(static_cast<std::uint8_t>(byte)), 0.5), byte);
  }
  for (const double chance : {0.0, 0.5, 0.999}) {
    EXPECT_EQ(pixel_of_number(-1.5, chance), 0);
    EXPECT_EQ(pixel_of_number(1.5, chance), 255);
  }
}

TEST(PixelFeatures, PixelsOfANumberHaveItAsTheirMean) {
  constexpr int kChances = 1000;
  for (const double byte : {0.0, 0.25, 3.5, 128.75, 254.9}) {
    double sum = 0.0;
    for (int i = 0; i < kChances; ++i) {
      sum += pixel_of_number(byte / 127.5 - 1.0, (i + 0.5) / kChances);
    }
    EXPECT_NEAR(sum / kChances, byte, 1.0 / kChances);
  }
}

/// The norm of a rounded feature vector, or of the difference of two.
double rounded_norm(const std::vector<double>& one, const std::vector<double>* other = nullptr) {
  double sum = 0.0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const auto rounded = [](double value) {
      return std::ldexp(std::round(std::ldexp(value, kGridExponent)), -kGridExponent);
    };
    sum += std::pow(rounded(one[i]) - (other == nullptr ? 0.0 : rounded((*other)[i])), 2);
  }
  return std::sqrt(sum);
}

TEST(PixelFeatures, NoImageMovesTheSumsByMoreThanTheSensitivity) {
  // The paper's settings among them: their truncated kernels are negative in places.
  for (const auto& [order, length_scale] :
       {std::pair{100, 0.1414}, {100, 0.775}, {20, 0.15}, {3, 0.05}}) {
    FeatureBlock block{"sum", false, 1.0, {}, Combination::kSum};
    block.maps.push_back({FeatureMap::pixels(
        0, kShape.size(),
        HermiteFeatures::with_best_rho(static_cast<std::size_t>(order), length_scale))});
    std::vector<std::vector<double>> of_bytes;  // images of one byte throughout: the extremes
    for (int byte = 0; byte < 256; ++byte) {
      of_bytes.emplace_back(block.dimension());
      block.evaluate(images_of({std::vector<std::uint8_t>(6, static_cast<std::uint8_t>(byte))}), 0,
                     of_bytes.back().data());
    }
    double largest = 0.0;
    double largest_difference = 0.0;
    for (const std::vector<double>& one : of_bytes) {
      largest = std::max(largest, rounded_norm(one));
      for (const std::vector<double>& other : of_bytes) {
        largest_difference = std::max(largest_difference, rounded_norm(one, &other));
      }
    }
    const double added = block.sensitivity(NeighbourRelation::kAddRemoveOne);
    EXPECT_LE(largest, added);
    EXPECT_GE(largest, 0.9 * added) << "the bound is far from what is reached";
    EXPECT_LE(largest_difference, block.sensitivity(NeighbourRelation::kReplaceOne));
    EXPECT_LE(added, block.published_sensitivity(NeighbourRelation::kAddRemoveOne));
    EXPECT_NEAR(block.published_sensitivity(NeighbourRelation::kReplaceOne), 2.0 * std::sqrt(6.0),
                1e-3);
  }
}

TEST(PixelFeatures, ProductsAreDrawnOfDifferentPixels) {
  const Encoder encoder(image_schema(kShape));
  EmbeddingOptions options;
  options.product.columns = 2;
  options.product.subsets = 12;
  options.product.order = 4;
  const FeatureSet features = mean_embedding_features(encoder, options);
  ASSERT_EQ(features.blocks().size(), 14u);
  EXPECT_EQ(features.blocks()[1].dimension(), 6u * 21u);
  EXPECT_EQ(features.blocks()[1].elements(), 6u);
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t b = 2; b < 14; ++b) {
    const FeatureBlock& block = features.blocks()[b];
    EXPECT_EQ(block.dimension(), 25u);
    const std::size_t first = block.maps[0].map.inputs()[0].element.value();
    const std::size_t second = block.maps[1].map.inputs()[0].element.value();
    EXPECT_LT(first, second);
    EXPECT_LT(second, 6u);
    pairs.emplace(first, second);
  }
  EXPECT_EQ(pairs.size(), 12u);
  EXPECT_TRUE(mean_embedding_features(encoder, options) == features);
  options.product.seed = 2;
  EXPECT_FALSE(mean_embedding_features(encoder, options) == features);
}

TEST(PixelFeatures, ComeBackFromTheirText) {
  for (const char* relation :
       {R"("relation": "add-remove-one", )", R"("relation": "replace-one", )"}) {
    const Encoder encoder(image_schema({4, 4, 3}, "", relation));
    const FeatureSet features = mean_embedding_features(
        encoder, {.order = 9, .length_scale = 0.2, .product = {.columns = 2, .subsets = 3}});
    const std::string text = features.to_json(encoder);
    EXPECT_TRUE(FeatureSet::from_json(encoder, text, features.dimension()) == features);
    // More features than there are numbers are refused before they are made.
    expect_mentions(
        message_of(ErrorCode::kInvalidRelease, [&] { FeatureSet::from_json(encoder, text, 300); }),
        {"more features"});
  }
}

TEST(PixelFeatures, OfFourierAreThoseOfAllBytesTogether) {
  const Encoder encoder(image_schema({4, 4, 3}));
  const FeatureSet features =
      mean_embedding_features(encoder, {.sum = false, .fourier = {.frequencies = 7}});
  ASSERT_EQ(features.blocks().size(), 2u);
  const FeatureMap& map = features.blocks()[1].maps.at(0).map;
  EXPECT_EQ(map.kind(), FeatureMap::Kind::kFourierOfPixels);
  EXPECT_EQ(map.random_fourier().inputs(), 48u);
  EXPECT_EQ(map.random_fourier().length_scale(), 0.5 * std::sqrt(48.0));
  EXPECT_NEAR(features.blocks()[1].sensitivity(NeighbourRelation::kAddRemoveOne), 1.0, 1e-5);
  const std::string text = features.to_json(encoder);
  EXPECT_TRUE(FeatureSet::from_json(encoder, text, features.dimension()) == features);
}

TEST(PixelFeatures, RefuseTextsThatDoNotFit) {
  const Encoder encoder(image_schema(kShape, R"(, {"name": "x", "kind": "numeric",
                                               "bounds": [0, 1]})"));
  const auto refusal = [&](const std::string& map, const std::string& combination) {
    const std::string text = R"({"grid_exponent": 20, "blocks": [{"name": "b", "labelled": false,
        "weight": 1, )" + combination +
                             R"("maps": [{"weight": 1, "order": 3, "length_scale": 0.4,
        "rho": 0.5, )" + map +
                             "}]}]}";
    try {
      FeatureSet::from_json(encoder, text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  const std::string product = R"("combination": "product", )";
  EXPECT_EQ(refusal(R"("map": "pixels", "column": "image")", ""), "not refused");
  EXPECT_EQ(refusal(R"("map": "hermite", "column": "image", "element": 5)", product),
            "not refused");
  expect_mentions(refusal(R"("map": "hermite", "column": "image", "element": 6)", product),
                  {"byte 6", "6 bytes"});
  expect_mentions(refusal(R"("map": "hermite", "column": "image", "element": -1)", product),
                  {"byte -1"});
  expect_mentions(refusal(R"("map": "hermite", "column": "image")", product), {"element"});
  expect_mentions(refusal(R"("map": "hermite", "column": "image", "element": 5)", ""),
                  {"one pixel"});
  expect_mentions(refusal(R"("map": "pixels", "column": "image")", product), {"all pixels"});
  expect_mentions(refusal(R"("map": "pixels", "column": "x")", ""), {"does not fit"});
  expect_mentions(refusal(R"("map": "hermite", "column": "x", "element": 0)", product),
                  {"element"});
  expect_mentions(refusal(R"("map": "one-hot", "column": "image")", ""), {"does not fit"});
  expect_mentions(refusal(R"("map": "missing", "column": "image")", ""), {"does not fit"});
  expect_mentions(refusal(R"("map": "missing", "column": "x")", ""), {"does not fit"});
  expect_mentions(refusal(R"("map": "fourier", "columns": ["image"])", ""), {"not of numbers"});
}

TEST(PixelFeatures, RefuseWhatImagesDoNotHave) {
  const Encoder encoder(image_schema(kShape));
  const auto refusal = [&](const EmbeddingOptions& options) {
    return message_of(ErrorCode::kInvalidArgument,
                      [&] { mean_embedding_features(encoder, options); });
  };
  EmbeddingOptions named;
  named.product.named = {{"image"}};
  expect_mentions(refusal(named), {"'image'"});
  EmbeddingOptions many;
  many.product.columns = 7;
  expect_mentions(refusal(many), {"7", "6"});
}

}  // namespace pixel_features_test
}  // namespace mehler
