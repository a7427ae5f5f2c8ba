#include "mehler/generator/moments/moment_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "mehler/core/error.h"
#include "mehler/estimation/count_estimates.h"
#include "mehler/estimation/symmetric_eigen.h"
#include "mehler/estimation/teacher.h"
#include "mehler/release/measured_sums.h"

namespace mehler {
namespace {

/// A matrix of doubles, row by row, for small problems.
struct Dense {
  std::size_t rows;
  std::size_t columns;
  std::vector<double> values;

  Dense(std::size_t rows_, std::size_t columns_)
      : rows(rows_), columns(columns_), values(rows_ * columns_, 0.0) {}
  double& at(std::size_t i, std::size_t j) { return values[i * columns + j]; }
  double at(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
};

Dense product(const Dense& a, const Dense& b) {
  Dense result(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t k = 0; k < a.columns; ++k) {
      const double factor = a.at(i, k);
      for (std::size_t j = 0; j < b.columns; ++j) {
        result.at(i, j) += factor * b.at(k, j);
      }
    }
  }
  return result;
}

/// sum over eigenpairs of f(value) v v^T.
Dense apply(const EigenPairs& pairs, const auto& f) {
  const std::size_t size = pairs.values.size();
  Dense result(size, size);
  for (std::size_t d = 0; d < size; ++d) {
    const double factor = f(pairs.values[d]);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        result.at(i, j) += factor * pairs.vector(d)[i] * pairs.vector(d)[j];
      }
    }
  }
  return result;
}

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorCode::kInvalidRelease,
              fmt::format("the release's sums of vectors do not fit together: {}", what));
}

void require(bool holds, const char* what) {
  if (!holds) {
    fail(what);
  }
}

Matrix to_floats(const Dense& from) {
  Matrix result(from.rows, from.columns);
  std::copy(from.values.begin(), from.values.end(), result.values.begin());
  return result;
}

/// One class's symmetric matrix of a sum of products.
Dense products_of(const MeasuredSum& measured, std::size_t of_class, double rows) {
  const std::size_t size = measured.sum.vector->dimension();
  Dense result(size, size);
  std::size_t next = of_class * size * (size + 1) / 2;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) {
      result.at(i, j) = result.at(j, i) = measured.values[next++] / rows;
    }
  }
  return result;
}

/// The classes' moments in the subspace, in half-whitened coordinates.
class ClassMoments {
 public:
  ClassMoments(const MeasuredSum& means, const MeasuredSum& scatters,
               std::span<const double> counts)
      : size_(means.sum.vector->dimension()),
        counts_(counts.begin(), counts.end()),
        means_(counts.size(), size_),
        pooled_(size_, size_),
        total_(size_, size_) {
    set_means(means);
    set_covariances(scatters);
  }

  const Dense& means() const { return means_; }
  const Dense& total() const { return total_; }
  const std::vector<Dense>& covariances() const { return covariances_; }

 private:
  double share(std::size_t k) const { return counts_[k] / rows_; }

  /// Means of classes, shrunk to that of all by as much as the noise makes of their distance.
  void set_means(const MeasuredSum& measured) {
    for (const double count : counts_) {
      rows_ += count;
    }
    const double radius = measured.sum.vector->radius;
    std::vector<double> all(size_, 0.0);
    for (std::size_t i = 0; i < measured.values.size(); ++i) {
      all[i % size_] += measured.values[i] / rows_;
    }
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      double distance = 0.0;
      for (std::size_t i = 0; i < size_; ++i) {
        means_.at(k, i) = std::clamp(measured.values[k * size_ + i] / counts_[k], -radius, radius);
        distance += (means_.at(k, i) - all[i]) * (means_.at(k, i) - all[i]);
      }
      const double noise = measured.sigma / counts_[k];
      const double kept = std::max(
          0.0, 1.0 - static_cast<double>(size_) * noise * noise / std::max(distance, 1e-12));
      for (std::size_t i = 0; i < size_ && counts_.size() > 1; ++i) {
        means_.at(k, i) = all[i] + kept * (means_.at(k, i) - all[i]);
      }
    }
  }

  /// Covariances by class: in coordinates where the pooled one is the identity, a scale for each
  /// class, and of the rest as much as stands out of the noise.
  void set_covariances(const MeasuredSum& measured) {
    std::vector<Dense> seconds;
    std::vector<double> overall(size_, 0.0);
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      Dense second = products_of(measured, k, counts_[k]);
      for (std::size_t i = 0; i < size_; ++i) {
        overall[i] += share(k) * means_.at(k, i);
        for (std::size_t j = 0; j < size_; ++j) {
          second.at(i, j) -= means_.at(k, i) * means_.at(k, j);
          pooled_.at(i, j) += share(k) * second.at(i, j);
        }
      }
      seconds.push_back(std::move(second));
    }
    EigenPairs pairs = symmetric_eigen(pooled_.values, size_);
    const double least = std::max(0.02 * pairs.values.front(), 1e-4);
    for (double& value : pairs.values) {
      value = std::max(value, least);
    }
    pooled_ = apply(pairs, [](double value) { return value; });
    const Dense down = apply(pairs, [](double value) { return 1.0 / std::sqrt(value); });
    const Dense up = apply(pairs, [](double value) { return std::sqrt(value); });
    std::vector<double> sizes(size_, 0.0);
    const Dense squared = product(down, down);
    for (std::size_t i = 0; i < size_; ++i) {
      sizes[i] = squared.at(i, i);
    }
    total_ = pooled_;
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      const double noise = measured.sigma / counts_[k];
      const Dense relative = shrunk(product(product(down, seconds[k]), down), sizes, noise);
      covariances_.push_back(product(product(up, relative), up));
      for (std::size_t i = 0; i < size_; ++i) {
        for (std::size_t j = 0; j < size_; ++j) {
          total_.at(i, j) +=
              share(k) * (means_.at(k, i) - overall[i]) * (means_.at(k, j) - overall[j]);
        }
      }
    }
  }

  Dense shrunk(Dense relative, std::span<const double> sizes, double noise) const {
    const auto size = static_cast<double>(size_);
    const auto variance = [&](std::size_t i, std::size_t j) {
      return 0.5 * noise * noise * sizes[i] * sizes[j] * (i == j ? 2.0 : 1.0);
    };
    double scale = 0.0;
    double scale_noise = 0.0;
    for (std::size_t i = 0; i < size_; ++i) {
      scale += (relative.at(i, i) - 1.0) / size;
      scale_noise += variance(i, i) / (size * size);
    }
    double signal = 0.0;
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < size_; ++j) {
        relative.at(i, j) -= i == j ? 1.0 + scale : 0.0;
        signal += (relative.at(i, j) * relative.at(i, j) - variance(i, j)) / (size * size);
      }
    }
    signal = std::max(signal, 0.0);
    scale *= std::max(0.0, 1.0 - scale_noise / std::max(scale * scale, 1e-12));
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < size_; ++j) {
        relative.at(i, j) *= signal / std::max(signal + variance(i, j), 1e-300);
        relative.at(i, j) += i == j ? 1.0 + scale : 0.0;
      }
    }
    return apply(symmetric_eigen(relative.values, size_),
                 [](double value) { return std::max(value, 0.05); });
  }

  std::size_t size_;
  std::vector<double> counts_;
  double rows_ = 0.0;
  Dense means_;   ///< [class][direction]
  Dense pooled_;  ///< covariance within classes
  Dense total_;   ///< covariance of all
  std::vector<Dense> covariances_;
};

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
  require(std::all_of(subspace.factors.begin(), subspace.factors.end(),
                      [](double factor) { return factor > 1e-6; }),
          "a direction of the subspace has no size");
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
    const MeasuredSum with = sum_of_step(release, wide_steps::kLoadings, SumKind::kLoadings);
    require(with.sum.vector->dimension() == size &&
                with.sum.other->dimension() == with.sum.other->direction_count() &&
                with.sum.other->dimension() <= directions.rows &&
                std::all_of(with.sum.other->factors.begin(), with.sum.other->factors.end(),
                            [](double factor) { return factor > 1e-6; }),
            "the loadings are not those of the teacher's directions");
    const Dense outside = outside_covariance(with, directions, subspace.factors, order, rows);
    const Dense inverse = apply(symmetric_eigen(moments.total().values, directions.rows),
                                [](double value) { return 1.0 / std::max(value, 1e-6); });
    const std::size_t known = directions.rows - outside.rows;
    for (std::size_t d = 0; d < directions.rows; ++d) {
      for (std::size_t a = 0; a < outside.rows; ++a) {
        for (std::size_t j = 0; j < size; ++j) {
          across.at(d, j) += inverse.at(known + a, d) * outside.at(a, j);
        }
      }
    }
  }
  loadings = to_floats(across);
  inside = to_floats(coordinates);

  // What the coordinates do not explain of each frequency.
  const Dense of_scores = products_of(scatter, 0, rows);
  double trace = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    trace += of_scores.at(i, i) / static_cast<double>(size);
  }
  const std::vector<double> spectrum = spectrum_of(of_scores, order);
  const Dense spread = product(moments.total(), across);
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

  length_width = lengths.sum.cell_width;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const std::vector<double> possible = project_to_counts(
        std::span(lengths.values).subspan(k * lengths.sum.cells, lengths.sum.cells), counts[k]);
    std::vector<double> below;
    double sum = 0.0;
    for (const double count : possible) {
      below.push_back(sum += count / counts[k]);
    }
    length_shares.push_back(std::move(below));
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
