#include "mehler/counts/count_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/integer_math.h"
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

void evaluate_cells(const CellCounts& counted, const EncodedBatch& batch, std::size_t row,
                    std::size_t dimension, double* out) {
  std::fill_n(out, dimension, 0.0);
  std::size_t place = 0;
  for (const CountedColumn& column : counted.columns) {
    const ColumnPartition& cells = *column.cells;
    place = place * cells.size() +
            cells.cell_of(cells.leaves().leaf_of(batch.columns.at(column.column), row));
  }
  out[place] = 1.0;
}

std::vector<std::size_t> sizes_of(const std::vector<CountedColumn>& columns) {
  std::vector<std::size_t> sizes;
  for (const CountedColumn& counted : columns) {
    sizes.push_back(counted.cells->size());
  }
  return sizes;
}

/// "age x sex (round 1)".
std::string table_name(const Encoder& encoder, std::span<const std::size_t> columns,
                       std::string_view step) {
  std::string name;
  for (const std::size_t column : columns) {
    name += (name.empty() ? "" : " x ") + block_word(encoder.columns()[column].name);
  }
  return name + (step.empty() ? "" : fmt::format(" ({})", step));
}

std::vector<CountedColumn> counted_columns(
    std::span<const std::size_t> columns,
    std::span<const std::shared_ptr<const ColumnPartition>> cells) {
  std::vector<CountedColumn> result;
  for (const std::size_t column : columns) {
    result.push_back({column, cells[column]});
  }
  return result;
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
  if (sum.image) {
    const ImageScores& image = *sum.image->scores;
    const std::size_t bytes = image.shape().size();
    WipedVector<float> scores(image.size());
    image.evaluate(std::span(batch.columns.at(image.column()).pixels).subspan(row * bytes, bytes),
                   scores);
    const std::uint32_t of_class = sum.class_of(batch, row);
    one.add_images(scores, std::span(&of_class, 1));
  } else {
    one.add(sum.leaves_of(batch, row));
  }
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

std::vector<std::size_t> Marginal::shape() const { return sizes_of(columns); }
std::vector<std::size_t> CellCounts::shape() const { return sizes_of(columns); }

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
  if (const CellCounts* cells = block.cell_counts()) {
    return cells->columns.size() == 1 ? "cells of a column"
                                      : fmt::format("cells of {} columns", cells->columns.size());
  }
  return std::holds_alternative<RecordCount>(block.counted) ? "number of records"
                                                            : "values within ranges";
}

CountBlock CountBlock::records() { return {"count", RecordCount(), {}}; }

CountBlock CountBlock::marginal(const Encoder& encoder, std::span<const std::size_t> columns,
                                std::span<const std::shared_ptr<const ColumnPartition>> cells,
                                std::string_view step) {
  return {table_name(encoder, columns, step), Marginal{counted_columns(columns, cells)},
          std::string(step)};
}

CountBlock CountBlock::cell_counts(const Encoder& encoder, std::span<const std::size_t> columns,
                                   std::span<const std::shared_ptr<const ColumnPartition>> cells,
                                   std::string_view step) {
  return {table_name(encoder, columns, step), CellCounts{counted_columns(columns, cells)},
          std::string(step)};
}

std::size_t CountBlock::dimension() const {
  return std::visit(
      Overloaded{[](const RecordCount&) { return std::size_t{1}; },
                 [](const Marginal& marginal) { return contrast_count(marginal.shape()); },
                 [](const HalvedRanges& ranges) { return ranges.halves->ranges.size(); },
                 [](const VectorSum& sum) { return sum.dimension(); },
                 [](const CellCounts& cells) {
                   std::size_t product = 1;
                   for (const std::size_t size : cells.shape()) {
                     product = multiply_saturating(product, size);
                   }
                   return product;
                 }},
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
                 [&](const VectorSum& sum) { return sum.sensitivity(relation); },
                 [&](const CellCounts&) { return replace ? std::sqrt(2.0) : 1.0; }},
      counted);
}

std::optional<double> CountBlock::absolute_sensitivity(NeighbourRelation relation) const {
  if (cell_counts() == nullptr) {
    return std::nullopt;
  }
  return relation == NeighbourRelation::kReplaceOne ? 2.0 : 1.0;
}

void CountBlock::evaluate(const EncodedBatch& batch, std::size_t row, double* out) const {
  std::visit(
      Overloaded{
          [&](const RecordCount&) { out[0] = 1.0; },
          [&](const Marginal& marginal) { evaluate_marginal(marginal, batch, row, out); },
          [&](const HalvedRanges& ranges) { evaluate_halves(ranges, batch, row, out); },
          [&](const VectorSum& sum) { evaluate_sum(sum, batch, row, out); },
          [&](const CellCounts& cells) { evaluate_cells(cells, batch, row, dimension(), out); }},
      counted);
}

}  // namespace mehler
