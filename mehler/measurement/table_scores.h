#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mehler/counts/counted_column.h"
#include "mehler/table/schema.h"

namespace mehler {

/// How well a table of counts is worth measuring, as an integer.
enum class ScoreKind {
  /// How far the counts are from those that are expected: the sum of their absolute differences, in
  /// multiples of 2^-8, less a public number. One record moves it by at most 1.
  kDistance,
  /// How far the last of the columns is from independent of the others, in the table's own counts
  /// M: the sum over cells of |n M - M_others M_last|, which is 2 n^2 times a total variation.
  /// Needs a public number of records n. An exchanged record moves it by at most 6 n + 4: n M by
  /// 2 n, the product of the margins by 2 n + 2 n + 4.
  kDependence,
};

/// Public: what is counted and what it is compared with.
struct ScoredTable {
  ScoreKind kind = ScoreKind::kDistance;
  std::vector<CountedColumn> columns;
  // kDistance: expected counts are products of those of all columns but the last, which runs
  // fastest, and of the shares of the last one's cells.
  std::shared_ptr<const std::vector<double>> others;
  std::shared_ptr<const std::vector<double>> shares;
  double subtracted = 0.0;  ///< in records

  std::size_t cells() const;
};

/// The score of exact counts. Integers decide; what is expected is rounded before counts are seen.
std::int64_t score_of(const ScoredTable& table, std::span<const std::int64_t> counts,
                      std::uint64_t rows);

/// By how much a score can differ between neighbouring tables, for all records of a person.
std::uint64_t sensitivity_of_scores(ScoreKind kind, const Schema& schema, std::uint64_t rows);

/// Throws Error(kInvalidTable) for so many records that scores leave 64 bits.
void require_scorable(ScoreKind kind, std::uint64_t rows);

}  // namespace mehler
