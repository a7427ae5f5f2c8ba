#include "mehler/counts/count_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/overloaded.h"
#include "mehler/counts/contrasts.h"
#include "mehler/counts/vector_accumulator.h"

namespace mehler {
namespace {

void evaluate_marginal(const Marginal& marginal, const EncodedBatch& batch, std::size_t row,
                       double* out) {
  std::vector<double> product = {1.0};
  for (const CountedColumn& counted : marginal.columns) {
    const ColumnPartition& cells = *counted.cells;
    const std::size_t cell =
        cells.cell_of(cells.leaves().leaf_of(batch.columns.at(counted.column), row));
    std::vector<double> longer;
    for (const double outer : product) {
      for (std::size_t k = 1; k < cells.size(); ++k) {
        const double entry = cell < k ? 1.0 : cell == k ? -static_cast<double>(k) : 0.0;
        longer.push_back(outer * entry / contrast_scale(k));
      }
    }
    product = std::move(longer);
  }
  std::copy(product.begin(), product.end(), out);
}

void evaluate_halves(const HalvedRanges& counted, const EncodedBatch& batch, std::size_t row,
                     double* out) {
  const RangeHalves& halves = *counted.halves;
  std::fill_n(out, halves.ranges.size(), 0.0);
  const std::uint32_t leaf = halves.leaves.leaf_of(batch.columns.at(counted.column), row);
  const std::size_t range = halves.range_of(leaf);
  if (range != RangeHalves::kNone) {
    out[range] = leaf < RangeHalves::middle(halves.ranges[range]) ? 1.0 : -1.0;
  }
}

void evaluate_sum(const VectorSum& sum, const EncodedBatch& batch, std::size_t row, double* out) {
  std::vector<std::int64_t> sums(sum.dimension());
  VectorAccumulator one(sum);
  one.add(sum.leaves_of(batch, row));
  one.add_to(sums);
  const std::vector<double> scales = sum.noise_scales();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    out[i] = std::ldexp(static_cast<double>(sums[i]), -sum.exact_exponent()) / scales[i];
  }
}

}  // namespace

bool HalvedRanges::operator==(const HalvedRanges& other) const {
  return column == other.column && hold_the_same(halves, other.halves);
}

std::vector<std::size_t> Marginal::shape() const {
  std::vector<std::size_t> sizes;
  for (const CountedColumn& counted : columns) {
    sizes.push_back(counted.cells->size());
  }
  return sizes;
}

std::string block_word(const std::string& column) {
  const bool is_plain = (" " + column + " ").find(" x ") == std::string::npos || column == "x";
  if (is_plain && column.find('"') == std::string::npos && !column.ends_with(')')) {
    return column;
  }
  std::string word = "\"";
  for (const char c : column) {
    word += c == '"' ? "\"\"" : std::string(1, c);
  }
  return word + "\"";
}

std::string what_is_counted(const CountBlock& block) {
  constexpr const char* kTogether[] = {"columns", "pairs of columns", "triples of columns"};
  if (const Marginal* marginal = block.marginal()) {
    return kTogether[marginal->columns.size() - 1];
  }
  if (block.vector_sum() != nullptr) {
    return "sums of vectors";
  }
  return std::holds_alternative<RecordCount>(block.counted) ? "number of records"
                                                            : "values within ranges";
}

CountBlock CountBlock::records() { return {"count", RecordCount(), {}}; }

CountBlock CountBlock::marginal(const Encoder& encoder, std::span<const std::size_t> columns,
                                std::span<const std::shared_ptr<const ColumnPartition>> cells,
                                std::string_view step) {
  std::string name;
  Marginal counted;
  for (const std::size_t column : columns) {
    name += (name.empty() ? "" : " x ") + block_word(encoder.columns()[column].name);
    counted.columns.push_back({column, cells[column]});
  }
  name += step.empty() ? "" : fmt::format(" ({})", step);
  return {std::move(name), std::move(counted), std::string(step)};
}

std::size_t CountBlock::dimension() const {
  return std::visit(
      Overloaded{[](const RecordCount&) { return std::size_t{1}; },
                 [](const Marginal& marginal) { return contrast_count(marginal.shape()); },
                 [](const HalvedRanges& ranges) { return ranges.halves->ranges.size(); },
                 [](const VectorSum& sum) { return sum.dimension(); }},
      counted);
}

int CountBlock::grid_exponent() const {
  if (vector_sum() != nullptr && !vector_sum()->is_count()) {
    return exact_exponent();
  }
  return std::holds_alternative<RecordCount>(counted) ? kRecordGridExponent : kCellGridExponent;
}

int CountBlock::exact_exponent() const {
  return vector_sum() != nullptr ? vector_sum()->exact_exponent() : 0;
}

std::vector<double> CountBlock::noise_scales() const {
  if (vector_sum() != nullptr) {
    return vector_sum()->noise_scales();
  }
  return marginal() ? contrast_scales(marginal()->shape()) : std::vector<double>(dimension(), 1.0);
}

double CountBlock::sensitivity(NeighbourRelation relation) const {
  const bool replace = relation == NeighbourRelation::kReplaceOne;
  return std::visit(
      Overloaded{[&](const RecordCount&) { return replace ? 0.0 : 1.0; },
                 [&](const Marginal& marginal) {
                   return std::sqrt(replace ? squared_contrast_difference(marginal.shape())
                                            : squared_contrast_norm(marginal.shape()));
                 },
                 // An exchange between the two halves of one range.
                 [&](const HalvedRanges&) { return replace ? 2.0 : 1.0; },
                 [&](const VectorSum& sum) { return sum.sensitivity(relation); }},
      counted);
}

void CountBlock::evaluate(const EncodedBatch& batch, std::size_t row, double* out) const {
  std::visit(
      Overloaded{[&](const RecordCount&) { out[0] = 1.0; },
                 [&](const Marginal& marginal) { evaluate_marginal(marginal, batch, row, out); },
                 [&](const HalvedRanges& ranges) { evaluate_halves(ranges, batch, row, out); },
                 [&](const VectorSum& sum) { evaluate_sum(sum, batch, row, out); }},
      counted);
}

}  // namespace mehler
