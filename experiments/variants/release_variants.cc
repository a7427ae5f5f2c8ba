#include "experiments/variants/release_variants.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "mehler/core/error.h"
#include "mehler/measurement/measurement_rounds.h"

namespace mehler {
namespace {

constexpr double kCountShare = 0.03;
constexpr double kColumnShare = 0.25;
constexpr double kColumnShareBesideRawTables = 0.10;

const std::string kAsSpecified = "as-specified";
const std::string kEqualSigma = "equal-sigma";
const std::string kRawTables = "raw-tables";

/// Precisions of contrasts by the columns that are counted together; of none: all records.
using Precisions = std::map<std::vector<std::size_t>, double>;

/// Depends on the schema alone.
void require_categories(const Encoder& encoder) {
  for (const Column& column : encoder.columns()) {
    if (!column.is_category() || ColumnPartition::even(column, 2).size() < 2) {
      throw Error(ErrorCode::kInvalidSchema,
                  fmt::format("column '{}' must have two categories or more: a variant of a "
                              "release takes nothing else",
                              column.name));
    }
  }
  if (encoder.schema().relation() != NeighbourRelation::kAddRemoveOne) {
    throw Error(ErrorCode::kInvalidSchema,
                "a variant of a release counts records with noise; declare add-remove-one");
  }
}

/// What is measured of a table of categories, and how precisely.
class OneShot {
 public:
  OneShot(const Encoder& encoder, const MeasurementRounds& rounds)
      : encoder_(encoder), rounds_(rounds) {
    for (const Column& column : encoder.columns()) {
      cells_.push_back(std::make_shared<const ColumnPartition>(ColumnPartition::even(column, 2)));
    }
  }

  CountBlock block(const std::vector<std::size_t>& columns) const {
    if (!columns.empty()) {
      return CountBlock::marginal(encoder_, columns, cells_, "");
    }
    return CountBlock::records();
  }

  /// Precisions per unit of the budget: `share` of it goes to these tables.
  void add(double share, const Precisions& relative) {
    double sum = 0.0;
    for (const auto& [columns, precision] : relative) {
      sum += precision * rounds_.cost(block(columns));
    }
    for (const auto& [columns, precision] : relative) {
      precisions_[columns] += share * precision / sum;
    }
  }

  Precisions columns() const {
    Precisions result;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      result[{c}] = std::sqrt(size(c));
    }
    return result;
  }

  Precisions pairs(bool by_size) const {
    Precisions result;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      for (std::size_t j = i + 1; j < cells_.size(); ++j) {
        result[{i, j}] = by_size ? std::sqrt(size(i) * size(j)) : 1.0;
      }
    }
    return result;
  }

  /// A table of d_i x d_j counts, each with noise of precision b, tells its total with precision
  /// b / (d_i d_j), column i's contrasts with b / d_j, column j's with b / d_i and the pair's with
  /// b. These are independent, and together they cost what the table does: b.
  Precisions raw_tables() const {
    Precisions result;
    for (const auto& [columns, precision] : pairs(true)) {
      const double first = size(columns[0]);
      const double second = size(columns[1]);
      result[{}] += precision / (first * second);
      result[{columns[0]}] += precision / second;
      result[{columns[1]}] += precision / first;
      result[columns] += precision;
    }
    return result;
  }

  const Precisions& precisions() const { return precisions_; }

 private:
  double size(std::size_t column) const { return static_cast<double>(cells_[column]->size()); }

  const Encoder& encoder_;
  const MeasurementRounds& rounds_;
  std::vector<std::shared_ptr<const ColumnPartition>> cells_;
  Precisions precisions_;
};

}  // namespace

std::vector<std::string> release_variants() { return {kAsSpecified, kEqualSigma, kRawTables}; }

Release release_variant(PrivateTable&& table, const std::string& name, Accountant& accountant,
                        const Context& context) {
  const Encoder encoder(table.schema());
  require_categories(encoder);
  PrivateCounter codes(std::move(table), encoder, context);
  MeasurementRounds rounds(codes, encoder, accountant);
  OneShot plan(encoder, rounds);
  const bool raw = name == kRawTables;
  const double column_share = raw ? kColumnShareBesideRawTables : kColumnShare;
  plan.add(kCountShare, {{{}, 1.0}});
  plan.add(column_share, plan.columns());
  plan.add(1.0 - kCountShare - column_share,
           raw ? plan.raw_tables() : plan.pairs(name == kAsSpecified));
  std::vector<CountBlock> blocks;
  std::vector<double> shares;
  for (const auto& [columns, precision] : plan.precisions()) {
    blocks.push_back(plan.block(columns));
    shares.push_back(precision);
  }
  rounds.measure("everything at once", std::move(blocks), std::move(shares), rounds.left(),
                 context);
  return rounds.finish("marginals");
}

}  // namespace mehler
