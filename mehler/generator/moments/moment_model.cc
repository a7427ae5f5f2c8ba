#include "mehler/generator/moments/moment_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "mehler/core/error.h"
#include "mehler/estimation/count_estimates.h"
#include "mehler/estimation/teacher.h"
#include "mehler/generator/moments/class_moments.h"

namespace mehler {
namespace {

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorCode::kInvalidRelease,
              fmt::format("the release's sums of vectors do not fit together: {}", what));
}

void require(bool holds, const char* what) {
  if (!holds) {
    fail(what);
  }
}

/// Whether one can divide by all of them.
bool have_sizes(std::span<const double> factors) {
  return std::all_of(factors.begin(), factors.end(), [](double factor) { return factor > 1e-6; });
}

Matrix to_floats(const Dense& from) {
  Matrix result(from.rows, from.columns);
  std::copy(from.values.begin(), from.values.end(), result.values.begin());
  return result;
}

/// The matrix as [direction][score] of doubles.
Dense directions_of(const RecordVector& vector) {
  Dense result(vector.direction_count(), vector.scores->size());
  result.values = vector.directions;
  return result;
}

/// The covariance of every score with the teacher's coordinates, as far as the subspace does not
/// tell it and it stands out of the noise, [direction][score].
Dense outside_covariance(const MeasuredSum& measured, const Dense& directions,
                         std::span<const double> half, const OrderBasis& order, double rows) {
  const std::size_t added = measured.sum.other->dimension();
  const std::size_t size = directions.columns;
  const std::size_t known = directions.rows - added;
  Dense result(added, size);
  for (std::size_t d = 0; d < added; ++d) {
    const double unit = half[known + d] / measured.sum.other->factors[d] / rows;
    std::vector<double> with(size);
    for (std::size_t j = 0; j < size; ++j) {
      with[j] = unit * measured.values[j * added + d];
    }
    for (std::size_t i = 0; i < directions.rows; ++i) {
      double along = 0.0;
      for (std::size_t j = 0; j < size; ++j) {
        along += directions.at(i, j) * with[j];
      }
      for (std::size_t j = 0; j < size; ++j) {
        with[j] -= along * directions.at(i, j);
      }
    }
    const double noise = unit * measured.sigma;
    std::size_t first = 0;
    for (const std::size_t end : order.ends) {
      std::vector<double> along(end - first, 0.0);
      double power = 0.0;
      for (std::size_t f = first; f < end; ++f) {
        const auto row = order.basis.row(f);
        for (std::size_t j = 0; j < size; ++j) {
          along[f - first] += static_cast<double>(row[j]) * with[j];
        }
        power += along[f - first] * along[f - first] / static_cast<double>(end - first);
      }
      // A single coefficient is kept or left; of a band as much as stands out of the noise.
      const double kept = end - first > 1
                              ? std::max(0.0, 1.0 - noise * noise / std::max(power, 1e-300))
                              : (power > 4.0 * noise * noise ? 1.0 : 0.0);
      for (std::size_t f = first; f < end && kept > 0.0; ++f) {
        const auto row = order.basis.row(f);
        for (std::size_t j = 0; j < size; ++j) {
          result.at(d, j) += kept * along[f - first] * static_cast<double>(row[j]);
        }
      }
      first = end;
    }
  }
  return result;
}

/// The variance of the scores along each frequency, meaned over bands.
std::vector<double> spectrum_of(const Dense& scatter, const OrderBasis& order) {
  const std::size_t size = scatter.rows;
  std::vector<double> spectrum(size, 0.0);
  for (std::size_t f = 0; f < size; ++f) {
    const auto row = order.basis.row(f);
    for (std::size_t i = 0; i < size; ++i) {
      if (row[i] == 0.0F) {
        continue;
      }
      double sum = 0.0;
      for (std::size_t j = 0; j < size; ++j) {
        sum += scatter.at(i, j) * static_cast<double>(row[j]);
      }
      spectrum[f] += static_cast<double>(row[i]) * sum;
    }
  }
  std::size_t first = 0;
  for (const std::size_t end : order.ends) {
    double mean = 0.0;
    for (std::size_t f = first; f < end; ++f) {
      mean += spectrum[f] / static_cast<double>(end - first);
    }
    std::fill(spectrum.begin() + static_cast<std::ptrdiff_t>(first),
              spectrum.begin() + static_cast<std::ptrdiff_t>(end), mean);
    first = end;
  }
  return spectrum;
}

/// The deviation of each frequency that the coordinates, of this covariance, do not explain.
/// `across`: scores per unit of each coordinate.
std::vector<float> rest_deviations(const Dense& scatter, const OrderBasis& order,
                                   const Dense& covariance, const Dense& across) {
  const std::size_t size = scatter.rows;
  double trace = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    trace += scatter.at(i, i) / static_cast<double>(size);
  }
  const std::vector<double> spectrum = spectrum_of(scatter, order);
  const Dense spread = product(covariance, across);
  std::vector<float> deviations;
  for (std::size_t f = 0; f < size; ++f) {
    const auto row = order.basis.row(f);
    double explained = 0.0;
    for (std::size_t d = 0; d < across.rows; ++d) {
      double one = 0.0;
      double two = 0.0;
      for (std::size_t j = 0; j < size; ++j) {
        one += static_cast<double>(row[j]) * across.at(d, j);
        two += static_cast<double>(row[j]) * spread.at(d, j);
      }
      explained += one * two;
    }
    deviations.push_back(
        static_cast<float>(std::sqrt(std::max({spectrum[f] - explained, 0.01 * trace, 1e-6}))));
  }
  return deviations;
}

/// Adds what else goes with the teacher's coordinates, so that each score's covariance with them is
/// as measured.
void add_loadings(const MeasuredSum& with, const RecordVector& subspace, const OrderBasis& order,
                  const Dense& covariance, double rows, Dense& across) {
  const Dense directions = directions_of(subspace);
  const RecordVector& teacher = *with.sum.other;
  require(with.sum.vector->dimension() == directions.columns &&
              teacher.dimension() == teacher.direction_count() &&
              teacher.dimension() <= directions.rows && have_sizes(teacher.factors),
          "the loadings are not those of the teacher's directions");
  const Dense outside = outside_covariance(with, directions, subspace.factors, order, rows);
  const Dense inverse = apply(symmetric_eigen(covariance.values, directions.rows),
                              [](double value) { return 1.0 / std::max(value, 1e-6); });
  const std::size_t known = directions.rows - outside.rows;
  for (std::size_t d = 0; d < directions.rows; ++d) {
    for (std::size_t a = 0; a < outside.rows; ++a) {
      for (std::size_t j = 0; j < directions.columns; ++j) {
        across.at(d, j) += inverse.at(known + a, d) * outside.at(a, j);
      }
    }
  }
}

/// The share of a class's records up to the end of each cell of lengths.
std::vector<double> cumulated_lengths(const MeasuredSum& lengths, std::size_t of_class,
                                      double count) {
  const std::size_t cells = lengths.sum.cells;
  std::vector<double> below;
  double sum = 0.0;
  for (const double records :
       project_to_counts(std::span(lengths.values).subspan(of_class * cells, cells), count)) {
    below.push_back(sum += records / count);
  }
  return below;
}

}  // namespace

MomentModel::MomentModel(const Release& release) {
  const MarginalMeasurements measurements(release);
  columns = estimate_columns(measurements);
  const double rows = measurements.rows();
  const MeasuredSum lengths = sum_of_step(release, wide_steps::kLengths, SumKind::kLengths);
  const MeasuredSum scatter = sum_of_step(release, wide_steps::kScatter, SumKind::kProducts);
  const MeasuredSum means = sum_of_step(release, wide_steps::kClassMeans, SumKind::kMeans);
  const MeasuredSum scatters = sum_of_step(release, wide_steps::kClassScatters, SumKind::kProducts);
  scores = scatter.sum.vector->scores;
  const std::size_t size = scores->size();
  const RecordVector& subspace = *means.sum.vector;
  require(!scatter.sum.classes && scatter.sum.vector->dimension() == size &&
              scatter.sum.vector->centre.size() == size,
          "the scatter is not of all scores");
  require(hold_the_same(means.sum.vector, scatters.sum.vector) &&
              hold_the_same(subspace.scores, scores) && !subspace.keeps_scores &&
              subspace.dimension() == subspace.direction_count() &&
              means.sum.classes == scatters.sum.classes && means.sum.classes == lengths.sum.classes,
          "the classes' moments are not those of one subspace");
  require(have_sizes(subspace.factors), "a direction of the subspace has no size");
  std::vector<double> counts = {rows};
  if (means.sum.classes) {
    target = means.sum.classes->column;
    counts = columns.at(*target).counts;
    require(counts.size() == means.sum.class_count(), "the target's counts are of other classes");
  }
  for (const double count : counts) {
    class_shares.push_back(count / rows);
  }
  for (double& count : counts) {
    count = std::max(count, 1.0);
  }
  const ClassMoments moments(means, scatters, counts);
  class_means = to_floats(moments.means());
  for (const Dense& covariance : moments.covariances()) {
    class_roots.push_back(
        to_floats(apply(symmetric_eigen(covariance.values, covariance.rows),
                        [](double value) { return std::sqrt(std::max(value, 0.0)); })));
  }
  centre.assign(scatter.sum.vector->centre.begin(), scatter.sum.vector->centre.end());
  const Dense directions = directions_of(subspace);
  const OrderBasis order(*scores);
  order_basis = order.basis;

  // Scores per unit of each coordinate: along the directions, and what else goes with the teacher.
  Dense across = directions;
  Dense coordinates = directions;
  for (std::size_t d = 0; d < directions.rows; ++d) {
    for (std::size_t j = 0; j < size; ++j) {
      across.at(d, j) /= subspace.factors[d];
      coordinates.at(d, j) *= subspace.factors[d];
    }
  }
  if (!sums_of_step(release, wide_steps::kLoadings).empty()) {
    add_loadings(sum_of_step(release, wide_steps::kLoadings, SumKind::kLoadings), subspace, order,
                 moments.total(), rows, across);
  }
  loadings = to_floats(across);
  inside = to_floats(coordinates);

  deviations = rest_deviations(products_of(scatter, 0, rows), order, moments.total(), across);
  length_width = lengths.sum.cell_width;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    length_shares.push_back(cumulated_lengths(lengths, k, counts[k]));
  }
  if (target) {
    std::optional<LearntTeacher> teacher = read_teacher(release, rows);
    require(teacher && teacher->classes == *means.sum.classes &&
                hold_the_same(teacher->features->scores, scores),
            "there is no teacher of these classes and scores");
    features = std::move(teacher->features);
    weights = std::move(teacher->weights);
  }
}

}  // namespace mehler
