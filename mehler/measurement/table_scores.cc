#include "mehler/measurement/table_scores.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/wiping.h"

namespace mehler {
namespace {

constexpr int kScoreGridExponent = 8;
/// Beyond, what is expected would not be an integer any more, nor fit into one.
constexpr double kMostExpected = 0x1p52;

std::int64_t on_score_grid(double records) {
  const double steps = std::round(std::ldexp(records, kScoreGridExponent));
  return static_cast<std::int64_t>(std::clamp(steps, -kMostExpected, kMostExpected));
}

std::int64_t distance(const ScoredTable& table, std::span<const std::int64_t> counts) {
  const std::size_t own = table.shares->size();
  MEHLER_ASSERT(counts.size() == table.others->size() * own);
  std::int64_t sum = 0;
  for (std::size_t other = 0; other < table.others->size(); ++other) {
    for (std::size_t k = 0; k < own; ++k) {
      const std::int64_t expected = on_score_grid((*table.others)[other] * (*table.shares)[k]);
      const std::int64_t count = counts[other * own + k] * (std::int64_t{1} << kScoreGridExponent);
      sum += count < expected ? expected - count : count - expected;
    }
  }
  return sum - on_score_grid(table.subtracted);
}

std::int64_t dependence(const ScoredTable& table, std::span<const std::int64_t> counts,
                        std::uint64_t rows) {
  const std::size_t own = table.columns.back().cells->size();
  const std::size_t others = counts.size() / own;
  WipedVector<std::int64_t> of_others(others);
  WipedVector<std::int64_t> of_own(own);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    of_others[i / own] += counts[i];
    of_own[i % own] += counts[i];
  }
  const auto n = static_cast<std::int64_t>(rows);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::int64_t difference = n * counts[i] - of_others[i / own] * of_own[i % own];
    sum += difference < 0 ? -difference : difference;
  }
  return sum;
}

}  // namespace

std::size_t ScoredTable::cells() const {
  std::size_t product = 1;
  for (const CountedColumn& counted : columns) {
    product = multiply_saturating(product, counted.cells->size());
  }
  return product;
}

std::int64_t score_of(const ScoredTable& table, std::span<const std::int64_t> counts,
                      std::uint64_t rows) {
  return table.kind == ScoreKind::kDistance ? distance(table, counts)
                                            : dependence(table, counts, rows);
}

std::uint64_t sensitivity_of_scores(ScoreKind kind, const Schema& schema, std::uint64_t rows) {
  const bool replace = schema.relation() == NeighbourRelation::kReplaceOne;
  if (kind == ScoreKind::kDependence) {
    MEHLER_ASSERT(replace);  // the number of records is in the sensitivity
    return 6 * rows + 4;
  }
  const std::uint64_t of_one = (replace ? std::uint64_t{2} : std::uint64_t{1})
                               << kScoreGridExponent;
  return of_one * (schema.privacy_unit() ? schema.privacy_unit()->max_rows : 1);
}

void require_scorable(ScoreKind kind, std::uint64_t rows) {
  const std::uint64_t most =
      kind == ScoreKind::kDependence ? std::uint64_t{1} << 30 : std::uint64_t{1} << 48;
  if (rows > most) {
    throw Error(ErrorCode::kInvalidTable,
                "the table has so many records that scores of its columns leave 64 bits; split the "
                "table");
  }
}

}  // namespace mehler
