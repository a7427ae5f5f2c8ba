#include "mehler/evaluation/release/feature_sums.h"

#include "mehler/features/pixel_counts.h"

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

void FeatureSums::add_pixels(const Run& run, const EncodedBatch& batch) {
  const HermiteFeatures& hermite = run.map->hermite();
  const std::size_t dimension = hermite.dimension();
  std::vector<double> features(kPixelValues * dimension);
  for (std::size_t byte = 0; byte < kPixelValues; ++byte) {
    hermite.evaluate(number_of_pixel(static_cast<std::uint8_t>(byte)), &features[byte * dimension]);
  }
  const bool labelled = released_.features.blocks()[run.block].labelled;
  const NoisyBlock& noisy = released_.blocks[run.block];
  const std::uint8_t* images = batch.columns[run.map->column()].pixels.data();
  PixelCounts counts(run.map->elements());
  for (std::size_t label = 0; label < noisy.rows; ++label) {
    for (std::size_t row = 0; row < batch.rows; ++row) {
      if (!labelled ||
          static_cast<std::size_t>(batch.columns[label_.value()].codes[row]) == label) {
        counts.add(images + row * run.map->elements());
      }
    }
    const std::size_t first = label * noisy.columns + run.segment.first;
    counts.take([&](std::size_t place, std::size_t byte, std::uint32_t count) {
      double* const sums = &sums_[run.block].sums[first + place * dimension];
      double* const squares = &sums_[run.block].squares[first + place * dimension];
      for (std::size_t k = 0; k < dimension; ++k) {
        const double feature = features[byte * dimension + k];
        sums[k] += count * feature;
        squares[k] += count * feature * feature;
      }
    });
  }
}

void FeatureSums::add(const Run& run, const EncodedBatch& batch) {
  if (run.map != nullptr && run.map->kind() == FeatureMap::Kind::kPixels) {
    add_pixels(run, batch);
    return;
  }
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
