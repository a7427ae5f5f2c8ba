#pragma once

#include <memory>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/options.h"
#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/public_records.h"
#include "mehler/features/embedding_options.h"
#include "mehler/generator/neural/embedding_trainer.h"
#include "mehler/generator/record_sampler.h"

namespace mehler {

/// The sums of features that a private method would add noise to, without noise, and the counts of
/// the classes: bit for bit those of an Embedding before privatize().
///
/// Privacy: exact statistics of the records; hence public ones only.
EmbeddingTarget exact_embedding(const Encoder& encoder, const FeatureSet& features,
                                const PublicRecords& records, const Context& context);

/// The training of dp-hp and dp-merf with an infinite epsilon: the same network, loss and epochs on
/// exact sums. Weights that would follow the noise (LossWeights::Rule::kNoise) are 1 for each
/// block. `encoder` must outlive what is returned.
std::unique_ptr<const RecordSampler> train_at_infinity(const Encoder& encoder,
                                                       const PublicRecords& records,
                                                       const EmbeddingOptions& embedding,
                                                       TrainingOptions training,
                                                       const Context& context);

}  // namespace mehler
