#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/options.h"
#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/public_records.h"
#include "mehler/generator/record_sampler.h"

namespace mehler {

/// What is asked of a training without privacy. The same records, options and seed give the same
/// network for any number of threads.
struct ReferenceRequest {
  OptionValues options = {};
  std::uint64_t seed = 1;
};

/// A system that private ones are compared with, and that is trained on records without protection.
///
/// Privacy: none, and none is claimed. It takes PublicRecords, which exist only where a caller has
/// written DeclaredPublic, and gives something that draws records and has no release, no statement
/// and no file (docs/design/0026-reference-runs.md).
struct ReferenceKind {
  std::string name;
  std::string summary;
  std::vector<Option> options = {};

  /// Throws Error(kInvalidArgument) for options that train() would refuse, as far as that is known
  /// before a record is read; Error(kInvalidSchema) for a schema without what is needed.
  void (*check)(const Encoder& encoder, const OptionValues& options);
  /// The encoder must outlive what is returned. Throws also Error(kInvalidArgument) if the training
  /// diverges, Error(kCancelled) on request.
  std::unique_ptr<const RecordSampler> (*train)(const Encoder& encoder,
                                                const PublicRecords& records,
                                                const ReferenceRequest& request,
                                                const Context& context);
};

/// All of them. A new one is a file with its entry, a line in kinds.h and one here.
const std::vector<ReferenceKind>& reference_kinds();

/// Real records of a step: as many as are wanted, or, if that is a default, all of a smaller table.
/// Throws Error(kInvalidTable) for a table of fewer than 2, Error(kInvalidArgument) if more were
/// asked for than there are.
std::size_t rows_of_step(std::size_t wanted, bool is_given, std::size_t records);

}  // namespace mehler
