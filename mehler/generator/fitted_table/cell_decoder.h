#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/encoding/encoded_batch.h"
#include "mehler/estimation/coded_rows.h"
#include "mehler/estimation/marginal_estimates.h"

namespace mehler {

/// Turns cells back into values: within a cell, values are drawn as the column's own estimate has
/// them. Immutable and thread-safe.
class CellDecoder {
 public:
  /// `cells`: of each column, the cells that codes stand for.
  CellDecoder(std::span<const ColumnEstimate> columns,
              std::span<const std::shared_ptr<const ColumnPartition>> cells);

  /// Encoded records of rows [first, first + count).
  EncodedBatch decode(const CodedRows& rows, std::size_t first, std::size_t count,
                      SeededRandom& random) const;

 private:
  /// What one cell is made of: ranges of leaves, and the probability of all ranges up to each.
  struct Cell {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
    std::vector<double> cumulative;
  };
  struct Decoded {
    std::uint32_t leaf = 0;
    double fraction = 0.0;  ///< within the leaf
  };

  /// The value below which a share `quantile` of the cell lies.
  static Decoded at_quantile(const Cell& cell, double quantile);
  void decode_column(std::size_t column, const CodedRows& rows, std::size_t first,
                     std::size_t count, SeededRandom& random, EncodedColumn& out) const;

  std::vector<ValueGrid> leaves_;
  std::vector<std::vector<Cell>> cells_;  ///< per column
};

}  // namespace mehler
