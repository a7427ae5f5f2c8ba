#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "mehler/core/context.h"
#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/tables/coded_table.h"

namespace mehler {

struct ClosestRecordOptions {
  /// The most synthetic records that are measured, and the most records of each other table that
  /// they are measured against; of more, random samples.
  std::size_t max_synthetic_rows = 2'000;
  std::size_t max_other_rows = 20'000;
  /// The seed of the samples.
  std::uint64_t seed = 1;
};

/// Whether synthetic records lie nearer to the records that were trained on than to others of the
/// same kind.
///
/// The distance is Gower's: the mean over the columns of |difference| / width of the bounds for
/// numbers, 0 or 1 for categories, and 1 between a missing value and any other.
struct ClosestRecords {
  /// Records measured: of the synthetic table, and of each of the two others, as many of one as of
  /// the other, so that neither is nearer by its size.
  std::size_t synthetic_rows = 0;
  std::size_t other_rows = 0;
  /// The share of synthetic records whose nearest training record is nearer than their nearest
  /// held-out record; ties count one half. About 0.5 when nothing was learnt by heart.
  double share_nearer_to_training = 0.0;
  /// Standard error of that share.
  double standard_error = 0.0;
  /// Medians of the distances to the nearest record.
  double median_to_training = 0.0;
  double median_to_held_out = 0.0;
};

/// Cost: synthetic times other rows times columns, about a nanosecond each. Throws
/// Error(kCancelled).
///
/// Privacy: reads the records of all three. The result is covered by no guarantee.
ClosestRecords compare_closest_records(const Encoder& encoder, const CodedTable& synthetic,
                                       const CodedTable& training, const CodedTable& held_out,
                                       const ClosestRecordOptions& options, const Context& context);

/// The share of the records of `table` that occur, value for value, in `among`. Of all records.
double exact_match_rate(const CodedTable& table, const CodedTable& among);

}  // namespace mehler
