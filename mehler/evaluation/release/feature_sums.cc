#include "mehler/evaluation/release/feature_sums.h"

namespace mehler {

FeatureSums::FeatureSums(const Release& release)
    : released_(release.sums()), label_(release.encoder().label()), sums_(released_.blocks.size()) {
  for (std::size_t b = 0; b < sums_.size(); ++b) {
    const FeatureBlock& block = released_.features.blocks()[b];
    const NoisyBlock& noisy = released_.blocks[b];
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
  const FeatureBlock& block = released_.features.blocks()[run.block];
  const std::int32_t* const labels =
      block.labelled ? batch.columns[label_.value()].codes.data() : nullptr;
  const std::size_t columns = released_.blocks[run.block].columns;
  std::vector<double> features(run.segment.count);
  for (std::size_t row = 0; row < batch.rows; ++row) {
    const std::size_t label = labels == nullptr ? 0 : static_cast<std::size_t>(labels[row]);
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
