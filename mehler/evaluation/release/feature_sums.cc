#include "mehler/evaluation/release/feature_sums.h"

#include <optional>

#include "mehler/evaluation/release/cell_tables.h"

namespace mehler {

FeatureSums::FeatureSums(const Release& release)
    : release_(release), sums_(release.blocks().size()) {
  for (std::size_t b = 0; b < sums_.size(); ++b) {
    const FeatureBlock& block = release.features().blocks()[b];
    if (CellTables::counts(block)) {
      continue;
    }
    const NoisyBlock& noisy = release.blocks()[b];
    sums_[b].sums.assign(noisy.rows * noisy.columns, 0.0);
    sums_[b].squares = sums_[b].sums;
    const std::vector<FeatureSegment> segments = block.segments();
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const bool is_sum = block.combination == Combination::kSum;
      runs_.push_back({b, segments[i], is_sum ? &block.maps[i].map : nullptr});
    }
  }
}

void FeatureSums::add(const EncodedBatch& batch, WorkerPool& pool) {
  pool.run(runs_.size(), [&](std::size_t i) { add(runs_[i], batch); });
}

void FeatureSums::add(const Run& run, const EncodedBatch& batch) {
  const FeatureBlock& block = release_.features().blocks()[run.block];
  const std::optional<std::size_t> label_column =
      block.labelled ? release_.encoder().label() : std::nullopt;
  const std::size_t columns = release_.blocks()[run.block].columns;
  std::vector<double> features(run.segment.count);
  for (std::size_t row = 0; row < batch.rows; ++row) {
    const std::size_t label =
        label_column ? static_cast<std::size_t>(batch.columns[*label_column].codes[row]) : 0;
    double* const sums = &sums_[run.block].sums[label * columns + run.segment.first];
    double* const squares = &sums_[run.block].squares[label * columns + run.segment.first];
    if (run.map != nullptr && run.map->kind() == FeatureMap::Kind::kOneHot) {
      const auto code = static_cast<std::size_t>(batch.columns[run.map->column()].codes[row]);
      sums[code] += 1.0;
      squares[code] += 1.0;
      continue;
    }
    if (run.map != nullptr) {
      run.map->evaluate(batch, row, features.data());
    } else {
      block.evaluate(batch, row, features.data());
    }
    for (std::size_t i = 0; i < features.size(); ++i) {
      sums[i] += features[i];
      squares[i] += features[i] * features[i];
    }
  }
}

}  // namespace mehler
