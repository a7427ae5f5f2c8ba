#include "mehler/synthesis/independent/release_independent.h"

#include <cmath>

#include "mehler/measurement/measured_release.h"
#include "mehler/measurement/measurement_rounds.h"

namespace mehler {
namespace {

constexpr std::size_t kRanges = 32;   ///< of a number
constexpr double kCountShare = 0.03;  ///< of the budget, for the number of records

/// The counts of each column that has more than one possible value.
std::vector<CountBlock> column_blocks(const Encoder& encoder) {
  std::vector<std::shared_ptr<const ColumnPartition>> cells;
  for (const Column& column : encoder.columns()) {
    cells.push_back(
        std::make_shared<const ColumnPartition>(ColumnPartition::even(column, kRanges)));
  }
  std::vector<CountBlock> blocks;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (cells[c]->size() > 1) {
      blocks.push_back(CountBlock::marginal(encoder, {{c}}, cells, ""));
    }
  }
  return blocks;
}

/// Precision of a column's contrasts: proportional to the root of its cells.
std::vector<double> shares_of(std::span<const CountBlock> blocks) {
  std::vector<double> shares;
  for (const CountBlock& block : blocks) {
    shares.push_back(std::sqrt(static_cast<double>(block.marginal()->shape()[0])));
  }
  return shares;
}

/// Of both rounds, before the first record is read.
void require_drawable_noise(std::span<const CountBlock> blocks, bool count_is_public,
                            double mu_squared, const Schema& schema) {
  const double for_records = count_is_public ? 0.0 : kCountShare * mu_squared;
  if (!count_is_public) {
    const std::vector<CountBlock> records = {CountBlock::records()};
    const std::vector<double> whole = {1.0};
    require_drawable_round(records, whole, for_records, schema);
  }
  require_drawable_round(blocks, shares_of(blocks), mu_squared - for_records, schema);
}

}  // namespace

Release release_independent(PrivateTable&& table, Accountant& accountant, const Context& context) {
  table.schema().refuse_images("method independent");
  const Encoder encoder(table.schema());
  require_varying_column(encoder);
  std::vector<CountBlock> blocks = column_blocks(encoder);
  CountSet(encoder, blocks);  // throws if they take too much memory, before records are read
  const bool count_is_public = encoder.schema().relation() == NeighbourRelation::kReplaceOne;
  require_drawable_noise(blocks, count_is_public, accountant.left_mu_squared(), encoder.schema());
  PrivateCounter counter(std::move(table), encoder, context);
  MeasurementRounds rounds(counter, encoder, accountant);
  return once_measured([&] { return rounds.any_measured(); },
                       [&] {
                         if (!count_is_public) {
                           rounds.measure("the number of records", {CountBlock::records()}, {1.0},
                                          kCountShare * rounds.left(), context);
                         }
                         const std::vector<double> shares = shares_of(blocks);
                         rounds.measure("counts of each column", std::move(blocks), shares,
                                        rounds.left(), context);
                         return read_back(rounds.finish("independent"));
                       });
}

}  // namespace mehler
