#include "mehler/measurement/embedding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/seeded_random.h"
#include "mehler/demo/people.h"
#include "mehler/features/embedding_features.h"
#include "mehler/measurement/private_counter.h"
#include "tests/support/embedding_test_peer.h"
#include "tests/support/errors.h"
#include "tests/support/product_accumulator_test_peer.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace embedding_test {

using Sums = std::vector<std::vector<std::int64_t>>;

constexpr std::size_t kRows = 5000;

const Table& people() {
  static const Table table = simulate_people(kRows, 11);
  return table;
}

/// Sum block and products of numbers that may be missing, numbers and categories.
EmbeddingOptions with_products() {
  EmbeddingOptions options;
  options.product.named = {
      {"age", "income", "hours"}, {"region", "income"}, {"region", "smoker"}, {"hours"}};
  options.product.columns = 4;
  options.product.subsets = 2;
  options.product.order = 3;
  return options;
}

/// The exact sums of a table given as parts, each a list of batches.
Sums sums_of(const Schema& schema, std::vector<std::vector<Table>> parts, std::size_t threads) {
  const Encoder encoder(schema);
  const FeatureSet features = mean_embedding_features(encoder, with_products());
  std::vector<RecordStreamFactory> factories;
  for (std::vector<Table>& part : parts) {
    factories.push_back(part_of(std::move(part)));
  }
  const Embedding embedding = embed(PrivateTable(std::move(factories), schema), encoder, features,
                                    Context{threads, nullptr, nullptr});
  return EmbeddingTestPeer::sums(embedding);
}

std::vector<std::size_t> shuffled_rows(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  SeededRandom random(seed);
  for (std::size_t i = count; i > 1; --i) {
    std::swap(rows[i - 1], rows[random.next_word() % i]);
  }
  return rows;
}

std::vector<Table> in_batches(const Table& table, const std::vector<std::size_t>& order,
                              std::size_t size) {
  std::vector<Table> batches;
  for (std::size_t start = 0; start < order.size(); start += size) {
    const auto from = order.begin() + static_cast<std::ptrdiff_t>(start);
    const auto to =
        order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), start + size));
    batches.push_back(rows_of(table, {from, to}));
  }
  return batches;
}

TEST(Embedding, IsTheSumOfTheRoundedFeatures) {
  const Schema schema = people_schema();
  const Encoder encoder(schema);
  const FeatureSet features = mean_embedding_features(encoder, with_products());
  RecordStream stream = part_of({people()})();
  RecordBatch batch;
  ASSERT_TRUE(stream.next(batch));
  EncodedBatch encoded;
  encoder.encode(encoder.bind(stream.schema()), stream.schema(), batch.value(), encoded);
  const Sums sums = sums_of(schema, {{people()}}, 1);
  ASSERT_EQ(sums.size(), features.blocks().size());
  for (std::size_t b = 0; b < sums.size(); ++b) {
    const FeatureBlock& block = features.blocks()[b];
    const bool is_product = block.combination == Combination::kProduct;
    std::vector<double> expected(features.block_rows(block) * block.dimension(), 0.0);
    std::vector<double> phi(block.dimension());
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto label = static_cast<std::size_t>(encoded.columns[*encoder.label()].codes[row]);
      block.evaluate(encoded, row, phi.data());
      for (std::size_t i = 0; i < phi.size(); ++i) {
        const double scaled = std::ldexp(phi[i], block.grid_exponent());
        // Products are rounded in their factors, which are not seen here.
        expected[label * phi.size() + i] += is_product ? scaled : std::round(scaled);
      }
    }
    ASSERT_EQ(sums[b].size(), expected.size());
    // Each factor of a record's product is moved by at most half a step of its grid.
    const double allowed =
        is_product ? static_cast<double>(kRows) * std::ldexp(1.0, kProductFactorExponent) : 2.0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(sums[b][i]), expected[i], allowed) << block.name << i;
    }
  }
}

TEST(Embedding, OfRecordsThatRepeatIsThatOfEachTimesTheirNumber) {
  // Products large enough that equal records are looked for: 21^3 features.
  const Schema schema = people_schema();
  const Encoder encoder(schema);
  EmbeddingOptions options;
  options.sum = false;
  options.product.named = {{"age", "hours", "income"}};
  options.product.order = 20;
  const FeatureSet features = mean_embedding_features(encoder, options);
  const auto sums = [&](std::vector<Table> batches) {
    return EmbeddingTestPeer::sums(
        embed(PrivateTable({part_of(std::move(batches))}, schema), encoder, features, Context{}));
  };
  std::vector<std::size_t> repeated;
  std::vector<std::size_t> once;
  for (std::size_t row = 0; row < 30; ++row) {
    once.push_back(row);
    for (std::size_t i = 0; i < 40; ++i) {
      repeated.push_back((row * 7) % 30);
    }
  }
  const Sums many = sums({rows_of(people(), repeated)});
  const Sums each = sums({rows_of(people(), once)});
  for (std::size_t b = 0; b < each.size(); ++b) {
    for (std::size_t i = 0; i < each[b].size(); ++i) {
      ASSERT_EQ(many[b][i], 40 * each[b][i]);
    }
  }
}

TEST(ProductSums, WhatASliceCostsDoesNotDependOnTheSlicesBefore) {
  // Else a single record could decide, with the first slice, what all later ones cost: in one of
  // 200 records with 100 different numbers half of them repeat, and with 101 they do not.
  const Schema schema = Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "u", "kind": "numeric", "bounds": [-1, 1]},
      {"name": "v", "kind": "numeric", "bounds": [-1, 1]}]})");
  EmbeddingOptions options;
  options.product.named = {{"u", "v"}};
  options.product.order = 80;
  const FeatureSet features = mean_embedding_features(Encoder(schema), options);
  const FeatureBlock& block = features.blocks().back();
  ASSERT_EQ(block.combination, Combination::kProduct);
  const auto slice = [](std::size_t different) {
    EncodedBatch batch;
    batch.rows = 200;
    batch.columns.resize(2);
    for (std::size_t row = 0; row < batch.rows; ++row) {
      const auto number = static_cast<double>(row % different);
      batch.columns[0].numbers.push_back(number / 200.0);
      batch.columns[1].numbers.push_back(-number / 400.0);
    }
    return batch;
  };
  std::vector<std::uint32_t> rows(200);
  std::iota(rows.begin(), rows.end(), 0U);
  for (const std::size_t before : {1u, 100u, 101u, 200u}) {
    ProductAccumulator accumulator(block);
    std::vector<std::int64_t> sums(block.dimension());
    accumulator.add(slice(before), rows, sums.data());
    for (const std::size_t different : {1u, 100u, 101u, 200u}) {
      accumulator.add(slice(different), rows, sums.data());
      EXPECT_EQ(ProductAccumulatorTestPeer::multiplied_records(accumulator), different) << before;
    }
  }
}

TEST(Embedding, IsTheSameForAnyThreadsBatchesOrderAndSplit) {
  const Schema schema = people_schema();
  std::vector<std::size_t> in_order(kRows);
  std::iota(in_order.begin(), in_order.end(), std::size_t{0});
  const Sums whole = sums_of(schema, {{people()}}, 1);
  for (const std::size_t threads : {1, 2, 5}) {
    for (const std::size_t batch_rows : {1u, 7u, 1000u, 5000u}) {
      if (batch_rows == 1 && threads != 2) {
        continue;
      }
      EXPECT_EQ(sums_of(schema, {in_batches(people(), in_order, batch_rows)}, threads), whole);
    }
    EXPECT_EQ(sums_of(schema, {in_batches(people(), shuffled_rows(kRows, threads), 333)}, threads),
              whole);
    std::vector<std::vector<Table>> ten_parts;
    for (const Table& part : in_batches(people(), shuffled_rows(kRows, 99), kRows / 10)) {
      ten_parts.push_back({part});
    }
    EXPECT_EQ(sums_of(schema, std::move(ten_parts), threads), whole);
  }
}

TEST(Embedding, SplitsABatchThatIsLargerThanASlice) {
  const Schema schema = people_schema();
  const Table large = simulate_people(40'000, 3);
  std::vector<std::size_t> order = shuffled_rows(40'000, 4);
  EXPECT_EQ(sums_of(schema, {{large}}, 3), sums_of(schema, {in_batches(large, order, 5000)}, 1));
}

TEST(Embedding, PartialSumsMergeToTheWhole) {
  const Schema schema = people_schema();
  const Encoder encoder(schema);
  const FeatureSet features = mean_embedding_features(encoder, with_products());
  const std::vector<std::size_t> order = shuffled_rows(kRows, 5);
  const auto embed_rows = [&](std::size_t from, std::size_t to) {
    const std::vector<std::size_t> rows(order.begin() + static_cast<std::ptrdiff_t>(from),
                                        order.begin() + static_cast<std::ptrdiff_t>(to));
    return embed(PrivateTable({part_of({rows_of(people(), rows)})}, schema), encoder, features,
                 Context{});
  };
  Embedding first = embed_rows(0, 1234);
  first.merge(embed_rows(1234, kRows));
  EXPECT_EQ(EmbeddingTestPeer::sums(first), sums_of(schema, {{people()}}, 1));
  EXPECT_EQ(EmbeddingTestPeer::rows(first), kRows);

  EmbeddingOptions other_order;
  other_order.order = 5;
  const FeatureSet other = mean_embedding_features(encoder, other_order);
  message_of(ErrorCode::kInvalidArgument, [&] {
    first.merge(embed(PrivateTable({part_of({people()})}, schema), encoder, other, Context{}));
  });
}

Schema with_privacy_unit(std::size_t max_rows) {
  const Schema schema = people_schema();
  return Schema(schema.columns(), schema.target(), schema.relation(),
                PrivacyUnit{"patient_id", max_rows});
}

TEST(Embedding, KeepsAtMostTheBoundOfEachPrivacyUnit) {
  Table table = simulate_people(600, 8);
  auto& ids = std::get<std::vector<std::string>>(table.columns[0].values);
  for (std::size_t row = 0; row < ids.size(); ++row) {
    ids[row] = "person " + std::to_string(row % 100);  // six records each
  }
  std::vector<std::size_t> in_order(600);
  std::iota(in_order.begin(), in_order.end(), std::size_t{0});
  std::vector<std::size_t> first_200(in_order.begin(), in_order.begin() + 200);
  for (const std::size_t threads : {1, 2, 4}) {
    EXPECT_EQ(sums_of(with_privacy_unit(2), {in_batches(table, in_order, 37)}, threads),
              sums_of(people_schema(), {{rows_of(table, first_200)}}, 1));
  }
  EXPECT_EQ(sums_of(with_privacy_unit(6), {{table}}, 2), sums_of(people_schema(), {{table}}, 1));
}

TEST(Embedding, KeepsAtMostTheBoundOfAPrivacyUnitWhoseRecordsAreInSeveralParts) {
  Table table = simulate_people(300, 8);
  auto& ids = std::get<std::vector<std::string>>(table.columns[0].values);
  for (std::size_t row = 0; row < ids.size(); ++row) {
    ids[row] = "person " + std::to_string(row % 100);  // one record in each of three parts
  }
  std::vector<std::size_t> in_order(300);
  std::iota(in_order.begin(), in_order.end(), std::size_t{0});
  std::vector<std::vector<Table>> parts;
  for (const Table& part : in_batches(table, in_order, 100)) {
    parts.push_back({part});
  }
  std::vector<std::size_t> first_200(in_order.begin(), in_order.begin() + 200);
  const Sums expected = sums_of(people_schema(), {{rows_of(table, first_200)}}, 1);
  for (const std::size_t threads : {1, 3}) {
    EXPECT_EQ(sums_of(with_privacy_unit(2), parts, threads), expected);
  }
}

TEST(Embedding, WithAPrivacyUnitIsNotMerged) {
  const Schema schema = with_privacy_unit(2);
  const Encoder encoder(schema);
  const FeatureSet features = mean_embedding_features(encoder, with_products());
  const auto make = [&] {
    return embed(PrivateTable({part_of({people()})}, schema), encoder, features, Context{});
  };
  Embedding first = make();
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { first.merge(make()); }),
                  {"privacy unit"});
}

TEST(Embedding, RefusesARecordOfNobody) {
  Table table = simulate_people(5, 1);
  table.columns[0].is_missing = {false, false, true, false, false};
  expect_mentions(
      message_of(ErrorCode::kInvalidTable, [&] { sums_of(with_privacy_unit(1), {{table}}, 1); }),
      {"'patient_id'"});
}

TEST(Embedding, OfATableWithoutRowsIsZero) {
  for (const std::vector<std::int64_t>& block :
       sums_of(people_schema(), {{rows_of(people(), {})}}, 2)) {
    EXPECT_EQ(block, std::vector<std::int64_t>(block.size(), 0));
  }
}

TEST(Embedding, RefusesATableWithoutRowsWhereTheirNumberIsPublic) {
  const Schema people_columns = people_schema();
  const Schema schema(people_columns.columns(), people_columns.target(),
                      NeighbourRelation::kReplaceOne);
  expect_mentions(
      message_of(ErrorCode::kInvalidTable, [&] { sums_of(schema, {{rows_of(people(), {})}}, 2); }),
      {"no rows"});
}

TEST(Embedding, PassesOnAnErrorFromAnyWorker) {
  Table table = simulate_people(20'000, 2);
  std::get<std::vector<std::string>>(table.columns[1].values)[19'999] = "nowhere";
  for (const std::size_t threads : {1, 3}) {
    const std::string message =
        message_of(ErrorCode::kInvalidTable, [&] { sums_of(people_schema(), {{table}}, threads); });
    expect_mentions(message, {"'region'"});
    EXPECT_EQ(message.find("nowhere"), std::string::npos);
  }
}

template <class Mechanism>
concept PaysForCounts = requires(PrivateCounter counter, Mechanism mechanism,
                                 const Context context) {
  counter.measure(std::move(mechanism), context);
};

// Sums of features and counts have other grids and other sensitivities: asking the one for the
// other does not compile.
TEST(Embedding, TakesNoCountsNorIsPaidForAsCounts) {
  static_assert(std::is_invocable_v<decltype(embed), PrivateTable, Encoder, FeatureSet, Context>);
  static_assert(!std::is_invocable_v<decltype(embed), PrivateTable, Encoder, CountSet, Context>);
  static_assert(std::is_constructible_v<FeatureSet, Encoder, std::vector<FeatureBlock>>);
  static_assert(!std::is_constructible_v<FeatureSet, Encoder, std::vector<CountBlock>>);
  static_assert(std::is_invocable_v<decltype(privatize), Embedding, SumMechanism>);
  static_assert(!std::is_invocable_v<decltype(privatize), Embedding, CountMechanism>);
  static_assert(PaysForCounts<CountMechanism> && !PaysForCounts<SumMechanism>);
}

TEST(Embedding, StopsWhenAskedTo) {
  const Schema schema = people_schema();
  const Encoder encoder(schema);
  const std::atomic<bool> cancelled{true};
  const Context context{2, nullptr, &cancelled};
  message_of(ErrorCode::kCancelled, [&] {
    embed(PrivateTable({part_of({people()})}, schema), encoder,
          mean_embedding_features(encoder, {}), context);
  });
}

TEST(Embedding, TellsItsProgress) {
  const Schema schema = people_schema();
  const Encoder encoder(schema);
  std::uint64_t rows = 0;
  const Context context{2, [&](const Progress& progress) { rows = progress.rows; }, nullptr};
  embed(PrivateTable({part_of({people()})}, schema), encoder, mean_embedding_features(encoder, {}),
        context);
  EXPECT_GT(rows, 0u);
}

TEST(Embedding, TakesAnArrowStreamFromAnywhere) {
  const Schema schema = people_schema();
  const Encoder encoder(schema);
  const FeatureSet features = mean_embedding_features(encoder, with_products());
  ArrowArrayStream stream = arrow_stream_of({people()});
  const Embedding embedding = embed(PrivateTable(&stream, schema), encoder, features, Context{});
  EXPECT_EQ(stream.release, nullptr) << "the stream is taken over";
  EXPECT_EQ(EmbeddingTestPeer::sums(embedding), sums_of(schema, {{people()}}, 1));
}

}  // namespace embedding_test
}  // namespace mehler
