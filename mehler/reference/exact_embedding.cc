#include "mehler/reference/exact_embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "mehler/features/embedding_features.h"
#include "mehler/features/sum_accumulator.h"
#include "mehler/reference/public_classes.h"

namespace mehler {
namespace {

/// Records whose features are summed at once.
constexpr std::size_t kSliceRows = 4096;

/// Some rows of a batch.
EncodedBatch slice_of(const EncodedBatch& records, std::size_t first, std::size_t rows) {
  const auto part = [&](const auto& from, auto& to) {
    const std::size_t width = from.size() / records.rows;
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first * width);
    to.assign(begin, begin + static_cast<std::ptrdiff_t>(rows * width));
  };
  EncodedBatch slice;
  slice.rows = rows;
  slice.columns.resize(records.columns.size());
  for (std::size_t i = 0; i < slice.columns.size(); ++i) {
    part(records.columns[i].numbers, slice.columns[i].numbers);
    part(records.columns[i].codes, slice.columns[i].codes);
    part(records.columns[i].pixels, slice.columns[i].pixels);
  }
  return slice;
}

/// Per block, [rows][dimension]: integers, whose sum does not depend on who adds what.
std::vector<std::vector<std::int64_t>> grid_sums(const Encoder& encoder, const FeatureSet& features,
                                                 const EncodedBatch& records,
                                                 const Context& context) {
  std::vector<SumAccumulator> accumulators;
  for (std::size_t worker = 0; worker < context.threads; ++worker) {
    accumulators.emplace_back(encoder, features);
  }
  std::atomic<std::size_t> next{0};
  run_workers(context.threads, [&](std::size_t worker) {
    for (std::size_t first = kSliceRows * next++; first < records.rows;
         first = kSliceRows * next++) {
      context.throw_if_cancelled();
      accumulators[worker].add(slice_of(records, first, std::min(kSliceRows, records.rows - first)),
                               {});
    }
  });
  std::vector<std::vector<std::int64_t>> sums;
  for (std::size_t b = 0; b < features.blocks().size(); ++b) {
    sums.emplace_back(accumulators[0].sums()[b].size(), 0);
    for (SumAccumulator& accumulator : accumulators) {
      for (std::size_t i = 0; i < sums[b].size(); ++i) {
        sums[b][i] += accumulator.sums()[b][i];
      }
    }
  }
  return sums;
}

}  // namespace

EmbeddingTarget exact_embedding(const Encoder& encoder, const FeatureSet& features,
                                const PublicRecords& records, const Context& context) {
  EmbeddingTarget target;
  target.class_counts = PublicClasses(encoder, records).record_counts();
  const std::vector<std::vector<std::int64_t>> sums =
      grid_sums(encoder, features, records.records(), context);
  for (std::size_t b = 0; b < sums.size(); ++b) {
    const FeatureBlock& block = features.blocks()[b];
    if (block.maps[0].map.kind() == FeatureMap::Kind::kConstant) {
      continue;
    }
    target.sums.emplace_back();
    for (const std::int64_t sum : sums[b]) {
      target.sums.back().push_back(std::ldexp(static_cast<double>(sum), -block.grid_exponent()));
    }
  }
  return target;
}

std::unique_ptr<const RecordSampler> train_at_infinity(const Encoder& encoder,
                                                       const PublicRecords& records,
                                                       const EmbeddingOptions& embedding,
                                                       TrainingOptions training,
                                                       const Context& context) {
  if (training.weights.rule == LossWeights::Rule::kNoise) {
    training.weights = {.rule = LossWeights::Rule::kOnes, .equal_classes = true};
  }
  const FeatureSet features = mean_embedding_features(encoder, embedding);
  if (context.progress) {
    context.progress({0, -1.0, "summing features of the records"});
  }
  const EmbeddingTarget target = exact_embedding(encoder, features, records, context);
  const auto rows = static_cast<double>(records.records().rows);
  EmbeddingTrainer trainer(encoder, features, {target, target, training.weights, rows}, training,
                           context, SeededRandom(training.seed));
  while (!trainer.is_finished()) {
    const TrainingProgress progress = trainer.run_epoch();
    if (context.progress) {
      const double fraction =
          static_cast<double>(progress.epoch) / static_cast<double>(progress.epochs);
      context.progress({0, fraction,
                        fmt::format("epoch {} of {}  squared distance {:.3g}", progress.epoch,
                                    progress.epochs, progress.validation_loss)});
    }
  }
  return std::make_unique<const NetworkSampler>(encoder, trainer.best());
}

}  // namespace mehler
