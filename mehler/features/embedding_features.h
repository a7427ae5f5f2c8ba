#pragma once

#include "mehler/encoding/columns_to_learn.h"
#include "mehler/encoding/encoder.h"
#include "mehler/features/embedding_options.h"
#include "mehler/features/feature_set.h"

namespace mehler {

/// The features of a mean embedding: the counts (of classes, or of all records; left out where the
/// relation makes them public), the sum block over every column but the label, and the product
/// blocks, as asked for. Throws Error(kInvalidArgument) for options that do not fit the schema, and
/// Error(kInvalidSchema) where that has no column besides the target.
FeatureSet mean_embedding_features(const Encoder& encoder, const EmbeddingOptions& options,
                                   SchemaOrigin origin = SchemaOrigin::kWritten);

}  // namespace mehler
