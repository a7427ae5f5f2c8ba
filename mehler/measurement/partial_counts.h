#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "mehler/core/wiping.h"
#include "mehler/counts/count_block.h"
#include "mehler/encoding/encoder.h"

namespace mehler {

/// What is asked of private records: exact counts. Public: it follows from the schema and from what
/// was measured before.
struct CountRequest {
  /// Columns to count in their leaves.
  std::vector<std::size_t> columns;
  /// Tables of several columns to count in their cells.
  std::vector<Marginal> tables;
  /// Sums of vectors of the records.
  std::vector<VectorSum> sums = {};

  bool operator==(const CountRequest&) const = default;
};

/// The records of a table in the leaves of one column.
struct LeafCounts {
  WipedVector<std::int64_t> dense;    ///< the count of every leaf; empty if `listed` is used
  WipedVector<std::uint32_t> listed;  ///< the leaf of every record; empty if `dense` is used

  /// Calls work(leaf, count), for a leaf once or several times.
  void for_each(const auto& work) const {
    for (std::size_t leaf = 0; leaf < dense.size(); ++leaf) {
      if (dense[leaf] != 0) {
        work(static_cast<std::uint32_t>(leaf), dense[leaf]);
      }
    }
    for (const std::uint32_t leaf : listed) {
      work(leaf, std::int64_t{1});
    }
  }
};

/// The leaves of all columns of an encoder.
using ValueGrids = std::vector<ValueGrid>;
std::shared_ptr<const ValueGrids> value_grids(const Encoder& encoder);

/// The exact counts of some records that answer a request. Integers: the parts of a table, counted
/// apart, merge in any order to the counts of the whole.
///
/// Privacy: private. Nothing reads them but PrivateCounter, which adds the noise that was paid for.
/// They are wiped when they are destroyed.
class PartialCounts {
 public:
  /// Counts of no records yet, of a schema whose columns have these leaves.
  PartialCounts(std::shared_ptr<const ValueGrids> grids, CountRequest request);

  /// Counts records; rows whose entry in `kept` is 0 are left out; if `kept` is empty, all rows
  /// count. May be called from several threads.
  void add(const EncodedBatch& batch, std::span<const std::uint8_t> kept);

  /// Adds the counts of other records. Throws Error(kInvalidArgument) if these answer another
  /// request.
  ///
  /// Privacy: with a privacy unit all records of one person must be in one part, or more of them
  /// than max_rows are counted. Only the caller can see to that.
  void merge(PartialCounts&& other);

 private:
  friend class CodesInMemory;
  friend class CountsInPasses;
  friend class PrivateCounter;
  friend struct PartialCountsTestPeer;  // tests/ only

  void add_to_columns(const EncodedBatch& batch, std::span<const std::uint32_t> rows);
  void add_to_tables(const EncodedBatch& batch, std::span<const std::uint32_t> rows);
  void add_to_sums(const EncodedBatch& batch, std::span<const std::uint32_t> rows);

  CountRequest request_;
  std::shared_ptr<const ValueGrids> grids_;
  std::uint64_t rows_ = 0;
  std::vector<LeafCounts> columns_;                 ///< as request_.columns
  std::vector<WipedVector<std::int64_t>> tables_;   ///< as request_.tables
  std::vector<WipedVector<std::int64_t>> sums_;     ///< as request_.sums
  std::unique_ptr<std::vector<std::mutex>> locks_;  ///< of columns, tables, sums, and the rows
};

}  // namespace mehler
