#include "mehler/evaluation/tables/closest_record.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <vector>

#include "mehler/core/worker_pool.h"
#include "mehler/evaluation/tables/propensity.h"

namespace mehler {
namespace {

/// Every column so that min(1, |difference|) is its part of Gower's distance: numbers over the
/// width of their bounds, within [0, 1], missing ones at 2; codes as they are.
class GowerPoints {
 public:
  GowerPoints(const Encoder& encoder, const CodedTable& table, std::size_t max_rows,
              std::uint64_t seed) {
    const std::vector<std::size_t> rows = sample_rows(table.rows, max_rows, seed);
    rows_ = rows.size();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = encoder.columns()[i];
      std::vector<float> values;
      for (const std::size_t row : rows) {
        values.push_back(column.is_number()
                             ? place_of(*column.bounds, table.columns[i].numbers[row])
                             : static_cast<float>(table.columns[i].codes[row]));
      }
      columns_.push_back(std::move(values));
    }
  }

  std::size_t rows() const { return rows_; }

  /// The distance of one record of `other` to the nearest of these.
  float nearest_to(const GowerPoints& other, std::size_t row, std::vector<float>& sums) const {
    sums.assign(rows_, 0.0F);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const float here = other.columns_[i][row];
      const std::vector<float>& there = columns_[i];
      for (std::size_t k = 0; k < rows_; ++k) {
        sums[k] += std::min(1.0F, std::fabs(there[k] - here));
      }
    }
    return *std::min_element(sums.begin(), sums.end()) / static_cast<float>(columns_.size());
  }

 private:
  static float place_of(const Interval& bounds, double value) {
    constexpr float kMissing = 2.0F;
    return std::isnan(value)
               ? kMissing
               : static_cast<float>(std::clamp((value - bounds.low) / bounds.width(), 0.0, 1.0));
  }

  std::size_t rows_ = 0;
  std::vector<std::vector<float>> columns_;
};

double median(std::vector<float> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  state = (state ^ word) * 0x9E3779B97F4A7C15ULL;
  return state ^ (state >> 29);
}

/// 64 bits that stand for the values of a record. Two of 10^6 records each that differ share them
/// with probability 10^-7.
std::uint64_t record_hash(const CodedTable& table, std::size_t row) {
  std::uint64_t state = 0x2545F4914F6CDD1DULL;
  for (const CodedColumn& column : table.columns) {
    // Codes stand for missing values too; of numbers the value says more than the bin. Adding 0
    // makes -0 and 0 one value.
    const bool has_number = !column.numbers.empty() && !std::isnan(column.numbers[row]);
    state = mix(state, has_number ? std::bit_cast<std::uint64_t>(column.numbers[row] + 0.0)
                                  : column.codes[row]);
    state = mix(state, has_number ? 1 : 2);
  }
  return state;
}

}  // namespace

ClosestRecords compare_closest_records(const Encoder& encoder, const CodedTable& synthetic,
                                       const CodedTable& training, const CodedTable& held_out,
                                       const ClosestRecordOptions& options,
                                       const Context& context) {
  ClosestRecords result;
  result.other_rows = std::min({training.rows, held_out.rows, options.max_other_rows});
  const GowerPoints points(encoder, synthetic, options.max_synthetic_rows, options.seed);
  const GowerPoints trained(encoder, training, result.other_rows, options.seed + 1);
  const GowerPoints held(encoder, held_out, result.other_rows, options.seed + 2);
  result.synthetic_rows = points.rows();
  std::vector<float> to_trained(points.rows());
  std::vector<float> to_held(points.rows());
  WorkerPool(context.threads).run(points.rows(), [&](std::size_t row) {
    context.throw_if_cancelled();
    thread_local std::vector<float> sums;
    to_trained[row] = trained.nearest_to(points, row, sums);
    to_held[row] = held.nearest_to(points, row, sums);
  });
  double nearer = 0.0;
  for (std::size_t row = 0; row < points.rows(); ++row) {
    nearer += to_trained[row] < to_held[row] ? 1.0 : to_trained[row] == to_held[row] ? 0.5 : 0.0;
  }
  const auto count = static_cast<double>(points.rows());
  result.share_nearer_to_training = nearer / count;
  result.standard_error = 0.5 / std::sqrt(count);
  result.median_to_training = median(std::move(to_trained));
  result.median_to_held_out = median(std::move(to_held));
  return result;
}

double exact_match_rate(const CodedTable& table, const CodedTable& among) {
  std::unordered_set<std::uint64_t> seen;
  seen.reserve(among.rows);
  for (std::size_t row = 0; row < among.rows; ++row) {
    seen.insert(record_hash(among, row));
  }
  std::size_t matches = 0;
  for (std::size_t row = 0; row < table.rows; ++row) {
    matches += seen.contains(record_hash(table, row)) ? 1 : 0;
  }
  return static_cast<double>(matches) / static_cast<double>(table.rows);
}

}  // namespace mehler
