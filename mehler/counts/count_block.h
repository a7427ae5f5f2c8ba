#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mehler/counts/counted_column.h"
#include "mehler/counts/range_halves.h"
#include "mehler/counts/vector_sum.h"
#include "mehler/encoding/encoder.h"

namespace mehler {

/// Counts are integers; the finer grids are for noise of a standard deviation below 1, as large
/// budgets ask for. The number of records has a finer one than counts of cells.
inline constexpr int kCellGridExponent = 8;
inline constexpr int kRecordGridExponent = 20;

/// The most columns that are counted together.
inline constexpr std::size_t kMaxMarginalColumns = 3;

/// The number of all records.
struct RecordCount {
  bool operator==(const RecordCount&) const = default;
};

/// The records in the cells of one to three columns together, as contrasts (contrasts.h).
struct Marginal {
  std::vector<CountedColumn> columns;

  /// The columns' numbers of cells.
  std::vector<std::size_t> shape() const;
  bool operator==(const Marginal&) const = default;
};

/// The most columns whose cells are counted as they are.
inline constexpr std::size_t kMaxCellColumns = 5;

/// The records in every cell of some columns together, as they are: not as contrasts.
struct CellCounts {
  std::vector<CountedColumn> columns;

  /// The columns' numbers of cells.
  std::vector<std::size_t> shape() const;
  bool operator==(const CellCounts&) const = default;
};

/// For some ranges of a number: the differences between the counts of their halves.
struct HalvedRanges {
  std::size_t column = 0;  ///< index into Encoder::columns()
  std::shared_ptr<const RangeHalves> halves;
  bool operator==(const HalvedRanges& other) const;
};

/// Counts of records, or sums of vectors of them, that share one noise scale.
///
/// Privacy: sensitivity() holds for every record that encoding can give, missing values included.
struct CountBlock {
  std::string name;
  std::variant<RecordCount, Marginal, HalvedRanges, VectorSum, CellCounts> counted;
  /// The step of a method that measured it, such as "round 1"; may be empty. For people to read.
  std::string step = {};

  /// The number of all records.
  static CountBlock records();
  /// The counts of one, two or three columns, in these cells of all columns. The block is named
  /// after its columns and the step, if any, that measures it: "age x sex (round 1)".
  static CountBlock marginal(const Encoder& encoder, std::span<const std::size_t> columns,
                             std::span<const std::shared_ptr<const ColumnPartition>> cells,
                             std::string_view step);

  /// The counts of all cells of some columns; named the same way.
  static CountBlock cell_counts(const Encoder& encoder, std::span<const std::size_t> columns,
                                std::span<const std::shared_ptr<const ColumnPartition>> cells,
                                std::string_view step);

  /// The marginal; nullptr if the block counts something else.
  const Marginal* marginal() const { return std::get_if<Marginal>(&counted); }

  /// The counts of cells; nullptr if the block is something else.
  const CellCounts* cell_counts() const { return std::get_if<CellCounts>(&counted); }

  /// The sum of vectors; nullptr if the block is something else.
  const VectorSum* vector_sum() const { return std::get_if<VectorSum>(&counted); }

  /// How many integers are released.
  std::size_t dimension() const;
  /// The noisy integers are multiples of 2^-grid_exponent().
  int grid_exponent() const;
  /// The exact ones are multiples of 2^-exact_exponent(): of 1, if they are counts.
  int exact_exponent() const;
  /// The standard deviation of each integer's noise, divided by the block's sigma: the contrasts'
  /// scales, sqrt(1/2) for products of two entries of one vector, else 1.
  std::vector<double> noise_scales() const;

  /// The largest change that one record more or fewer (or one exchanged) can make to the integers,
  /// each divided by its scale, in the 2-norm.
  double sensitivity(NeighbourRelation relation) const;
  /// The same in the 1-norm, where the block can have noise of the Laplace kind: counts of cells.
  std::optional<double> absolute_sensitivity(NeighbourRelation relation) const;

  /// What one record adds, each integer divided by its scale, into out[0 .. dimension()): the
  /// reference that fast counts and sensitivities are tested with.
  void evaluate(const EncodedBatch& batch, std::size_t row, double* out) const;

  bool operator==(const CountBlock&) const = default;
};

/// "number of records", "columns", "pairs of columns", "triples of columns", "values within
/// ranges", "sums of vectors", or "cells of 4 columns".
std::string what_is_counted(const CountBlock& block);

/// A column's name in the name of a block: the name itself, or in quotes where it could be taken
/// for the names of several columns or for a step. Different columns, sets of columns and steps
/// give blocks of different names.
std::string block_word(const std::string& column);

}  // namespace mehler
