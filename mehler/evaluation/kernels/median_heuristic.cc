#include "mehler/evaluation/kernels/median_heuristic.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// Pairs i < j of sorted points with x_j - x_i <= distance. Two places that only move right.
std::uint64_t pairs_within(const std::vector<double>& sorted, double distance) {
  std::uint64_t count = 0;
  std::size_t first = 0;
  for (std::size_t j = 0; j < sorted.size(); ++j) {
    while (sorted[j] - sorted[first] > distance) {
      ++first;
    }
    count += j - first;
  }
  return count;
}

/// The `rank`-th smallest distance, from 1: the least double within which `rank` pairs lie, which
/// is one of the distances. Doubles of one sign are ordered like their bits, so 63 halvings find
/// it.
double ranked_distance(const std::vector<double>& sorted, std::uint64_t rank) {
  std::uint64_t low = 0;
  auto high = std::bit_cast<std::uint64_t>(sorted.back() - sorted.front());
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (pairs_within(sorted, std::bit_cast<double>(middle)) >= rank) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return std::bit_cast<double>(low);
}

}  // namespace

double median_distance(std::span<const double> points) {
  if (points.size() < 2) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the median distance needs at least two points, but there are {}",
                            points.size()));
  }
  std::vector<double> sorted(points.begin(), points.end());
  for (const double value : sorted) {
    if (!(std::fabs(value) <= std::numeric_limits<double>::max() / 2)) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the median distance needs finite points, but one is {}; leave "
                              "missing values out",
                              value));
    }
  }
  std::sort(sorted.begin(), sorted.end());
  const std::uint64_t n = sorted.size();
  const std::uint64_t pairs = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
  const double lower = ranked_distance(sorted, (pairs + 1) / 2);
  return pairs % 2 == 1 ? lower : 0.5 * (lower + ranked_distance(sorted, pairs / 2 + 1));
}

std::vector<ColumnLengthScale> median_heuristic(const Encoder& encoder,
                                                const PublicRecords& records) {
  std::vector<ColumnLengthScale> result;
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    if (!encoder.columns()[i].is_number()) {
      continue;
    }
    std::vector<double> present;
    for (const double value : records.records().columns.at(i).numbers) {
      if (!std::isnan(value)) {
        present.push_back(value);
      }
    }
    result.push_back({encoder.columns()[i].name,
                      present.size() < 2 ? std::nullopt : std::optional(median_distance(present))});
  }
  return result;
}

}  // namespace mehler
