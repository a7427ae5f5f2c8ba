// The guarantee of counts, through the code that is shipped: what one record changes, that sums are
// exact, and that noise has the stated scale.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/seeded_random.h"
#include "mehler/demo/people.h"
#include "mehler/measurement/private_counter.h"
#include "mehler/synthesis/marginals/release_marginals.h"
#include "tests/support/counted_table.h"
#include "tests/support/errors.h"
#include "tests/support/private_counter_test_peer.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace contrast_privacy_test {

using Sums = std::vector<std::vector<std::int64_t>>;

Schema schema_with(const std::string& head) {
  return Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [
      {"name": "x", "kind": "numeric", "bounds": [-4, 9], "missing": true},
      {"name": "y", "kind": "integer", "bounds": [0, 1000], "transform": "log"},
      {"name": "c", "kind": "categorical", "categories": ["a", "b", "d", "e"], "other": "rest"},
      {"name": "b", "kind": "boolean"}]})");
}

Table random_record(SeededRandom& random) {
  const double numbers[] = {-4, 9, -1e300, 1e300, 13.0 * random.uniform() - 4.0};
  const char* texts[] = {"a", "b", "d", "e", "unknown"};
  Table record;
  record.columns.push_back({"x",
                            ColumnKind::kNumeric,
                            std::vector<double>{numbers[random.next_word() % 5]},
                            {random.flip(0.2)}});
  record.columns.push_back(
      {"y",
       ColumnKind::kInteger,
       std::vector<std::int64_t>{static_cast<std::int64_t>(1100 * random.uniform()) - 50},
       {}});
  record.columns.push_back(
      {"c", ColumnKind::kCategorical, std::vector<std::string>{texts[random.next_word() % 5]}, {}});
  record.columns.push_back(
      {"b", ColumnKind::kBoolean, std::vector<std::int64_t>{random.flip(0.5) ? 1 : 0}, {}});
  return record;
}

CountBlock contrasts(const Encoder& encoder, const std::vector<std::size_t>& columns,
                     std::size_t ranges = 16) {
  return CountBlock::marginal(encoder, columns, own_cells(encoder, ranges), "");
}

/// Every kind of block that counts: columns, pairs, a triple, rare categories, halves of ranges.
std::vector<CountBlock> all_blocks(const Encoder& encoder) {
  std::vector<CountBlock> blocks;
  blocks.push_back(CountBlock::records());
  for (const auto& columns : std::vector<std::vector<std::size_t>>{
           {0}, {1}, {2}, {3}, {0, 1}, {0, 2}, {1, 3}, {2, 3}, {1, 2, 3}}) {
    blocks.push_back(contrasts(encoder, columns, columns.size() == 3 ? 4 : 16));
  }
  const auto grouped = std::make_shared<const ColumnPartition>(
      ColumnPartition::grouped(encoder.columns()[2], {1, 3}));
  blocks.push_back({"rare", Marginal{{{2, grouped}}}});
  RangeHalves halves{ValueGrid(encoder.columns()[1]), {{0, 3}, {10, 500}, {700, 702}}};
  blocks.push_back(
      {"halves", HalvedRanges{1, std::make_shared<const RangeHalves>(std::move(halves))}});
  return blocks;
}

Sums sums_of(const Schema& schema, const Encoder& encoder, std::span<const CountBlock> blocks,
             std::vector<Table> batches, std::size_t threads = 1) {
  PrivateCounter codes(PrivateTable({part_of(std::move(batches))}, schema), encoder,
                       Context{threads, nullptr, nullptr});
  return PrivateCounterTestPeer::sums(codes, blocks);
}

/// The length of a block's sums, or of their difference, in units of the noise.
double change(const CountBlock& block, const std::vector<std::int64_t>& one,
              const std::vector<std::int64_t>* other) {
  const double step = std::ldexp(1.0, -block.grid_exponent());
  double sum = 0.0;
  const std::vector<double> scales = block.noise_scales();
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const double difference =
        step * static_cast<double>(one[i] - (other == nullptr ? 0 : (*other)[i])) / scales[i];
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

/// Sums are exact, so a table with one record more differs from its neighbour by that record's own
/// sums, and one with a record exchanged by the difference of two records' sums.
void expect_sensitivities_hold(NeighbourRelation relation, std::size_t records) {
  const Schema schema = schema_with(
      relation == NeighbourRelation::kReplaceOne ? R"("relation": "replace-one", )" : "");
  const Encoder encoder(schema);
  const std::vector<CountBlock> blocks = all_blocks(encoder);
  SeededRandom random(5);
  std::vector<double> worst(blocks.size(), 0.0);
  std::vector<Sums> others;
  for (std::size_t i = 0; i < records; ++i) {
    Sums record = sums_of(schema, encoder, blocks, {random_record(random)});
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (relation == NeighbourRelation::kAddRemoveOne) {
        worst[b] = std::max(worst[b], change(blocks[b], record[b], nullptr));
      }
      for (const Sums& other : others) {
        worst[b] = std::max(worst[b], change(blocks[b], record[b], &other[b]));
      }
    }
    if (relation == NeighbourRelation::kReplaceOne) {
      others.push_back(std::move(record));
    }
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const double stated = blocks[b].sensitivity(relation);
    EXPECT_LE(worst[b], stated) << blocks[b].name;
    EXPECT_GE(worst[b], 0.99 * stated) << blocks[b].name << ": loose";
  }
}

TEST(ContrastSensitivity, OfOneRecordMoreOrFewerIsNeverExceededAndTight) {
  expect_sensitivities_hold(NeighbourRelation::kAddRemoveOne, 20'000);
}

TEST(ContrastSensitivity, OfAnExchangedRecordIsNeverExceededAndTight) {
  expect_sensitivities_hold(NeighbourRelation::kReplaceOne, 450);  // 101,025 exchanges
}

TEST(ContrastSums, AreTheSumsOfTheFeaturesForAnyThreadsBatchesAndOrder) {
  const Schema schema = schema_with("");
  const Encoder encoder(schema);
  const std::vector<CountBlock> blocks = all_blocks(encoder);
  SeededRandom random(9);
  std::vector<Table> records;
  std::vector<std::vector<double>> expected;
  for (const CountBlock& block : blocks) {
    expected.emplace_back(block.dimension(), 0.0);
  }
  for (int i = 0; i < 500; ++i) {
    records.push_back(random_record(random));
    RecordStream stream = part_of({records.back()})();
    const EncoderBinding binding = encoder.bind(stream.schema());
    RecordBatch batch;
    ASSERT_TRUE(stream.next(batch));
    EncodedBatch encoded;
    encoder.encode(binding, stream.schema(), batch.value(), encoded);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      std::vector<double> features(blocks[b].dimension());
      blocks[b].evaluate(encoded, 0, features.data());
      const std::vector<double> scales = blocks[b].noise_scales();
      for (std::size_t k = 0; k < scales.size(); ++k) {
        expected[b][k] += features[k] * scales[k];
      }
    }
  }
  const Sums sums = sums_of(schema, encoder, blocks, records);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::size_t k = 0; k < sums[b].size(); ++k) {
      EXPECT_NEAR(std::ldexp(static_cast<double>(sums[b][k]), -blocks[b].grid_exponent()),
                  expected[b][k], 1e-7)
          << blocks[b].name;
    }
  }
  std::reverse(records.begin(), records.end());
  EXPECT_EQ(sums_of(schema, encoder, blocks, records, 3), sums);
}

TEST(ContrastSums, KeepAtMostTheBoundOfEachPrivacyUnitOverAllParts) {
  const Schema people = people_schema();
  const Schema schema(people.columns(), people.target(), people.relation(),
                      PrivacyUnit{"patient_id", 2});
  const Encoder encoder(schema);
  const std::vector<CountBlock> blocks = {contrasts(encoder, {0}), contrasts(encoder, {0, 8})};
  std::vector<RecordStreamFactory> parts;
  std::vector<Table> kept;
  for (std::uint64_t part = 0; part < 3; ++part) {
    Table table = simulate_people(50, part + 1);  // P100000 to P100049, one record in each part
    kept.push_back(table);
    parts.push_back(part_of({std::move(table)}));
  }
  kept.pop_back();
  PrivateCounter codes(PrivateTable(std::move(parts), schema), encoder, Context{});
  EXPECT_EQ(PrivateCounterTestPeer::sums(codes, blocks),
            sums_of(people, Encoder(people), blocks, kept));
}

TEST(ContrastNoise, HasTheStatedScaleInEveryContrast) {
  // 3,600 contrasts; the mean of their squares, in units of the noise, is 1 with a standard
  // deviation of sqrt(2 / 3600): 7 of them are exceeded with probability 3e-12.
  std::string labels;
  for (int i = 0; i < 61; ++i) {
    labels += (i > 0 ? ", \"v" : "\"v") + std::to_string(i) + "\"";
  }
  const Schema schema = Schema::from_json(
      R"({"mehler_schema": 1, "columns": [
      {"name": "p", "kind": "categorical", "categories": [)" +
      labels + R"(]}, {"name": "q", "kind": "categorical", "categories": [)" + labels + "]}]}");
  const Encoder encoder(schema);
  Table record;
  for (const char* name : {"p", "q"}) {
    record.columns.push_back({name, ColumnKind::kCategorical, std::vector<std::string>{"v7"}, {}});
  }
  PrivateCounter codes(PrivateTable({part_of({record})}, schema), encoder, Context{});
  const std::vector<CountBlock> blocks = {contrasts(encoder, {0, 1})};
  const Sums exact = PrivateCounterTestPeer::sums(codes, blocks);
  Accountant accountant({1.0, 1e-5});
  const double precision = 0.5 * accountant.total_mu_squared();
  const std::vector<NoisyBlock> noisy = codes.measure(
      CountMechanism(accountant, "test", blocks, schema, std::vector{precision}), Context{});
  double sum = 0.0;
  const std::vector<double> scales = blocks[0].noise_scales();
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const auto error = static_cast<double>(noisy[0].grid_sums[i] - exact[0][i]) / 256.0 /
                       scales[i] * std::sqrt(precision);
    sum += error * error / 3600.0;
  }
  EXPECT_NEAR(sum, 1.0, 7.0 * std::sqrt(2.0 / 3600.0));
  EXPECT_NEAR(accountant.left_mu_squared() / accountant.total_mu_squared(),
              1.0 - 0.5 * blocks[0].sensitivity(schema.relation()) *
                        blocks[0].sensitivity(schema.relation()),
              1e-12);
}

TEST(ContrastNoise, LeavesNoSumAsItIs) {
  const Schema schema = schema_with("");
  const Encoder encoder(schema);
  const std::vector<CountBlock> blocks = all_blocks(encoder);
  SeededRandom random(2);
  PrivateCounter codes(PrivateTable({part_of({random_record(random)})}, schema), encoder,
                       Context{});
  const Sums exact = PrivateCounterTestPeer::sums(codes, blocks);
  std::vector<std::vector<int>> unchanged;
  for (const std::vector<std::int64_t>& sums : exact) {
    unchanged.emplace_back(sums.size(), 0);
  }
  constexpr int kRuns = 4;
  for (int run = 0; run < kRuns; ++run) {
    Accountant accountant({1.0, 1e-6});
    const std::vector<double> precisions(blocks.size(), 0.01 * accountant.total_mu_squared());
    const std::vector<NoisyBlock> noisy =
        codes.measure(CountMechanism(accountant, "test", blocks, schema, precisions), Context{});
    for (std::size_t b = 0; b < exact.size(); ++b) {
      for (std::size_t i = 0; i < exact[b].size(); ++i) {
        unchanged[b][i] += noisy[b].grid_sums[i] == exact[b][i] ? 1 : 0;
      }
    }
  }
  // Noise of 10,000 steps of the grid is 0 four times in a row with probability 3e-18.
  for (std::size_t b = 0; b < exact.size(); ++b) {
    EXPECT_EQ(std::count(unchanged[b].begin(), unchanged[b].end(), kRuns), 0) << blocks[b].name;
  }
}

TEST(ContrastRelease, SpendsTheWholeBudgetAndStatesEveryPart) {
  for (const auto relation : {NeighbourRelation::kAddRemoveOne, NeighbourRelation::kReplaceOne}) {
    for (const int rounds : {1, 2}) {
      const Schema people = people_schema();
      const Schema schema(people.columns(), people.target(), relation);
      Accountant accountant({1.0, 1e-6});
      MarginalsOptions options;
      options.rounds = rounds;
      const Release release =
          release_marginals(PrivateTable({part_of({simulate_people(3000, 4)})}, schema), options,
                            accountant, Context{2, nullptr, nullptr});
      double stated = 0.0;
      for (const Charge& charge : release.statement().charges) {
        const auto& block = std::get<GaussianSums>(charge);
        stated += block.mu_squared();
      }
      EXPECT_NEAR(stated / accountant.total_mu_squared(), 1.0, 1e-9);
      EXPECT_LE(stated, accountant.total_mu_squared());
      // Written, read, and re-derived.
      const Release back = Release::from_bytes(release.to_bytes(), "test");
      EXPECT_EQ(back.to_bytes(), release.to_bytes());
      EXPECT_EQ(back.statement().public_rows.has_value(),
                relation == NeighbourRelation::kReplaceOne);
    }
  }
}

/// A payment for blocks, each with this precision.
CountMechanism paid_for(Accountant& accountant, const std::vector<CountBlock>& blocks,
                        const Schema& schema, double precision = 1e-6) {
  return CountMechanism(accountant, "test", blocks, schema,
                        std::vector<double>(blocks.size(), precision));
}

TEST(PaymentForCounts, IsRefusedUnderAnotherSchema) {
  const Schema schema = schema_with("");
  const Schema exchange = schema_with(R"("relation": "replace-one", )");
  const Encoder encoder(schema);
  SeededRandom random(1);
  PrivateCounter codes(PrivateTable({part_of({random_record(random)})}, schema), encoder,
                       Context{});
  Accountant accountant({1.0, 1e-5});
  expect_mentions(
      message_of(
          ErrorCode::kInvalidArgument,
          [&] {
            codes.measure(paid_for(accountant, {contrasts(encoder, {0, 1})}, exchange), Context{});
          }),
      {"another schema"});
}

TEST(PaymentForCounts, MeasuresItsOwnBlocksAndNoOthers) {
  const Schema schema = schema_with("");
  const Encoder encoder(schema);
  SeededRandom random(1);
  PrivateCounter codes(PrivateTable({part_of({random_record(random)})}, schema), encoder,
                       Context{});
  const std::vector<CountBlock> blocks = all_blocks(encoder);
  Accountant accountant({1.0, 1e-5});
  CountMechanism mechanism = paid_for(accountant, blocks, schema);
  const std::vector<NoisyBlock> noisy = codes.measure(std::move(mechanism), Context{});
  ASSERT_EQ(noisy.size(), blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(noisy[i].columns, blocks[i].dimension());
  }
  message_of(ErrorCode::kInvalidArgument,
             [&] { codes.measure(std::move(mechanism), Context{}); });  // it was used
}

TEST(PaymentForCounts, IsRefusedForOneTableTwice) {
  const Schema schema = schema_with("");
  const Encoder encoder(schema);
  SeededRandom random(1);
  PrivateCounter codes(PrivateTable({part_of({random_record(random)})}, schema), encoder,
                       Context{});
  const CountBlock pair = contrasts(encoder, {0, 1});
  CountBlock again = pair;
  again.name = "again";
  Accountant accountant({1.0, 1e-5});
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [&] {
                               codes.measure(paid_for(accountant, {pair, again}, schema),
                                             Context{2, nullptr, nullptr});
                             }),
                  {"'again'", "twice", "once"});
  // One after the other they may: the second is another payment.
  for (const CountBlock& block : {pair, again}) {
    EXPECT_EQ(codes.measure(paid_for(accountant, {block}, schema), Context{}).size(), 1u);
  }
}

TEST(ContrastRelease, OfATableWithoutRecordsIsThereLikeAnyOther) {
  const Schema schema = people_schema();
  for (const double epsilon : {0.1, 1.0, 10.0}) {
    for (const std::size_t records : {0u, 1u}) {
      Accountant accountant({epsilon, 1e-6});
      const Release release =
          release_marginals(PrivateTable({part_of({simulate_people(records, 4)})}, schema),
                            MarginalsOptions{}, accountant, Context{});
      EXPECT_EQ(Release::from_bytes(release.to_bytes(), "test").to_bytes(), release.to_bytes());
    }
  }
}

TEST(ContrastRelease, OfATableWithoutRecordsIsRefusedWhereTheirNumberIsPublic) {
  const Schema people = people_schema();
  const Schema schema(people.columns(), people.target(), NeighbourRelation::kReplaceOne);
  Accountant accountant({1.0, 1e-6});
  expect_mentions(message_of(ErrorCode::kInvalidTable,
                             [&] {
                               release_marginals(
                                   PrivateTable({part_of({simulate_people(0, 4)})}, schema),
                                   MarginalsOptions{}, accountant, Context{});
                             }),
                  {"no rows"});
}

TEST(ContrastRelease, DoesNotDependOnAMemoryLimitForRecords) {
  // The least limit that may be asked for, and records whose codes take more: 50 bytes each.
  MarginalsOptions options;
  options.max_bytes = 10'000'000;
  Accountant accountant({1.0, 1e-6});
  const std::size_t records = 250'000;
  const Release release =
      release_marginals(PrivateTable({part_of({simulate_people(records, 4)})}, people_schema()),
                        options, accountant, Context{2, nullptr, nullptr});
  EXPECT_NEAR(release.record_count(), static_cast<double>(records), 1000.0);
}

}  // namespace contrast_privacy_test
}  // namespace mehler
