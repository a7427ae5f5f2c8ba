#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mehler/evaluation/tables/coded_table.h"

namespace mehler {

/// Neighbouring columns of few codes that are counted as one column of combined codes. The counts
/// of one of them are sums of the combined counts.
struct ColumnBundle {
  std::vector<std::size_t> columns;
  std::uint32_t code_count = 1;
  std::vector<std::uint16_t> codes;  ///< one per record
  /// Per column and combined code: the column's own code.
  std::vector<std::vector<std::uint16_t>> own_codes;
};

/// Two tables' records one after the other, each column renumbered to the codes that occur in
/// either: what marginals are counted from.
class JoinedTables {
 public:
  JoinedTables(const CodedTable& a, const CodedTable& b);

  std::size_t columns() const { return codes_.size(); }
  /// Records of the first table come first.
  std::size_t first_rows() const { return first_rows_; }
  std::size_t rows() const { return rows_; }
  std::span<const std::uint16_t> codes(std::size_t column) const { return codes_[column]; }
  /// Codes of a column: 0 .. code_count - 1, each of which occurs.
  std::uint32_t code_count(std::size_t column) const { return code_counts_[column]; }
  /// The bundle that a column is in; null if it is in none.
  const ColumnBundle* bundle_of(std::size_t column) const {
    return bundle_of_[column] == kNoBundle ? nullptr : &bundles_[bundle_of_[column]];
  }

 private:
  static constexpr std::size_t kNoBundle = SIZE_MAX;
  void make_bundles();
  void add_bundle(std::size_t first, std::size_t last);

  std::size_t first_rows_;
  std::size_t rows_;
  std::vector<std::vector<std::uint16_t>> codes_;
  std::vector<std::uint32_t> code_counts_;
  std::vector<ColumnBundle> bundles_;
  std::vector<std::size_t> bundle_of_;
};

/// Counts the cells of marginals of two joined tables. Holds the memory that one thread needs.
class CellCounter {
 public:
  explicit CellCounter(const JoinedTables& tables);

  /// Fixes the first columns of the subsets that follow. Their cells are numbered once, and columns
  /// that the previous prefix began with keep their numbers: give prefixes in lexicographic order.
  void set_prefix(std::span<const std::size_t> columns);

  /// Half the sum of |share in the first table - share in the second| over the cells of the prefix
  /// and one more column.
  double total_variation_with(std::size_t column);
  /// The same for several columns, each alone beside the prefix; about twice as fast.
  void total_variations_with(std::span<const std::size_t> columns, std::span<double> out);

 private:
  /// The cell of each record on the first columns of a prefix.
  struct Level {
    std::size_t column = 0;            ///< the last of them
    std::vector<std::uint32_t> cells;  ///< [rows]
    std::uint64_t cell_count = 1;
  };

  void extend(const Level& from, Level& to);
  void number_dense(const Level& from, Level& to);
  void number_hashed(const Level& from, Level& to);
  bool is_dense(std::size_t column) const;
  /// How many of the first columns are counted as one bundle; below 2, none.
  std::size_t bundled(std::span<const std::size_t> columns) const;
  void count_bundle(std::span<const std::size_t> columns, std::span<double> out);
  /// Both give sums of |weighted count| over the cells.
  template <std::size_t kColumns>
  void count_dense(const std::size_t* columns, std::uint64_t* sums);
  std::uint64_t count_hashed(std::size_t column);
  double distance_of(std::uint64_t sum) const;
  /// Where a key stands in the hash table, or the free place where it belongs.
  std::size_t slot_of(std::uint64_t key) const;
  void clear_slots();

  const JoinedTables& tables_;
  /// What one record of the first, or of the second table adds to its cell. Whole numbers, so that
  /// two tables of different sizes are compared exactly.
  std::int64_t first_weight_;
  std::int64_t second_weight_;
  std::vector<Level> levels_;  ///< the first of no column, all records in one cell
  std::size_t depth_ = 0;      ///< columns of the prefix
  std::vector<std::int64_t> cells_;
  std::vector<std::int64_t> own_cells_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint64_t> slot_keys_;
  std::vector<std::int64_t> slot_values_;
};

}  // namespace mehler
