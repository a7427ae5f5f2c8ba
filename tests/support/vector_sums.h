#pragma once

#include <memory>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/counts/vector_sum.h"
#include "mehler/encoding/encoder.h"

namespace mehler {

/// Every kind of sum, of vectors of all columns but the one of the classes, by random scores.
inline std::vector<VectorSum> example_sums(const Encoder& encoder, const CountedColumn& classes) {
  SeededRandom random(5);
  auto scores = std::make_shared<ScoreTables>();
  for (std::size_t c = 0; c < encoder.columns().size(); ++c) {
    if (c == classes.column) {
      continue;
    }
    auto cells =
        std::make_shared<const ColumnPartition>(ColumnPartition::even(encoder.columns()[c], 16));
    std::vector<std::int32_t> table;
    for (std::size_t i = 0; i < cells->size(); ++i) {
      table.push_back(static_cast<std::int32_t>(random.next_word() % 4096) - 2048);
    }
    scores->columns.push_back({{c, std::move(cells)}, std::move(table)});
  }
  auto vector = std::make_shared<RecordVector>();
  vector->scores = scores;
  vector->radius = 2.0;
  VectorSum means;
  means.vector = vector;
  means.classes = classes;
  VectorSum lengths = means;
  lengths.kind = SumKind::kLengths;
  lengths.cells = 10;
  lengths.cell_width = 0.2;
  VectorSum products = means;
  products.kind = SumKind::kProducts;
  VectorSum loadings = means;
  loadings.kind = SumKind::kLoadings;
  loadings.classes.reset();
  loadings.other = vector;
  VectorSum gradient = means;
  gradient.kind = SumKind::kGradient;
  std::vector<double> weights(gradient.dimension());
  for (double& weight : weights) {
    weight = on_parameter_grid(random.normal());
  }
  gradient.weights = std::make_shared<const std::vector<double>>(std::move(weights));
  return {means, lengths, products, loadings, gradient};
}

}  // namespace mehler
