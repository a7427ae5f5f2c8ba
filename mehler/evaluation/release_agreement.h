#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/release/release.h"
#include "mehler/table/record_stream.h"

namespace mehler {

/// How far sums over synthetic records lie from released sums, in units of what cannot be seen
/// through.
struct NoiseAgreement {
  std::size_t sums = 0;
  /// Root mean square of residual / sigma, and the share of residuals within 2 sigma, where sigma
  /// is the noise of the release (of the sum, and of the number of records where that is noisy).
  /// About 1 and .954 when the synthetic table's sums are the private table's own.
  double root_mean_square = 0.0;
  double within_two = 0.0;
  /// The same where sigma^2 also has the variance of a sum over as many records drawn at random.
  /// About 1 and .954 when the synthetic records are draws of a distribution whose means are the
  /// private table's: no finite sample does better in the figures above.
  double root_mean_square_of_draws = 0.0;
  double within_two_of_draws = 0.0;
};

struct PartAgreement {
  std::string name;  ///< a block's, or a column's (several, joined by " x ", of a product block)
  NoiseAgreement agreement;
};

/// A synthetic table against the noisy sums of a release.
struct ReleaseAgreement {
  std::size_t synthetic_rows = 0;
  /// Released sums are compared with this many times the synthetic ones: the released number of
  /// records over the synthetic one.
  double factor = 1.0;
  NoiseAgreement all;
  std::vector<PartAgreement> blocks;
  /// Of the sum blocks, by map.
  std::vector<PartAgreement> columns;
};

/// Sums the release's features over a table of its schema and compares. Cost: one evaluation of
/// every feature a record. The result does not depend on the threads.
///
/// Throws Error(kInvalidTable) if there are no records or one does not fit the schema,
/// Error(kCancelled).
///
/// Privacy: takes a release and a table that is meant to be published, no private record; so the
/// result is post-processing, covered by the release's own guarantee, and safe to share.
ReleaseAgreement compare_with_release(const Release& release,
                                      const std::vector<RecordStreamFactory>& synthetic,
                                      const Context& context);

}  // namespace mehler
