#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/encoding/encoder.h"
#include "mehler/estimation/coded_rows.h"
#include "mehler/release/marginal_measurements.h"

namespace mehler {

/// The steps of method privbayes: what its blocks of counts are for.
namespace network_steps {
inline constexpr std::string_view kColumns = "columns";
inline constexpr std::string_view kRoot = "root";        ///< of the column that comes first
inline constexpr std::string_view kNetwork = "network";  ///< of a further one and its parents
}  // namespace network_steps

/// A column of a network, given its parents.
struct NetworkColumn {
  std::size_t column = 0;
  std::vector<std::size_t> parents;  ///< ascending
  std::vector<std::size_t> shape;    ///< cells of the parents, then its own
  /// [cells of the parents][own cells]: how likely each is; every row adds up to 1.
  std::vector<double> shares;

  std::size_t own_cells() const { return shape.back(); }
  std::size_t parent_cells() const { return shares.size() / own_cells(); }
};

/// Gives a column of all rows its cells, whose parents' cells are there: of the rows that agree in
/// these, as many get each cell as its share says, with the remainders by chance.
void deal_column(const NetworkColumn& column, SeededRandom& random, CodedRows& rows);

/// How noisy tables are turned into shares.
enum class NetworkEstimate {
  /// Deviations from independence are kept as far as they stand out of the noise.
  kShrunk,
  /// As the article has it: negative counts are 0, and what has no counts is even.
  kClipped,
};

/// A Bayesian network that grows with its measurements, and synthetic rows that grow along. What it
/// is made of is public, and the same measurements give the same network: the method that chooses
/// the next table, and whoever has the release, have the same one.
class NetworkGrowth {
 public:
  /// The encoder must outlive it. Rows, if their number is public.
  NetworkGrowth(const Encoder& encoder, std::optional<std::uint64_t> public_rows,
                NetworkEstimate estimate);

  /// Adds a measured block, in the order of measuring: the number of records and the columns come
  /// before the rest of the network. Throws Error(kInvalidRelease) for one that is out of place.
  void add(const CountBlock& block, const NoisyBlock& noisy, double sigma);

  /// The columns, each after its parents.
  const std::vector<NetworkColumn>& columns() const { return columns_; }
  bool has(std::size_t column) const;
  double records() const { return measurements_.rows(); }
  /// What was measured of columns alone.
  const std::vector<double>& column_shares(std::size_t column) const { return shares_.at(column); }
  /// How many records there are in each cell of some columns of the network, by the synthetic rows.
  std::vector<double> expected_counts(std::span<const CountedColumn> columns) const;

 private:
  /// Throws Error(kInvalidRelease) unless columns are in the cells that they were in before.
  void require_same_cells(const CountBlock& block);
  void start();
  void grow(NetworkColumn column);
  NetworkColumn read_table(const CellCounts& cells, const NoisyBlock& noisy,
                           std::vector<double>& counts) const;
  void shrink(const CellCounts& cells, double sigma, const std::vector<double>& counts,
              NetworkColumn& column) const;
  static void clip(const std::vector<double>& counts, NetworkColumn& column);

  const Encoder& encoder_;
  NetworkEstimate estimate_;
  MarginalMeasurements measurements_;
  std::vector<std::shared_ptr<const ColumnPartition>> cells_;  ///< per column, once it was counted
  std::vector<std::vector<double>> shares_;                    ///< per column, once started
  std::vector<NetworkColumn> columns_;
  SeededRandom random_;
  CodedRows rows_;
};

}  // namespace mehler
