#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/wiping.h"
#include "mehler/core/worker_pool.h"
#include "mehler/encoding/encoder.h"
#include "mehler/networks/network.h"
#include "mehler/privacy/gaussian_mechanism.h"
#include "mehler/privacy/private_table.h"
#include "mehler/privacy/subsampled_mechanism.h"
#include "mehler/record_networks/critic_loss.h"
#include "mehler/record_networks/record_inputs.h"
#include "mehler/release/payload.h"

namespace mehler {

class ClippedGradients;

/// Private records that a critic is trained on: read once, kept encoded, and met in random batches.
/// With PrivateCritics the one place where networks and private records come together.
///
/// Privacy: private. What leaves it is noisy counts and noisy sums of clipped gradients, as they
/// were paid for. It takes a network of dense layers and one of two losses, never a function: no
/// caller's code sees a record, and a record's part of a sum depends on that record and on the
/// critic alone (docs/design/0025-private-training.md). Records are wiped when it is destroyed.
class PrivateBatches {
 public:
  /// Reads the table once. Throws Error(kInvalidTable) if it does not fit the schema or has more
  /// than 2^24 records, whose sums might not be exact; Error(kCancelled) on request.
  PrivateBatches(PrivateTable&& table, const Encoder& encoder, const RecordInputs::Style& style,
                 const Context& context);
  ~PrivateBatches();
  PrivateBatches(const PrivateBatches&) = delete;
  PrivateBatches& operator=(const PrivateBatches&) = delete;

  /// What a critic takes of a record.
  const RecordInputs& inputs() const { return inputs_; }

  /// The number of records, or those of each class, with the noise that was paid for; the mechanism
  /// is consumed. Its one block must be TrainedWeights::counted(). Throws Error(kInvalidArgument)
  /// if it was paid for under another schema.
  NoisyBlock count(CountMechanism&& mechanism);

  /// Takes a step that was paid for: draws a batch, of all records or of one class as the plan
  /// says, and gives the sum over it of the gradients, by the critic's parameters, of the loss of
  /// real records, each shortened to the plan's clip norm, with its noise on every number.
  ///
  /// Throws Error(kInvalidArgument) for a critic that cannot be trained so (ClippedGradients), or a
  /// mechanism that was paid for under another schema; Error(kBudgetExceeded) if no step is left.
  std::vector<float> noisy_gradient(const Network& critic, CriticLoss loss,
                                    SubsampledMechanism& paid, std::size_t of_class,
                                    WorkerPool& pool);

 private:
  friend struct PrivateBatchesTestPeer;  // tests/ only
  friend class PrivateCritics;           // of the same records

  using Rows = WipedVector<std::uint32_t>;

  void append(const EncodedBatch& batch, std::span<const std::uint8_t> kept);

  Schema schema_;
  RecordInputs inputs_;
  std::optional<std::size_t> label_;
  EncodedBatch records_;
  Rows all_;
  std::vector<Rows> of_classes_;  ///< of the label's codes; none without a label
  std::unique_ptr<ClippedGradients> gradients_;
};

}  // namespace mehler
