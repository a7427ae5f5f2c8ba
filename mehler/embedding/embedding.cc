#include "mehler/embedding/embedding.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>

#include "mehler/core/error.h"
#include "mehler/embedding/private_record_queue.h"
#include "mehler/embedding/sum_accumulator.h"
#include "mehler/privacy/rounded_gaussian.h"
#include "mehler/privacy/secure_random.h"

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

/// Calls the context's progress callback a few times a second. Thread-safe.
class ProgressMeter {
 public:
  explicit ProgressMeter(const Context& context) : context_(context) {}

  void add_rows(std::uint64_t rows) {
    const std::uint64_t done = rows_.fetch_add(rows) + rows;
    if (!context_.progress || !mutex_.try_lock()) {
      return;
    }
    const std::lock_guard lock(mutex_, std::adopt_lock);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_call_ >= std::chrono::milliseconds(100)) {
      last_call_ = now;
      context_.progress(Progress{done, -1.0});
    }
  }

 private:
  const Context& context_;
  std::atomic<std::uint64_t> rows_{0};
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_call_{};
};

void add_sums(std::vector<std::vector<std::int64_t>>& to,
              const std::vector<std::vector<std::int64_t>>& from) {
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

Embedding::~Embedding() {
  for (std::vector<std::int64_t>& sums : sums_) {
    OPENSSL_cleanse(sums.data(), sums.size() * sizeof(std::int64_t));
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
  if (context.threads < 1) {
    throw Error(ErrorCode::kInvalidArgument, "the number of threads must be at least 1, but is 0");
  }
  if (!(table.schema() == encoder.schema())) {
    throw Error(ErrorCode::kInvalidArgument,
                "the private table and the encoder have different schemas; make both from one");
  }
  Embedding result(encoder, features);
  PrivateRecordQueue queue(std::move(table), encoder);
  ProgressMeter meter(context);
  std::mutex result_mutex;
  std::atomic<bool> failed{false};
  run_workers(context.threads, [&](std::size_t) {
    try {
      SumAccumulator accumulator(encoder, features);
      EncodedBatch encoded;
      PrivateRecordQueue::Slice slice;
      while (!failed.load(std::memory_order_relaxed) && queue.next(slice)) {
        context.throw_if_cancelled();
        encoder.encode(*slice.binding, slice.stream->schema(), slice.rows, encoded);
        accumulator.add(encoded, slice.kept);
        meter.add_rows(encoded.rows);
      }
      const std::lock_guard lock(result_mutex);
      add_sums(result.sums_, accumulator.sums());
      result.rows_ += accumulator.rows();
    } catch (...) {
      failed.store(true, std::memory_order_relaxed);
      throw;
    }
  });
  require_row_limit(result.rows_, features);
  if (result.rows_ == 0) {
    throw Error(ErrorCode::kInvalidTable,
                "the table has a header but no rows; give a table with at least one record");
  }
  return result;
}

NoisyEmbedding privatize(Embedding&& embedding, GaussianMechanism&& mechanism) {
  const Embedding exact = std::move(embedding);
  const GaussianMechanism paid = std::move(mechanism);
  const std::vector<FeatureBlock>& blocks = exact.features_.blocks();
  MEHLER_ASSERT(paid.blocks().size() == blocks.size());
  NoisyEmbedding result;
  if (exact.schema_.relation() == NeighbourRelation::kReplaceOne) {
    result.public_rows = exact.rows_;
  }
  SecureRandom random;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    NoisyBlock noisy{exact.features_.block_rows(blocks[b]), blocks[b].dimension(), exact.sums_[b],
                     blocks[b].grid_exponent()};
    for (const FeatureSegment& segment : blocks[b].segments()) {
      const double sigma = paid.blocks()[b].sigma / segment.weight;
      RoundedGaussian<SecureRandom> noise(random, std::ldexp(sigma, noisy.grid_exponent));
      for (std::size_t row = 0; row < noisy.rows; ++row) {
        for (std::size_t i = 0; i < segment.count; ++i) {
          std::int64_t& sum = noisy.grid_sums[row * noisy.columns + segment.first + i];
          const bool overflow = __builtin_add_overflow(sum, noise.sample(), &sum);
          MEHLER_ASSERT(!overflow);
        }
      }
    }
    result.blocks.push_back(std::move(noisy));
  }
  return result;
}

}  // namespace mehler
