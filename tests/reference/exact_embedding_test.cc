#include "mehler/reference/exact_embedding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/demo/people.h"
#include "mehler/evaluation/kernels/read_records.h"
#include "mehler/features/embedding_features.h"
#include "tests/support/embedding_test_peer.h"
#include "tests/support/image_table.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace exact_embedding_test {

/// The sums of a private table before noise, without those of the count, in units of the features.
std::vector<std::vector<double>> private_sums(const Schema& schema, const Table& table,
                                              const FeatureSet& features) {
  const Encoder encoder(schema);
  const auto sums = EmbeddingTestPeer::sums(
      embed(PrivateTable({part_of({table})}, schema), encoder, features, Context{}));
  std::vector<std::vector<double>> result;
  for (std::size_t b = 1; b < sums.size(); ++b) {
    result.emplace_back();
    for (const std::int64_t sum : sums[b]) {
      result.back().push_back(
          std::ldexp(static_cast<double>(sum), -features.blocks()[b].grid_exponent()));
    }
  }
  return result;
}

void expect_private_sums(const Schema& schema, const Table& table,
                         const EmbeddingOptions& options) {
  const Encoder encoder(schema);
  const FeatureSet features = mean_embedding_features(encoder, options);
  const PublicRecords records(read_records(encoder, table), DeclaredPublic{});
  const std::vector<std::vector<double>> expected = private_sums(schema, table, features);
  for (const std::size_t threads : {1, 3}) {
    const EmbeddingTarget found =
        exact_embedding(encoder, features, records, Context{threads, nullptr, nullptr});
    EXPECT_EQ(found.sums, expected);
    EXPECT_TRUE(found.sigmas.empty());
    EXPECT_EQ(std::accumulate(found.class_counts.begin(), found.class_counts.end(), 0.0),
              static_cast<double>(table.rows()));
  }
}

TEST(ExactEmbedding, IsThePrivateOneBeforeItsNoise) {
  EmbeddingOptions options;
  options.product.columns = 2;
  options.product.subsets = 3;
  options.fourier.frequencies = 5;
  // More records than a slice has.
  expect_private_sums(people_schema(), simulate_people(5000, 3), options);
}

TEST(ExactEmbedding, IsThePrivateOneOfImages) {
  const ImageShape shape{4, 3, 1};
  EmbeddingOptions options;
  options.order = 4;
  options.fourier.frequencies = 5;
  expect_private_sums(image_schema(shape), image_table(300, shape, 2), options);
}

TEST(ExactEmbedding, CountsTheClasses) {
  const ImageShape shape{2, 2, 1};
  const Encoder encoder(image_schema(shape));
  const Table table = image_table(300, shape, 2);
  const auto& labels = std::get<std::vector<std::string>>(table.columns[1].values);
  const PublicRecords records(read_records(encoder, table), DeclaredPublic{});
  const EmbeddingTarget found = exact_embedding(
      encoder, mean_embedding_features(encoder, EmbeddingOptions()), records, Context{});
  ASSERT_EQ(found.class_counts.size(), 3u);
  EXPECT_EQ(found.class_counts[2],
            static_cast<double>(std::count(labels.begin(), labels.end(), "light")));
}

}  // namespace exact_embedding_test
}  // namespace mehler
