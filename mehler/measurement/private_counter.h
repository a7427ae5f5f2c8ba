#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/wiping.h"
#include "mehler/encoding/encoder.h"
#include "mehler/encoding/value_grid.h"
#include "mehler/features/feature_set.h"
#include "mehler/privacy/gaussian_mechanism.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"

namespace mehler {

/// The records of a private table as leaf codes, in memory: read once, measured in several rounds.
///
/// Sums over the codes are exact integers, the same for any number of threads and any order of the
/// records.
///
/// Memory: for every record and column a code of 1, 2 or 4 bytes, and 2 more for its cell in pairs
/// and in a first look at triples each. There is no limit: whether there is a release must not
/// depend on the exact number of records.
///
/// Privacy: private. Nothing reads the codes, or the counts that are kept between rounds, but
/// measure(), which adds the noise that was paid for. All memory that held them is wiped before it
/// is given back (what the table's reader holds of the records is its own).
class PrivateCounter {
 public:
  /// Cells of a column in a contrast of several columns, at most.
  static constexpr std::size_t kMaxJointCells = 65'536;

  /// Reads the table once; it is consumed. Throws Error(kInvalidTable) if it does not fit the
  /// schema, or has no rows under replace-one; Error(kCancelled) on request.
  PrivateCounter(PrivateTable&& table, const Encoder& encoder, const Context& context);
  PrivateCounter(const PrivateCounter&) = delete;
  PrivateCounter& operator=(const PrivateCounter&) = delete;

  /// The number of records, where the relation makes it public.
  std::optional<std::uint64_t> public_rows() const;

  /// The sums of the blocks that were paid for, with the noise that was paid for. Blocks are of
  /// counts, contrasts or differences; the mechanism is consumed. Throws Error(kInvalidArgument)
  /// if it was paid for under another schema, or has a block twice.
  std::vector<NoisyBlock> measure(GaussianMechanism&& mechanism, const Context& context);

 private:
  friend struct PrivateCounterTestPeer;  // tests/ only

  /// The leaves of one column, in as many bytes as they need.
  struct CodeColumn {
    explicit CodeColumn(const Column& column);
    void append(std::span<const std::uint32_t> new_leaves);

    ValueGrid leaves;
    std::size_t width = 1;  ///< bytes of a code: 1, 2 or 4
    WipedVector<std::uint8_t> bytes;
  };
  using Counts = WipedVector<std::int64_t>;
  using CountsKey = std::vector<std::shared_ptr<const ColumnPartition>>;

  static CountsKey key_of(const FeatureBlock& block);

  /// In multiples of 2^-grid_exponent(); of a block that prepare() has seen.
  Counts exact_sums(const FeatureBlock& block);
  Counts count_cells(const FeatureBlock& block) const;
  Counts differences(const FeatureMap& map) const;
  /// Makes the cells of every column that contrasts of several columns need, and room for their
  /// counts: the maps are not changed by exact_sums(), which threads call side by side, each for
  /// another table of counts. Throws Error(kInvalidArgument) for a block that is there twice.
  void prepare(std::span<const FeatureBlock> blocks);

  Schema schema_;
  std::uint64_t rows_ = 0;
  std::vector<CodeColumn> columns_;
  /// Of columns in contrasts of several: the cell of each row.
  std::map<std::shared_ptr<const ColumnPartition>, WipedVector<std::uint16_t>> cells_;
  /// Counts of several columns, for the next round.
  std::map<CountsKey, Counts> joint_counts_;
};

}  // namespace mehler
