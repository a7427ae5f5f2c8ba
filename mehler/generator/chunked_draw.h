#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "mehler/core/context.h"
#include "mehler/encoding/encoder.h"
#include "mehler/generator/generator.h"
#include "mehler/generator/rule_guard.h"
#include "mehler/generator/sample_conditions.h"

namespace mehler {

/// Whether a row of encoded records meets all conditions.
bool meets(const std::vector<ColumnCondition>& conditions, const EncodedBatch& batch,
           std::size_t row);

/// A model that draws whole chunks of records, each by its number, and selects among them.
struct ChunkSource {
  std::size_t rows = 0;  ///< of a chunk
  /// The records of a chunk; may be called from several threads.
  std::function<EncodedBatch(std::uint64_t chunk)> draw;
};

/// Hands over as many records as are wanted: of chunk after chunk those that meet the conditions
/// and have no combination that never occurs. The same for any number of threads. Throws
/// Error(kInvalidArgument) where fewer than one record in 20,000 does.
void draw_in_chunks(const SampleOptions& options, const std::vector<ColumnCondition>& conditions,
                    const Encoder& encoder, const RuleGuard& guard, const ChunkSource& source,
                    const Context& context, const Generator::RecordSink& sink);

}  // namespace mehler
