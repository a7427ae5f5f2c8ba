// The same records give bit-identical exact sums whatever file they come from.

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "mehler/core/seeded_random.h"
#include "mehler/demo/people.h"
#include "mehler/features/embedding_features.h"
#include "mehler/measurement/embedding.h"
#include "mehler/table/readers/table_reader.h"
#include "mehler/table/readers/table_writer.h"
#include "tests/support/embedding_test_peer.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace exact_sums_test {

namespace fs = std::filesystem;
using Sums = std::vector<std::vector<std::int64_t>>;

class ExactSums : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / "mehler_exact_sums";
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "parts");
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void write(const fs::path& path, const Table& table) {
    TableWriter writer(path);
    writer.write(table);
    writer.finish();
  }

  static Sums sums_of(const fs::path& path, std::size_t threads) {
    const Schema schema = people_schema();
    const Encoder encoder(schema);
    TableReadOptions options;
    options.threads = threads;
    const TableReader reader({path.string()}, options, &schema);
    const Embedding embedding =
        embed(PrivateTable(reader.parts(), schema), encoder, mean_embedding_features(encoder, {}),
              Context{threads, nullptr, nullptr});
    return EmbeddingTestPeer::sums(embedding);
  }

  fs::path folder_;
};

TEST_F(ExactSums, AreTheSameForThreadsOrderFormatsAndParts) {
  constexpr std::size_t kRows = 30'000;
  const Table table = simulate_people(kRows, 5);
  std::vector<std::size_t> order(kRows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  SeededRandom random(6);
  for (std::size_t i = kRows; i > 1; --i) {
    std::swap(order[i - 1], order[random.next_word() % i]);
  }
  const Table shuffled = rows_of(table, order);
  write(folder_ / "whole.csv", table);
  write(folder_ / "whole.parquet", table);
  write(folder_ / "whole.arrow", table);
  write(folder_ / "shuffled.csv", shuffled);
  for (std::size_t part = 0; part < 10; ++part) {
    const std::vector<std::size_t> rows(
        order.begin() + static_cast<std::ptrdiff_t>(part * kRows / 10),
        order.begin() + static_cast<std::ptrdiff_t>((part + 1) * kRows / 10));
    write(folder_ / "parts" / ("part-" + std::to_string(part) + ".parquet"), rows_of(table, rows));
  }
  const Sums expected = sums_of(folder_ / "whole.csv", 1);
  for (const std::size_t threads : {1, 2}) {
    for (const char* name :
         {"whole.csv", "whole.parquet", "whole.arrow", "shuffled.csv", "parts"}) {
      EXPECT_EQ(sums_of(folder_ / name, threads), expected)
          << name << " with " << threads << " threads";
    }
  }
}

}  // namespace exact_sums_test
}  // namespace mehler
