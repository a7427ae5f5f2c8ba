#include "mehler/estimation/image_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/estimation/image_moments.h"
#include "mehler/estimation/measured_products.h"

namespace mehler {
namespace {

constexpr double kFewestOfClass = 50.0;  ///< that moments are divided by

void require_parts(bool holds, std::string_view what) {
  if (!holds) {
    throw Error(ErrorCode::kInvalidRelease,
                fmt::format("the release's {} do not fit its other sums of images", what));
  }
}

MeasuredSum sum_of_images(const Release& release, std::string_view step, SumKind kind,
                          bool by_class) {
  MeasuredSum sum = sum_of_step(release, step, kind);
  require_parts(sum.sum.image && sum.sum.image->scores->kind() == ImageScoreKind::kCode &&
                    sum.sum.classes.has_value() == by_class &&
                    (kind != SumKind::kMeans || sum.sum.image->constant > 0.0),
                step);
  return sum;
}

Matrix as_matrix(const Dense& dense) {
  Matrix matrix(dense.rows, dense.columns);
  std::copy(dense.values.begin(), dense.values.end(), matrix.values.begin());
  return matrix;
}

Dense as_dense(const std::vector<double>& values, std::size_t columns) {
  Dense dense(values.size() / columns, columns);
  dense.values = values;
  return dense;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

}  // namespace

ImageSums ImageSums::of(const Release& release) {
  ImageSums sums;
  sums.records = std::max(1.0, release.record_count());
  sums.scatter = sum_of_images(release, image_steps::kScatter, SumKind::kProducts, false);
  sums.class_means = sum_of_images(release, image_steps::kClassMeans, SumKind::kMeans, true);
  sums.cells = sums_of_step(release, image_steps::kCells);
  sums.class_scatters =
      sum_of_images(release, image_steps::kClassScatters, SumKind::kProducts, true);
  const ImageVector& scatter = *sums.scatter.sum.image;
  const ImageVector& inside = *sums.class_scatters.sum.image;
  const std::size_t size = scatter.scores->size();
  require_parts(scatter.entries() == size && scatter.dimension() == size &&
                    scatter.centre.size() == size &&
                    sums.class_means.sum.image->entries() == size &&
                    hold_the_same(scatter.scores, sums.class_means.sum.image->scores) &&
                    hold_the_same(scatter.scores, inside.scores),
                "codes");
  require_parts(!inside.keeps_scores && inside.dimension() == inside.entries() &&
                    !inside.class_centres.empty() &&
                    sums.class_scatters.sum.classes == sums.class_means.sum.classes &&
                    std::all_of(inside.factors.begin(), inside.factors.end(),
                                [](double factor) { return factor > 1e-6; }),
                "class scatters");
  require_parts((inside.cells > 0) == !sums.cells.empty() &&
                    std::all_of(sums.cells.begin(), sums.cells.end(),
                                [&](const MeasuredSum& round) {
                                  return round.sum.kind == SumKind::kMeans && round.sum.image &&
                                         round.sum.cell_count() == inside.cells &&
                                         round.sum.image->constant > 0.0 &&
                                         round.sum.classes == sums.class_means.sum.classes;
                                }),
                "cells");
  return sums;
}

std::vector<double> released_class_counts(const MeasuredSum& class_means) {
  const std::size_t own = class_means.sum.vector_dimension();
  std::vector<double> counts;
  for (std::size_t last = own - 1; last < class_means.values.size(); last += own) {
    counts.push_back(std::max(0.0, class_means.values[last] / class_means.sum.image->constant));
  }
  return counts;
}

std::vector<double> class_counts(const MeasuredSum& class_means) {
  std::vector<double> counts = released_class_counts(class_means);
  for (double& count : counts) {
    count = std::max(kFewestOfClass, count);
  }
  return counts;
}

std::vector<std::size_t> hardly_known_classes(const MeasuredSum& class_means) {
  const double noise = class_means.sigma / class_means.sum.image->constant;
  const std::vector<double> counts = released_class_counts(class_means);
  std::vector<std::size_t> hardly_known;
  for (std::size_t k = 0; k < class_means.sum.classes->cells->value_cells(); ++k) {
    if (counts[k] <= kHiddenByNoise * noise) {
      hardly_known.push_back(k);
    }
  }
  return hardly_known;
}

Dense class_means_of(const MeasuredSum& class_means, const std::vector<double>& counts) {
  const std::size_t own = class_means.sum.vector_dimension();
  Dense means(counts.size(), own - 1);
  for (std::size_t k = 0; k < means.rows; ++k) {
    for (std::size_t i = 0; i < means.columns; ++i) {
      means.at(k, i) = class_means.values[k * own + i] / counts[k];
    }
  }
  return means;
}

Dense cell_shares(const MeasuredSum& cells) {
  const std::size_t own = cells.sum.vector_dimension();
  Dense shares(cells.sum.class_count(), cells.sum.cell_count());
  for (std::size_t k = 0; k < shares.rows; ++k) {
    double all = 0.0;
    for (std::size_t c = 0; c < shares.columns; ++c) {
      shares.at(k, c) = std::max(0.0, cells.values[(k * shares.columns + c + 1) * own - 1]);
      all += shares.at(k, c);
    }
    for (std::size_t c = 0; c < shares.columns; ++c) {
      shares.at(k, c) =
          all > 0.0 ? shares.at(k, c) / all : 1.0 / static_cast<double>(shares.columns);
    }
  }
  return shares;
}

ImageModel::ImageModel(const ImageSums& sums)
    : codec(sums.scatter.sum.image->scores->shape()),
      class_centres(0, 0),
      outside(0, 0),
      cell_centres(0, 0),
      shares_of_cells(0, 0) {
  const ImageVector& inside = *sums.class_scatters.sum.image;
  const std::size_t count = inside.direction_count();
  const double records = sums.records;
  centre.assign(inside.centre.begin(), inside.centre.end());
  centre.resize(codec.dimension(), 0.0F);
  directions = Matrix(count, codec.dimension());
  std::copy(inside.directions.begin(), inside.directions.end(), directions.values.begin());
  std::vector<double> variances;
  for (const double factor : inside.factors) {
    widths.push_back(1.0 / factor);
    variances.push_back(std::pow(factor, -4.0));
  }
  class_centres = as_dense(inside.class_centres, count);
  counts = class_counts(sums.class_means);
  released_counts = released_class_counts(sums.class_means);

  const double noise = sums.scatter.sigma / records;
  const Dense scatter =
      shrink_by_groups(products_of(sums.scatter, 0, records), noise, codec.coordinates()).matrix;
  outside = means_outside(class_means_of(sums.class_means, counts),
                          symmetric_eigen(scatter.values, scatter.rows), count,
                          sums.class_means.sigma / mean_of(counts));
  for (const double variance :
       variances_outside(scatter, inside.directions, variances, codec.coordinates())) {
    deviations.push_back(static_cast<float>(std::sqrt(variance)));
  }

  if (inside.cells > 0) {
    cells = inside.cells;
    cell_centres = as_dense(inside.cell_centres, count);
    shares_of_cells = cell_shares(sums.cells.back());
  } else {
    cell_centres = Dense(counts.size(), count);
    shares_of_cells = Dense(counts.size(), 1);
    std::fill(shares_of_cells.values.begin(), shares_of_cells.values.end(), 1.0);
  }
  std::vector<Dense> scatters;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    scatters.push_back(products_of(sums.class_scatters, k, counts[k]));
  }
  for (const Dense& covariance :
       shrink_to_mean(scatters, sums.class_scatters.sigma / mean_of(counts))) {
    roots.push_back(as_matrix(apply(symmetric_eigen(covariance.values, count),
                                    [](double value) { return std::sqrt(std::max(value, 0.0)); })));
  }
}

}  // namespace mehler
