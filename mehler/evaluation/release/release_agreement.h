#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/evaluation/release/compared_counts.h"
#include "mehler/release/release.h"
#include "mehler/table/record_stream.h"

namespace mehler {

struct EncodedBatch;

/// How far sums over synthetic records lie from released sums, in units of the noise that hides the
/// difference.
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

/// How far counts over synthetic records lie from released counts, as a share of the records: the
/// mean total variation of all tables with this many columns; and how far the noise of the release
/// alone puts them from the private table's, on average. By the triangle inequality the private
/// table's counts are expected within the sum of both.
///
/// A table of several columns is compared as it is released: given the counts of its columns.
struct CountAgreement {
  std::size_t columns = 1;  ///< of each table
  std::size_t tables = 0;
  double error = 0.0;
  double noise = 0.0;
};

struct PartAgreement {
  std::string name;
  NoiseAgreement agreement;
};

/// A synthetic table against the noisy sums of a release.
struct ReleaseAgreement {
  std::size_t synthetic_rows = 0;
  /// Released sums are compared with this many times the synthetic ones: the released number of
  /// records over the synthetic one.
  double factor = 1.0;
  NoiseAgreement all;
  /// The release's blocks; those of counts by what they count: records, columns, values, pairs.
  std::vector<PartAgreement> parts;
  /// By column, or by the columns of a direction ("age + hours"): of the maps of sum blocks, of
  /// counts of a column and of its values.
  std::vector<PartAgreement> columns;
  /// Counts of several columns ("age x smoker"); all rounds of one table together.
  std::vector<PartAgreement> joint;
  /// For a release of counts: those of columns, of pairs and of triples, as far as there are any.
  std::vector<CountAgreement> counts;
};

/// Gathers sums over synthetic records, as they come, to compare them with a release's.
///
/// Cost: of counts, a lookup a column and an addition a table; otherwise one evaluation of every
/// feature a record. The result does not depend on the threads.
///
/// Privacy: the result is exact in the records that are added. Where they were made from the
/// release alone, or without private records, it is post-processing of the release and may be
/// shared; of private records, or of a table that was made from them otherwise, no guarantee covers
/// it.
class ReleaseComparison {
 public:
  /// Whether a release has what synthetic records are compared with: features, or counts of
  /// columns. One that measured labelled images alone has neither.
  static bool is_possible(const Release& release);

  /// The release must outlive it. Throws Error(kInvalidArgument) where that is not possible,
  /// Error(kInvalidRelease) for counts that contradict one another.
  ReleaseComparison(const Release& release, const Context& context);
  ~ReleaseComparison();

  /// All records of a stream. Throws Error(kInvalidTable) if one does not fit the schema,
  /// Error(kCancelled).
  void add(RecordStream&& stream);
  /// Records that the release's encoder encoded, or that a generator drew.
  void add(const EncodedBatch& records);

  /// Throws Error(kInvalidTable) if there are no records, Error(kCancelled).
  ReleaseAgreement agreement();

  /// The counts of columns and of pairs that the release has, with their noise, beside those of the
  /// records that were added; with no records, the release's alone. None for a release of features.
  std::vector<ComparedCounts> tables() const;

 private:
  class Sums;
  class SumsOfFeatures;
  class SumsOfCounts;

  const Release& release_;
  const Context context_;
  std::size_t rows_ = 0;
  std::unique_ptr<Sums> sums_;
};

/// All at once: the records of a table in parts.
ReleaseAgreement compare_with_release(const Release& release,
                                      const std::vector<RecordStreamFactory>& synthetic,
                                      const Context& context);

}  // namespace mehler
