#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mehler/core/wiping.h"
#include "mehler/measurement/count_source.h"

namespace mehler {

/// The records of a private table as leaf codes: read once, counted as often as asked for.
///
/// Memory: for every record and column a code of 1, 2 or 4 bytes, and 2 more for its cell while
/// tables of several columns are counted.
///
/// Privacy: private; all memory that held codes is wiped before it is given back (what the table's
/// reader holds of the records is its own).
class CodesInMemory : public CountSource {
 public:
  /// The most cells of a column in a table of several columns.
  static constexpr std::size_t kMaxJointCells = 65'536;

  /// Reads the table once. Null if the codes and cells take more than `max_bytes`.
  static std::unique_ptr<const CodesInMemory> read(const PrivateTable& table,
                                                   const Encoder& encoder, std::size_t max_bytes,
                                                   const Context& context);

  PartialCounts count(const CountRequest& request, const Context& context) const override;

 private:
  /// The leaves of one column, in as many bytes as they need.
  struct CodeColumn {
    explicit CodeColumn(std::size_t leaf_count);
    void append(std::span<const std::uint32_t> new_leaves);
    /// Calls work(leaf) for all rows.
    void for_each(const auto& work) const;
    std::uint32_t at(std::size_t row) const;

    std::size_t leaves = 0;
    std::size_t width = 1;  ///< bytes of a code: 1, 2 or 4
    WipedVector<std::uint8_t> bytes;
  };
  using Cells = WipedVector<std::uint16_t>;

  explicit CodesInMemory(const Encoder& encoder);

  std::size_t bytes_of_record() const;
  LeafCounts count_leaves(const CodeColumn& column) const;
  Cells cells_of_rows(const CountedColumn& counted) const;
  void count_tables(PartialCounts& counts, const Context& context) const;
  void add_sums(PartialCounts& counts, const Context& context) const;

  std::shared_ptr<const ValueGrids> grids_;
  std::uint64_t rows_ = 0;
  std::vector<CodeColumn> columns_;
};

}  // namespace mehler
