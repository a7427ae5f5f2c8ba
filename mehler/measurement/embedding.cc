#include "mehler/measurement/embedding.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/features/sum_accumulator.h"
#include "mehler/measurement/internal/noise.h"
#include "mehler/measurement/internal/private_record_queue.h"

namespace mehler {
namespace {

/// With more records the sums of features could leave 64 bits: an entry is at most 1, so a sum is
/// at most 2^(grid exponent) times the records, and 2^62 leaves room for the noise.
std::uint64_t max_rows(const FeatureSet& features) {
  int exponent = 0;
  for (const FeatureBlock& block : features.blocks()) {
    exponent = std::max(exponent, block.grid_exponent());
  }
  return std::uint64_t{1} << (62 - exponent);
}

void add_sums(std::vector<WipedVector<std::int64_t>>& to,
              const std::vector<WipedVector<std::int64_t>>& from) {
  for (std::size_t b = 0; b < to.size(); ++b) {
    for (std::size_t i = 0; i < to[b].size(); ++i) {
      to[b][i] += from[b][i];
    }
  }
}

void require_row_limit(std::uint64_t rows, const FeatureSet& features) {
  if (rows > max_rows(features)) {
    throw Error(ErrorCode::kInvalidTable,
                fmt::format("the table has more than {} records, the most whose sums are exact; "
                            "split it, or leave product blocks out",
                            max_rows(features)));
  }
}

}  // namespace

Embedding::Embedding(const Encoder& encoder, const FeatureSet& features)
    : schema_(encoder.schema()), features_(features) {
  for (const FeatureBlock& block : features.blocks()) {
    sums_.emplace_back(features.block_rows(block) * block.dimension(), 0);
  }
}

void Embedding::merge(Embedding&& other) {
  if (!(features_ == other.features_) || !(schema_ == other.schema_)) {
    throw Error(ErrorCode::kInvalidArgument,
                "two embeddings can be merged only if their schemas and features are the same; "
                "embed all parts "
                "with one schema and one set of options");
  }
  if (schema_.privacy_unit()) {
    throw Error(ErrorCode::kInvalidArgument,
                "embeddings with a privacy unit cannot be merged: one person's records could be in "
                "both, and their "
                "number would no longer be bounded; read all parts in one pass");
  }
  add_sums(sums_, other.sums_);
  rows_ += other.rows_;
  require_row_limit(rows_, features_);
  const Embedding consumed = std::move(other);
}

Embedding embed(PrivateTable&& table, const Encoder& encoder, const FeatureSet& features,
                const Context& context) {
  Embedding result(encoder, features);
  std::vector<SumAccumulator> accumulators;
  accumulators.reserve(context.threads);
  for (std::size_t worker = 0; worker < context.threads; ++worker) {
    accumulators.emplace_back(encoder, features);
  }
  const PrivateTable read = std::move(table);
  for_private_records(
      read, encoder, context,
      [&](std::size_t worker, const EncodedBatch& batch, std::span<const std::uint8_t> kept) {
        accumulators[worker].add(batch, kept);
        return true;
      });
  for (SumAccumulator& accumulator : accumulators) {
    add_sums(result.sums_, accumulator.sums());
    result.rows_ += accumulator.rows();
  }
  require_row_limit(result.rows_, features);
  require_public_rows(result.rows_, result.schema_.relation());
  return result;
}

NoisyEmbedding privatize(Embedding&& embedding, SumMechanism&& mechanism) {
  mechanism.require_schema(embedding.schema_);
  if (!(mechanism.features() == embedding.features_)) {
    throw Error(ErrorCode::kInvalidArgument,
                "the noise was paid for other features than were summed; make the mechanism and "
                "the sums with one set of features");
  }
  Embedding exact = std::move(embedding);
  const SumMechanism paid = std::move(mechanism);
  const std::vector<FeatureBlock>& blocks = exact.features_.blocks();
  NoisyEmbedding result;
  if (exact.schema_.relation() == NeighbourRelation::kReplaceOne) {
    result.public_rows = exact.rows_;
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    result.blocks.push_back(with_noise(blocks[b], exact.features_.block_rows(blocks[b]),
                                       std::move(exact.sums_[b]), paid.charges()[b].sigma));
  }
  return result;
}

}  // namespace mehler
