#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/wiping.h"
#include "mehler/measurement/count_source.h"
#include "mehler/measurement/table_scores.h"
#include "mehler/privacy/exact_selection.h"
#include "mehler/privacy/gaussian_mechanism.h"
#include "mehler/privacy/laplace_mechanism.h"
#include "mehler/release/payload.h"

namespace mehler {

/// Counts private records in several rounds, with noise.
///
/// Exact counts are integers, the same for any number of threads, any order of the records and any
/// source.
///
/// Privacy: private. Nothing reads the source, or the counts and scores that are kept between
/// rounds, but measure(), which adds the noise that was paid for, and choose(), which draws as it
/// was paid for. They are wiped when they are destroyed.
class PrivateCounter {
 public:
  static constexpr std::size_t kDefaultMaxBytes = 2'000'000'000;

  /// The table is consumed; `max_bytes` is what its codes may take (make_count_source). Throws
  /// Error(kInvalidTable) if it does not fit the schema, or has no rows under replace-one;
  /// Error(kCancelled) on request.
  PrivateCounter(PrivateTable&& table, const Encoder& encoder, const Context& context,
                 std::size_t max_bytes = kDefaultMaxBytes);
  /// With any source, whose records are of this schema.
  PrivateCounter(std::unique_ptr<const CountSource> source, const Schema& schema,
                 const Context& context);
  PrivateCounter(const PrivateCounter&) = delete;
  PrivateCounter& operator=(const PrivateCounter&) = delete;

  /// The number of records, where the relation makes it public.
  std::optional<std::uint64_t> public_rows() const;

  /// The counts of the blocks that were paid for, with the noise that was paid for; the mechanism
  /// is consumed. Throws Error(kInvalidArgument) if it was paid for under another schema, or if two
  /// of its blocks are the same table.
  std::vector<NoisyBlock> measure(CountMechanism&& mechanism, const Context& context);
  std::vector<NoisyBlock> measure(LaplaceMechanism&& mechanism, const Context& context);

  /// Scores tables of several columns, and keeps the scores. Returns the number of the first; the
  /// others follow. Throws Error(kInvalidTable) for so many records that scores leave 64 bits.
  std::size_t score(std::span<const ScoredTable> tables, const Context& context);

  /// Chooses among tables that were scored, by their numbers: a place in `candidates`, of which
  /// there is at least one. The selection is consumed; it was paid for so many candidates. Throws
  /// Error(kInvalidArgument) if it was paid for under another schema.
  std::size_t choose(std::span<const std::size_t> candidates, ExactSelection&& selection);

 private:
  friend struct PrivateCounterTestPeer;  // tests/ only

  using Counts = WipedVector<std::int64_t>;
  using TableKey = std::vector<std::shared_ptr<const ColumnPartition>>;

  static TableKey key_of(std::span<const CountedColumn> columns);

  /// Asks for the tables of several columns that are not known yet, all at once: a source may have
  /// to read all records for it. Throws Error(kInvalidArgument) if two blocks are the same table.
  void count_tables(std::span<const CountBlock> blocks, const Context& context);
  /// The exact counts of a block whose table is known. May be called from several threads.
  Counts exact_counts(const CountBlock& block, const Context& context) const;
  Counts cells(std::span<const CountedColumn> columns, const Context& context) const;
  Counts contrasts(const Marginal& marginal, const Context& context) const;
  Counts differences(const HalvedRanges& ranges, const Context& context) const;
  /// Throws Error(kInvalidTable) if so many records could leave 64 bits.
  void add_sums(std::span<const CountBlock> blocks, const Context& context);
  LeafCounts leaves_of(std::size_t column, const Context& context) const;

  Schema schema_;
  std::unique_ptr<const CountSource> source_;
  std::uint64_t rows_ = 0;
  std::uint64_t score_sensitivity() const;

  std::optional<ScoreKind> score_kind_;  ///< all scores are of one kind
  WipedVector<std::int64_t> scores_;
  std::map<TableKey, Counts> tables_;  ///< of several columns, for the next round
  std::vector<Counts> sums_;           ///< of the blocks at hand: of vectors; else empty
};

}  // namespace mehler
