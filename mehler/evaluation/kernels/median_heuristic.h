#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/public_records.h"

namespace mehler {

/// The median of |x_i - x_j| over all pairs i < j; the mean of the two middle ones where their
/// number is even. Exact, whatever the number of points: O(n log n). Throws Error(kInvalidArgument)
/// for fewer than two points or one that is not finite.
double median_distance(std::span<const double> points);

/// The median heuristic of one column.
struct ColumnLengthScale {
  std::string column;
  /// The median distance of two values where the declared bounds are -1 and 1; nothing where fewer
  /// than two values are present. 0 where more than half of the pairs are equal: no length scale.
  std::optional<double> median;
};

/// The median distance of every column of numbers, dates or times, missing values left out.
///
/// Privacy: an exact statistic of the records; hence public ones only. For private records take the
/// documented default, or a length scale from public knowledge.
std::vector<ColumnLengthScale> median_heuristic(const Encoder& encoder,
                                                const PublicRecords& records);

}  // namespace mehler
