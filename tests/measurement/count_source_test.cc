#include "mehler/measurement/count_source.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mehler/demo/people.h"
#include "mehler/measurement/internal/codes_in_memory.h"
#include "mehler/measurement/internal/counts_in_passes.h"
#include "mehler/measurement/private_counter.h"
#include "tests/support/counted_table.h"
#include "tests/support/errors.h"
#include "tests/support/image_sums.h"
#include "tests/support/labelled_shapes.h"
#include "tests/support/private_counter_test_peer.h"
#include "tests/support/table_stream.h"
#include "tests/support/vector_sums.h"

namespace mehler {

/// Reads what nothing else can. For tests alone.
struct PartialCountsTestPeer {
  static std::uint64_t rows(const PartialCounts& counts) { return counts.rows_; }
  static const auto& tables(const PartialCounts& counts) { return counts.tables_; }
  static const auto& sums(const PartialCounts& counts) { return counts.sums_; }
  static std::vector<std::int64_t> leaves(const PartialCounts& counts, std::size_t column,
                                          std::size_t size) {
    std::vector<std::int64_t> result(size, 0);
    counts.columns_[column].for_each(
        [&](std::uint32_t leaf, std::int64_t count) { result[leaf] += count; });
    return result;
  }
};

namespace count_source_test {

using Peer = PartialCountsTestPeer;
using Parts = PrivateTable::Parts;

constexpr std::size_t kPlenty = 1'000'000'000;
constexpr std::size_t kRecords = 3000;

/// Two parts of simulated people, and how often each is opened.
struct People {
  explicit People(Schema schema_of_them = people_schema())
      : schema(std::move(schema_of_them)), encoder(schema) {}

  PrivateTable table(Parts kind = Parts::kForManyPasses) {
    std::vector<RecordStreamFactory> parts;
    for (const std::uint64_t seed : {1, 2}) {
      parts.emplace_back([this, open = part_of({simulate_people(kRecords / 2, seed)})] {
        ++opened;
        return open();
      });
    }
    return PrivateTable(std::move(parts), schema, kind);
  }

  /// All columns, all pairs in their cells, a triple, and sums of vectors.
  CountRequest request() const {
    CountRequest request;
    const auto cells = own_cells(encoder);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      request.columns.push_back(i);
      for (std::size_t j = i + 1; j < cells.size(); ++j) {
        request.tables.push_back({{{i, cells[i]}, {j, cells[j]}}});
      }
    }
    request.tables.push_back({{{0, cells[0]}, {1, cells[1]}, {2, cells[2]}}});
    const std::size_t label = encoder.label().value();
    request.sums = example_sums(encoder, {label, cells[label]});
    return request;
  }

  Schema schema;
  Encoder encoder;
  int opened = 0;
};

void expect_same(const PartialCounts& one, const PartialCounts& other, const Encoder& encoder) {
  EXPECT_EQ(Peer::rows(one), Peer::rows(other));
  EXPECT_EQ(Peer::tables(one), Peer::tables(other));
  EXPECT_EQ(Peer::sums(one), Peer::sums(other));
  for (std::size_t c = 0; c < encoder.columns().size(); ++c) {
    const std::size_t leaves = ValueGrid(encoder.columns()[c]).leaves();
    EXPECT_EQ(Peer::leaves(one, c, leaves), Peer::leaves(other, c, leaves));
  }
}

TEST(CountSource, AnswersTheSameFromMemoryAndInPasses) {
  People people;
  const CountRequest request = people.request();
  for (const std::size_t threads : {1, 3}) {
    const Context context{threads, nullptr, nullptr};
    const auto codes = CodesInMemory::read(people.table(), people.encoder, kPlenty, context);
    const CountsInPasses passes(people.table(), people.encoder, context);
    const PartialCounts counted = codes->count(request, context);
    EXPECT_EQ(Peer::rows(counted), kRecords);
    expect_same(counted, passes.count(request, context), people.encoder);
  }
}

TEST(CountSource, SumsOfImagesAreTheSameKeptComputedAgainAndInPasses) {
  const Schema schema = shapes_schema();
  const Encoder encoder(schema);
  const auto table = [&] {
    return PrivateTable({part_of({draw_shapes(300, 1)}), part_of({draw_shapes(350, 2)})}, schema,
                        Parts::kForManyPasses);
  };
  CountRequest request;
  for (const VectorSum& sum : ExampleImageSums(encoder, 0, 1).all()) {
    request.sums.insert(request.sums.end(), 2, sum);  // the second one by what was kept
  }
  const auto sums_of = [&](std::size_t threads, std::size_t kept_bytes) {
    const Context context{threads, nullptr, nullptr};
    return CodesInMemory::read(table(), encoder, kPlenty, context, kept_bytes)
        ->count(request, context);
  };
  const PartialCounts kept = sums_of(1, kPlenty);
  EXPECT_EQ(Peer::rows(kept), 650u);
  EXPECT_EQ(Peer::sums(kept), Peer::sums(sums_of(3, kPlenty)));
  EXPECT_EQ(Peer::sums(kept), Peer::sums(sums_of(2, 0)));
  const Context context{2, nullptr, nullptr};
  const CountsInPasses passes(table(), encoder, context);
  EXPECT_EQ(Peer::sums(kept), Peer::sums(passes.count(request, context)));
}

TEST(CountSource, CountsEveryRecordOfATableOnce) {
  People people;
  const auto codes = CodesInMemory::read(people.table(), people.encoder, kPlenty, Context{});
  const PartialCounts counted = codes->count(people.request(), Context{});
  for (const auto& table : Peer::tables(counted)) {
    EXPECT_EQ(std::accumulate(table.begin(), table.end(), std::int64_t{0}),
              static_cast<std::int64_t>(kRecords));
  }
}

TEST(CountSource, ReadsATableAgainThatTakesMoreMemoryThanAllowed) {
  People people;
  const std::size_t leaves = CountsInPasses::bytes(people.encoder);
  // The codes of 3,000 records take less than the counts of leaves: a limit between them.
  const auto is_in_memory = [](const std::unique_ptr<const CountSource>& source) {
    return dynamic_cast<const CodesInMemory*>(source.get()) != nullptr;
  };
  EXPECT_TRUE(is_in_memory(make_count_source(people.table(), people.encoder, leaves, Context{})));
  EXPECT_EQ(people.opened, 2);
  // Counts of leaves would take more: codes are kept.
  EXPECT_TRUE(is_in_memory(make_count_source(people.table(), people.encoder, 1000, Context{})));

  const Schema coarse = schema_of_categories({2, 3});
  const Encoder encoder(coarse);
  const std::vector<std::vector<std::int64_t>> rows(kRecords, {0, 2});
  const auto table = [&](Parts kind) {
    return PrivateTable({part_of({table_of(coarse, rows)})}, coarse, kind);
  };
  const auto passes = make_count_source(table(Parts::kForManyPasses), encoder, 1000, Context{});
  EXPECT_FALSE(is_in_memory(passes));
  // A stream is over once it is read.
  EXPECT_TRUE(is_in_memory(make_count_source(table(Parts::kForOnePass), encoder, 1000, Context{})));
  const auto cells = own_cells(encoder);
  const CountRequest pair{{}, {{{{0, cells[0]}, {1, cells[1]}}}}};
  const PartialCounts counted = passes->count(pair, Context{});
  EXPECT_EQ(Peer::tables(counted)[0], (WipedVector<std::int64_t>{0, 0, kRecords, 0, 0, 0}));
}

TEST(CountSource, KeepsTheSameRecordsOfAPrivacyUnitInEveryPass) {
  const Schema people = people_schema();
  const Schema schema(people.columns(), people.target(), people.relation(),
                      PrivacyUnit{"patient_id", 1});
  People of(schema);  // both parts have the same people
  const CountRequest request = of.request();
  const auto codes = CodesInMemory::read(of.table(), of.encoder, kPlenty, Context{});
  const CountsInPasses passes(of.table(), of.encoder, Context{});
  const PartialCounts counted = codes->count(request, Context{});
  EXPECT_EQ(Peer::rows(counted), kRecords / 2);
  expect_same(counted, passes.count(request, Context{}), of.encoder);
}

TEST(PartialCounts, OfThePartsOfATableMergeToThoseOfTheWhole) {
  People people;
  const CountRequest request = people.request();
  const auto counts_of = [&](std::vector<std::uint64_t> seeds) {
    std::vector<RecordStreamFactory> parts;
    for (const std::uint64_t seed : seeds) {
      parts.push_back(part_of({simulate_people(kRecords / 2, seed)}));
    }
    return CodesInMemory::read(PrivateTable(std::move(parts), people.schema), people.encoder,
                               kPlenty, Context{})
        ->count(request, Context{});
  };
  const PartialCounts whole = counts_of({1, 2, 3});
  for (const std::vector<std::uint64_t>& order : {std::vector<std::uint64_t>{1, 2, 3}, {3, 1, 2}}) {
    PartialCounts merged = counts_of({order[0]});
    merged.merge(counts_of({order[1]}));
    merged.merge(counts_of({order[2]}));
    expect_same(merged, whole, people.encoder);
  }
}

TEST(PartialCounts, OfAnotherRequestOrSchemaAreNotMerged) {
  People people;
  const auto codes = CodesInMemory::read(people.table(), people.encoder, kPlenty, Context{});
  PartialCounts counts = codes->count(people.request(), Context{});
  message_of(ErrorCode::kInvalidArgument, [&] {
    counts.merge(codes->count({{0}, {}}, Context{}));
  });
  const Schema other = schema_of_categories({2, 3});
  PartialCounts nothing(value_grids(people.encoder), CountRequest{});
  message_of(ErrorCode::kInvalidArgument,
             [&] { nothing.merge(PartialCounts(value_grids(Encoder(other)), CountRequest{})); });
}

TEST(PrivateCounter, AsksForTheTablesOfOneRoundAtOnceAndKeepsThem) {
  People people;
  const auto cells = own_cells(people.encoder);
  PrivateCounter counter(
      std::make_unique<const CountsInPasses>(people.table(), people.encoder, Context{}),
      people.schema, Context{});
  EXPECT_EQ(people.opened, 2);  // one pass over both parts
  std::vector<CountBlock> blocks = {CountBlock::records(),
                                    CountBlock::marginal(people.encoder, {{0}}, cells, ""),
                                    CountBlock::marginal(people.encoder, {{0, 1}}, cells, ""),
                                    CountBlock::marginal(people.encoder, {{1, 2}}, cells, "")};
  Accountant accountant({1.0, 1e-6});
  const std::vector<double> precisions(blocks.size(), 1e-6);
  for (int round = 0; round < 3; ++round) {
    counter.measure(CountMechanism(accountant, "test", blocks, people.schema, precisions),
                    Context{2, nullptr, nullptr});
    EXPECT_EQ(people.opened, 4) << "round " << round;
  }
  PrivateCounter in_memory(people.table(), people.encoder, Context{});
  EXPECT_EQ(PrivateCounterTestPeer::sums(counter, blocks),
            PrivateCounterTestPeer::sums(in_memory, blocks));
}

}  // namespace count_source_test
}  // namespace mehler
