#include "mehler/measurement/private_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "mehler/core/error.h"
#include "mehler/measurement/internal/clipped_gradients.h"
#include "mehler/measurement/internal/noise.h"
#include "mehler/measurement/internal/poisson_batch.h"
#include "mehler/measurement/internal/private_record_queue.h"
#include "mehler/privacy/secure_random.h"

namespace mehler {
namespace {

/// With more records a sum, each of at most 1 in multiples of 2^-38, could leave 62 bits.
constexpr std::size_t kMostTrainedOn = std::size_t{1} << (62 - kGradientGridExponent);

template <typename Values>
void append_rows(const Values& from, std::size_t rows, std::span<const std::uint8_t> kept,
                 Values& to) {
  const std::size_t width = rows == 0 ? 0 : from.size() / rows;
  for (std::size_t row = 0; width > 0 && row < rows; ++row) {
    if (kept.empty() || kept[row] != 0) {
      const auto first = from.begin() + static_cast<std::ptrdiff_t>(row * width);
      to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(width));
    }
  }
}

}  // namespace

PrivateBatches::PrivateBatches(PrivateTable&& table, const Encoder& encoder,
                               const RecordInputs::Style& style, const Context& context)
    : schema_(encoder.schema()),
      inputs_(encoder, style),
      label_(encoder.label()),
      gradients_(std::make_unique<ClippedGradients>(inputs_)) {
  const PrivateTable read = std::move(table);
  records_.columns.resize(encoder.columns().size());
  std::mutex mutex;
  for_private_records(
      read, encoder, context,
      [&](std::size_t, const EncodedBatch& batch, std::span<const std::uint8_t> kept) {
        const std::lock_guard lock(mutex);
        append(batch, kept);
        return true;
      });
  all_.resize(records_.rows);
  of_classes_.resize(label_ ? encoder.columns()[*label_].code_count() : 0);
  for (std::size_t row = 0; row < records_.rows; ++row) {
    all_[row] = static_cast<std::uint32_t>(row);
    if (label_) {
      of_classes_[static_cast<std::size_t>(records_.columns[*label_].codes[row])].push_back(
          all_[row]);
    }
  }
}

PrivateBatches::~PrivateBatches() = default;

void PrivateBatches::append(const EncodedBatch& batch, std::span<const std::uint8_t> kept) {
  for (std::size_t c = 0; c < records_.columns.size(); ++c) {
    const EncodedColumn& from = batch.columns[c];
    EncodedColumn& to = records_.columns[c];
    append_rows(from.numbers, batch.rows, kept, to.numbers);
    append_rows(from.codes, batch.rows, kept, to.codes);
    append_rows(from.pixels, batch.rows, kept, to.pixels);
  }
  records_.rows +=
      kept.empty()
          ? batch.rows
          : static_cast<std::size_t>(std::count(kept.begin(), kept.end(), std::uint8_t{1}));
  if (records_.rows > kMostTrainedOn) {
    throw Error(
        ErrorCode::kInvalidTable,
        fmt::format("the table has more than {} records, the most that networks are trained "
                    "on; split it, or choose another method",
                    kMostTrainedOn));
  }
}

NoisyBlock PrivateBatches::count(CountMechanism&& mechanism) {
  mechanism.require_schema(schema_);
  const CountMechanism paid = std::move(mechanism);
  MEHLER_ASSERT(paid.blocks().size() == 1);
  const CountBlock& block = paid.blocks()[0];
  WipedVector<std::int64_t> counts;
  if (std::holds_alternative<RecordCount>(block.counted)) {
    counts = {static_cast<std::int64_t>(records_.rows)};
  } else {
    const CellCounts* cells = block.cell_counts();
    MEHLER_ASSERT(cells != nullptr && cells->columns.size() == 1 &&
                  cells->columns[0].column == label_);
    counts.resize(block.dimension());
    for (std::size_t code = 0; code < of_classes_.size(); ++code) {
      counts[cells->columns[0].cells->cell_of(static_cast<std::uint32_t>(code))] +=
          static_cast<std::int64_t>(of_classes_[code].size());
    }
  }
  return with_noise(block, std::move(counts), paid.charges()[0].sigma);
}

std::vector<float> PrivateBatches::noisy_gradient(const Network& critic, CriticLoss loss,
                                                  SubsampledMechanism& paid, std::size_t of_class,
                                                  WorkerPool& pool) {
  const TrainingPlan& plan = paid.plan();
  const bool by_class = plan.critics == TrainingCritics::kOnePerClass;
  MEHLER_ASSERT(plan.critics != TrainingCritics::kShards && (by_class || of_class == 0));
  paid.require_schema(schema_);
  ClippedGradients::require_critic(critic, inputs_.size());
  paid.take_step(of_class);
  Rows batch;
  SecureRandom random;
  draw_poisson_batch(random, by_class ? of_classes_.at(of_class) : all_, plan.rate_numerator,
                     batch);
  WipedVector<std::int64_t> sums(critic.parameters().size(), 0);
  gradients_->add(critic, loss, plan.clip_norm, records_, batch, pool, sums);
  return with_gradient_noise(sums, plan.noise_multiplier, plan.clip_norm, pool);
}

}  // namespace mehler
