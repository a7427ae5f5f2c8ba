// What is kept of private records does not stay behind in memory that was given back.
//
// Every block of memory of this program is looked at when it is given back, while a test watches
// for a pattern. Blocks are zero when they are handed out, so that a pattern in one was written by
// its owner.

#include "mehler/core/wiping.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "mehler/features/embedding_features.h"
#include "mehler/measurement/embedding.h"
#include "mehler/measurement/private_counter.h"
#include "tests/support/counted_table.h"
#include "tests/support/table_stream.h"

namespace {

struct Pattern {
  const char* bytes;
  std::size_t size;
};
std::atomic<const Pattern*> watched{nullptr};
std::atomic<int> blocks_with_pattern{0};

void* allocate(std::size_t bytes) {
  void* memory = std::calloc(1, bytes);
  return memory != nullptr ? memory : throw std::bad_alloc();
}

void give_back(void* memory) {
  const Pattern* pattern = watched.load();
  if (memory != nullptr && pattern != nullptr &&
      memmem(memory, malloc_usable_size(memory), pattern->bytes, pattern->size) != nullptr) {
    ++blocks_with_pattern;
  }
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }

namespace mehler {
namespace {

/// How many blocks of memory had the pattern when `work` gave them back.
template <typename T>
int left_behind(const std::vector<T>& pattern, const auto& work) {
  const Pattern looked_for{reinterpret_cast<const char*>(pattern.data()),
                           pattern.size() * sizeof(T)};
  blocks_with_pattern = 0;
  watched = &looked_for;
  work();
  watched = nullptr;
  return blocks_with_pattern;
}

constexpr std::size_t kRowsOfA = 23'456;
constexpr std::size_t kRowsOfB = 16'543;
constexpr std::size_t kRows = kRowsOfA + kRowsOfB;
constexpr double kIncome = 71'234.56;
constexpr std::int64_t kPerson = 4'123'456'789'012'345;  // 16 digits: too long for a short text

Schema schema() {
  return Schema::from_json(R"({"mehler_schema": 1,
      "privacy_unit": {"column": "person", "max_rows": 40000}, "columns": [
      {"name": "person", "kind": "identifier"},
      {"name": "income", "kind": "numeric", "bounds": [0, 200000], "decimals": 2},
      {"name": "c", "kind": "categorical", "categories": ["a", "b"]},
      {"name": "d", "kind": "categorical", "categories": ["x", "y"]}]})");
}

/// First the records with c = a, then those with b; all else is the same in all of them.
const Table& records() {
  static const Table table = [] {
    std::vector<std::string> c(kRowsOfA, "a");
    c.insert(c.end(), kRowsOfB, "b");
    Table made;
    made.columns.push_back(
        {"person", ColumnKind::kInteger, std::vector<std::int64_t>(kRows, kPerson), {}});
    made.columns.push_back(
        {"income", ColumnKind::kNumeric, std::vector<double>(kRows, kIncome), {}});
    made.columns.push_back({"c", ColumnKind::kCategorical, std::move(c), {}});
    made.columns.push_back(
        {"d", ColumnKind::kCategorical, std::vector<std::string>(kRows, "x"), {}});
    return made;
  }();
  return table;
}

PrivateTable private_table() { return PrivateTable({part_of({records()})}, schema()); }

/// The income of the records in [-1, 1], as it is encoded.
double encoded_income(const Encoder& encoder) {
  RecordStream stream = part_of({records()})();
  RecordBatch batch;
  EXPECT_TRUE(stream.next(batch));
  EncodedBatch encoded;
  encoder.encode(encoder.bind(stream.schema()), stream.schema(), batch.value(), encoded);
  return encoded.columns[0].numbers[0];
}

CountBlock contrasts(const Encoder& encoder, const std::vector<std::size_t>& columns) {
  return CountBlock::marginal(encoder, columns, own_cells(encoder), "");
}

/// Reads the records, measures a column and pairs of columns twice, and ends.
void measure_counts() {
  const Encoder encoder(schema());
  PrivateCounter codes(private_table(), encoder, Context{2, nullptr, nullptr});
  const std::vector<CountBlock> blocks = {contrasts(encoder, {1}), contrasts(encoder, {0, 1}),
                                          contrasts(encoder, {1, 2})};
  for (int round = 0; round < 2; ++round) {
    Accountant accountant({1.0, 1e-6});
    const std::vector<double> precisions(blocks.size(), 1e-15);
    codes.measure(CountMechanism(accountant, "test", blocks, schema(), precisions),
                  Context{2, nullptr, nullptr});
  }
}

/// Sums the records' features, of single columns and of products, adds noise and ends. On one
/// thread: what it sums is the whole.
void measure_features() {
  const Encoder encoder(schema());
  EmbeddingOptions options;
  options.product.named = {{"income", "c"}};
  const FeatureSet features = mean_embedding_features(encoder, options);
  Accountant accountant({100.0, 1e-6});  // all records are one person's
  privatize(embed(private_table(), encoder, features, Context{}),
            SumMechanism(accountant, accountant.left_mu_squared(), features, schema()));
}

TEST(Wiping, AVectorThatGrowsLeavesNothingBehind) {
  const std::vector<std::uint32_t> pattern(3, 0xabcdef01);
  const auto grow = [&](auto numbers) {
    for (int i = 0; i < 1000; ++i) {
      numbers.push_back(pattern[0]);
    }
  };
  EXPECT_EQ(left_behind(pattern, [&] { grow(WipedVector<std::uint32_t>()); }), 0);
  EXPECT_GT(left_behind(pattern, [&] { grow(std::vector<std::uint32_t>()); }), 5)
      << "or this test sees nothing";
}

TEST(Wiping, CodesAreGone) {
  const Encoder encoder(schema());
  const ValueGrid leaves(encoder.columns()[0]);
  const std::uint32_t leaf = leaves.leaf_of_coordinate(encoded_income(encoder));
  EXPECT_EQ(left_behind(std::vector<std::uint32_t>(3, leaf), measure_counts), 0);
  const auto cell =
      static_cast<std::uint16_t>(ColumnPartition::even(encoder.columns()[0], 16).cell_of(leaf));
  EXPECT_EQ(left_behind(std::vector<std::uint16_t>(9, cell), measure_counts), 0);
}

TEST(Wiping, CountsAreGone) {
  const std::vector<std::int64_t> of_column = {kRowsOfA, kRowsOfB};
  EXPECT_EQ(left_behind(of_column, measure_counts), 0);
  const std::vector<std::int64_t> of_pair = {kRowsOfA, 0, kRowsOfB, 0};
  EXPECT_EQ(left_behind(of_pair, measure_counts), 0);
}

TEST(Wiping, EncodedRecordsAreGone) {
  const std::vector<double> pattern(2, encoded_income(Encoder(schema())));
  EXPECT_EQ(left_behind(pattern, measure_counts), 0);
  EXPECT_EQ(left_behind(pattern, measure_features), 0);
}

TEST(Wiping, SumsAreGone) {
  const std::vector<std::int64_t> pattern = {std::int64_t{kRowsOfA} << kGridExponent,
                                             std::int64_t{kRowsOfB} << kGridExponent};
  EXPECT_EQ(left_behind(pattern, measure_features), 0);
}

TEST(Wiping, IdentifiersAreGone) {
  const std::string name = std::to_string(kPerson);
  const std::vector<char> pattern(name.begin(), name.end());
  EXPECT_EQ(left_behind(pattern, measure_counts), 0);
  EXPECT_EQ(left_behind(pattern, measure_features), 0);
}

}  // namespace
}  // namespace mehler
