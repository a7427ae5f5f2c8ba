#include "mehler/synthesis/marginals/marginals_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/measurement/measured_release.h"
#include "mehler/synthesis/marginals/triple_choice.h"

namespace mehler {
namespace {

constexpr std::size_t kMostJointCells = CountSet::kMaxBytes / 4 * 3 / (3 * sizeof(std::int64_t));

/// Depends on the schema alone.
void require_few_triples(const Encoder& encoder, const MarginalsOptions& options) {
  const std::size_t columns = encoder.columns().size();
  const std::size_t triples = columns < 3 ? 0 : columns * (columns - 1) * (columns - 2) / 6;
  if (options.triples == Triples::kAlways && triples > kMostTriples) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the schema's {} columns have {} triples, more than the {} that can be "
                            "measured; leave out columns, or triples",
                            columns, triples, kMostTriples));
  }
}

/// Depends on the schema alone.
void require_column_memory(const Encoder& encoder) {
  std::size_t cells = 0;
  for (const Column& column : encoder.columns()) {
    cells += ColumnPartition::even_and_spikes(column, kCountedRanges).size();
  }
  constexpr std::size_t kMostColumnCells =
      kMostColumnBytes / (2 * sizeof(std::int64_t));  // two rounds
  if (cells > kMostColumnCells) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the schema's columns have {} categories together, more than the {} "
                            "whose counts a release holds; group the rare ones, or ignore columns",
                            cells, kMostColumnCells));
  }
}

/// Depends on the schema and the budget alone. Which share of the budget a table gets is decided
/// between the rounds: this looks at the most and at the least that one can get.
void require_drawable_noise(const Encoder& encoder, double mu_squared) {
  constexpr double kLeastShare = 1e-8;
  std::size_t largest_scale = 2;
  for (const Column& column : encoder.columns()) {
    largest_scale =
        std::max(largest_scale, ColumnPartition::even_and_spikes(column, kCountedRanges).size());
  }
  const double rows = protected_sensitivity(CountBlock::records(), encoder.schema());
  const double unit = std::max(1.0, rows) / std::sqrt(mu_squared);
  // Of two cells a contrast has the sensitivity sqrt(1/2) and the scale sqrt(2); others have more.
  require_drawable(unit, kCellGridExponent);
  require_drawable(static_cast<double>(largest_scale) * unit / std::sqrt(kLeastShare),
                   kCellGridExponent);
  require_drawable(unit / std::sqrt(kCountShare * (1.0 - kValueShare)), kRecordGridExponent);
}

}  // namespace

std::size_t joint_bytes(const MarginalsOptions& options) {
  return std::min(options.max_bytes, kMostJointCells * kBytesPerJointCell);
}

void require_countable(const Encoder& encoder, const MarginalsOptions& options) {
  require_varying_column(encoder);
  require_joint_memory(encoder, joint_bytes(options));
  require_few_triples(encoder, options);
  require_column_memory(encoder);
}

void require_releasable(const Encoder& encoder, const MarginalsOptions& options,
                        double mu_squared) {
  require_countable(encoder, options);
  require_drawable_noise(encoder, mu_squared);
}

}  // namespace mehler
