#include "mehler/counts/record_vector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mehler/core/error.h"
#include "mehler/simd/double_rows.h"

namespace mehler {
namespace {

[[noreturn]] void fail(std::string_view what, std::string_view complaint) {
  throw Error(ErrorCode::kInvalidArgument, fmt::format("{} {}", what, complaint));
}

double dot(const double* a, const double* b, std::size_t count) {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

}  // namespace

bool are_parameters(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) {
    return std::fabs(value) <= RecordVector::kLargestParameter;  // false for NaN
  });
}

double on_parameter_grid(double value) {
  return std::ldexp(std::nearbyint(std::ldexp(value, kParameterExponent)), -kParameterExponent);
}

void shorten(std::span<double> vector, double radius) {
  const double norm = std::sqrt(dot_product(vector.data(), vector.data(), vector.size()));
  if (norm <= radius) {
    return;
  }
  if (!std::isfinite(norm)) {
    std::fill(vector.begin(), vector.end(), 0.0);
    return;
  }
  const double factor = radius / norm;
  for (double& value : vector) {
    value *= factor;
  }
}

void ScoreTables::evaluate(std::span<const std::uint32_t> leaves, double* out) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const CountedColumn& counted = columns[i].counted;
    constexpr double kUnit = 1.0 / (1 << kScoreExponent);
    out[i] = kUnit * columns[i].scores[counted.cells->cell_of(leaves[counted.column])];
  }
}

void ScoreTables::validate(std::string_view what) const {
  if (columns.empty()) {
    fail(what, "has scores of no column");
  }
  const auto largest = static_cast<std::int32_t>(std::ldexp(kLargestScore, kScoreExponent));
  std::set<std::size_t> seen;
  for (const OfColumn& column : columns) {
    if (!seen.insert(column.counted.column).second) {
      fail(what, "has two tables of scores for one column");
    }
    if (column.scores.size() != column.counted.cells->size() ||
        std::any_of(column.scores.begin(), column.scores.end(),
                    [&](std::int32_t score) { return score > largest || score < -largest; })) {
      fail(what, fmt::format("does not have a score of at most {} for each cell of a column",
                             kLargestScore));
    }
  }
}

std::size_t RecordVector::dimension() const {
  return (keeps_scores ? scores->size() : direction_count()) + sizes.size() +
         (norm_weight != 0.0 ? 1 : 0) + (constant != 0.0 ? 1 : 0);
}

void RecordVector::evaluate(const double* z, double* out) const {
  const std::size_t count = scores->size();
  WipedVector<double> shifted(z, z + count);
  for (std::size_t i = 0; i < centre.size(); ++i) {
    shifted[i] -= centre[i];
  }
  WipedVector<double> along(direction_count());
  for (std::size_t i = 0; i < along.size(); ++i) {
    along[i] = dot(&directions[i * count], shifted.data(), count);
  }
  double* next = out;
  if (keeps_scores) {
    for (std::size_t i = 0; i < along.size(); ++i) {
      const double more = (factors[i] - 1.0) * along[i];
      for (std::size_t j = 0; j < count; ++j) {
        shifted[j] += more * directions[i * count + j];
      }
    }
    next = std::copy(shifted.begin(), shifted.end(), next);
  } else {
    for (std::size_t i = 0; i < along.size(); ++i) {
      *next++ = factors[i] * along[i];
    }
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    *next++ = sizes[i] * std::fabs(along[i]) - size_offset;
  }
  if (norm_weight != 0.0) {
    const double norm = std::sqrt(dot(z, z, count) / static_cast<double>(count));
    *next++ = norm_weight * std::clamp(2.0 * norm - 2.0, -1.5, 1.5);
  }
  for (double* value = out; value != next; ++value) {
    *value *= scale;
  }
  if (constant != 0.0) {
    *next++ = constant;
  }
  shorten({out, dimension()}, radius);
}

void RecordVector::validate(std::string_view what) const {
  if (!scores) {
    fail(what, "has no scores");
  }
  scores->validate(what);
  if ((!centre.empty() && centre.size() != scores->size()) ||
      directions.size() != direction_count() * scores->size() ||
      (!sizes.empty() && sizes.size() != direction_count()) ||
      (!keeps_scores && direction_count() == 0)) {
    fail(what,
         "has directions, factors, sizes or a centre of another size than its scores ask for");
  }
  const double others[] = {size_offset, norm_weight, constant, scale};
  if (!are_parameters(centre) || !are_parameters(directions) || !are_parameters(factors) ||
      !are_parameters(sizes) || !are_parameters(others)) {
    fail(what, fmt::format("has a number that is not finite or above {}", kLargestParameter));
  }
  if (!(radius > 0.0 && radius <= kLargestRadius)) {
    fail(what, fmt::format("must have a radius in (0, {}], but has {}", kLargestRadius, radius));
  }
}

bool RecordVector::operator==(const RecordVector& other) const {
  return hold_the_same(scores, other.scores) && centre == other.centre &&
         directions == other.directions && factors == other.factors &&
         keeps_scores == other.keeps_scores && sizes == other.sizes &&
         size_offset == other.size_offset && norm_weight == other.norm_weight &&
         constant == other.constant && scale == other.scale && radius == other.radius;
}

}  // namespace mehler
