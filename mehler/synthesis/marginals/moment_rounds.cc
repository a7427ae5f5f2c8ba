#include "mehler/synthesis/marginals/moment_rounds.h"

#include <algorithm>
#include <cmath>

#include "mehler/estimation/column_scores.h"
#include "mehler/estimation/symmetric_eigen.h"
#include "mehler/synthesis/marginals/score_subspace.h"
#include "mehler/synthesis/marginals/teacher_rounds.h"

namespace mehler {
namespace {

// Shares of the budget: of what the parts that a table has add up to.
constexpr double kClassShare = 0.01;
constexpr double kHistogramShare = 0.13;
constexpr double kLengthShare = 0.02;
constexpr double kMeanShare = 0.02;
constexpr double kScatterShare = 0.20;
constexpr double kLearningShare = 0.30;
constexpr double kRadiusShare = 0.005;       ///< each of two
constexpr double kClassMomentShare = 0.075;  ///< means, and scatters
constexpr double kLoadingShare = 0.12;

constexpr std::size_t kLengthCells = 48;
constexpr double kLargestScoreLength = 3.0;  ///< over the root of the number of scores
constexpr std::size_t kRadiusCells = 64;
constexpr double kLargestRadius = 4.0;  ///< of what is expected
constexpr double kScoreQuantile = 0.6;
constexpr double kFeatureQuantile = 0.6;
constexpr double kSubspaceQuantile = 0.85;
constexpr double kLoadingRadius = 1.5;

/// The upper edge of the first cell where the noisy cumulated counts reach a share of all records.
double quantile(std::span<const double> counts, double cell_width, double wanted) {
  double below = 0.0;
  std::size_t cell = 0;
  for (; cell + 1 < counts.size(); ++cell) {
    below += counts[cell];
    if (below >= wanted) {
      break;
    }
  }
  return cell_width * static_cast<double>(cell + 1);
}

class MomentRounds {
 public:
  MomentRounds(MeasurementRounds& rounds, const Encoder& encoder, const WideRule& rule,
               const Context& context)
      : rounds_(rounds), encoder_(encoder), rule_(rule), context_(context) {
    double shares = kHistogramShare + kLengthShare + kMeanShare + kScatterShare + kRadiusShare +
                    2.0 * kClassMomentShare;
    if (rule.class_target) {
      shares += kClassShare + kRadiusShare + kLearningShare + kLoadingShare;
    }
    unit_ = rounds.left() / shares;
  }

  void run() {
    rows_ = rounds_.measurements().rows();
    count_columns();
    scores_ = normal_scores(estimate_columns(rounds_.measurements()), rule_.class_target);
    size_ = scores_->size();
    root_ = std::sqrt(static_cast<double>(size_));
    measure_lengths();
    measure_mean();
    subspace_ = find_subspace(
        measure(SumKind::kProducts, centred(), wide_steps::kScatter, kScatterShare * unit_, false),
        size_, rows_);
    if (classes_) {
      add_directions(learn());
    }
    measure_class_moments();
  }

 private:
  void count_columns() {
    std::vector<std::shared_ptr<const ColumnPartition>> cells;
    const double noise = std::sqrt(static_cast<double>(rule_.columns) / (kHistogramShare * unit_));
    const std::size_t ranges = noise < rows_ / 64.0 ? 64 : noise < rows_ / 32.0 ? 32 : 16;
    for (const Column& column : encoder_.columns()) {
      cells.push_back(
          std::make_shared<const ColumnPartition>(ColumnPartition::even(column, ranges)));
    }
    std::vector<CountBlock> blocks;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (cells[c]->size() > 1 && c != rule_.class_target) {
        blocks.push_back(CountBlock::marginal(encoder_, {{c}}, cells, ""));
      }
    }
    if (rule_.class_target) {
      classes_ = CountedColumn{*rule_.class_target, cells[*rule_.class_target]};
      rounds_.measure("counts of the target",
                      {CountBlock::marginal(encoder_, {{*rule_.class_target}}, cells, "target")},
                      {1.0}, kClassShare * unit_, context_);
    }
    const std::vector<double> even(blocks.size(), 1.0);
    rounds_.measure("counts of each column", std::move(blocks), even, kHistogramShare * unit_,
                    context_);
  }

  MeasuredSum measure(SumKind kind, const RecordVector& vector, std::string_view step,
                      double mu_squared, bool by_class) {
    VectorSum sum;
    sum.kind = kind;
    sum.vector = std::make_shared<const RecordVector>(vector);
    if (by_class) {
      sum.classes = classes_;
    }
    return rounds_.measure_sum({std::string(step), sum, std::string(step)}, mu_squared, context_);
  }

  /// Lengths of vectors in cells, of all records or by class.
  MeasuredSum measure_cells(const RecordVector& vector, std::string_view step, std::size_t cells,
                            double longest, double mu_squared, bool by_class) {
    VectorSum sum;
    sum.kind = SumKind::kLengths;
    sum.vector = std::make_shared<const RecordVector>(vector);
    sum.cells = cells;
    sum.cell_width = longest / static_cast<double>(cells);
    if (by_class) {
      sum.classes = classes_;
    }
    return rounds_.measure_sum({std::string(step), sum, std::string(step)}, mu_squared, context_);
  }

  RecordVector plain(double radius) const {
    RecordVector vector;
    vector.scores = scores_;
    vector.radius = radius;
    return vector;
  }
  /// Scores less their mean.
  RecordVector centred() const {
    RecordVector vector = plain(radius_);
    vector.centre = mean_;
    return vector;
  }
  /// Coordinates along the directions.
  RecordVector inside(std::span<const double> directions, std::vector<double> factors,
                      double radius) const {
    RecordVector vector = centred();
    vector.directions.assign(directions.begin(), directions.end());
    vector.factors = std::move(factors);
    vector.keeps_scores = false;
    vector.radius = radius;
    return vector;
  }

  void measure_lengths() {
    const double longest = kLargestScoreLength * root_;
    const MeasuredSum lengths =
        measure_cells(plain(2.0 * longest), wide_steps::kLengths, kLengthCells, longest,
                      kLengthShare * unit_, classes_.has_value());
    std::vector<double> all(kLengthCells, 0.0);
    for (std::size_t i = 0; i < lengths.values.size(); ++i) {
      all[i % kLengthCells] += lengths.values[i];
    }
    radius_ = quantile(all, lengths.sum.cell_width, kScoreQuantile * rows_);
  }

  void measure_mean() {
    const MeasuredSum sum =
        measure(SumKind::kMeans, plain(radius_), wide_steps::kMean, kMeanShare * unit_, false);
    double squares = 0.0;
    for (const double value : sum.values) {
      squares += value * value / static_cast<double>(size_);
    }
    const double kept = std::max(0.0, 1.0 - sum.sigma * sum.sigma / std::max(squares, 1e-9));
    for (const double value : sum.values) {
      // No mean of scores is beyond the largest score.
      mean_.push_back(on_parameter_grid(std::clamp(kept * value / rows_, -3.0, 3.0)));
    }
  }

  /// Scores that are half whitened in the subspace, sizes of its coordinates, and the length.
  RecordVector features() const {
    RecordVector vector = centred();
    vector.radius = RecordVector::kLargestRadius;
    vector.directions = subspace_.directions;
    const double weight =
        kTeacherNormWeight * root_ / std::sqrt(static_cast<double>(subspace_.count() + 1));
    for (const double strength : subspace_.strengths) {
      vector.factors.push_back(std::pow((strength + subspace_.rest) / subspace_.rest, -0.25));
      vector.sizes.push_back(weight / std::sqrt(strength));
    }
    vector.size_offset = 0.8 * weight;  // the mean of |normal|
    vector.norm_weight = kTeacherNormWeight * root_;
    return vector;
  }

  /// The teacher's directions among the scores, [class][score], without those of the subspace.
  std::vector<double> learn() {
    RecordVector vector = features();
    const MeasuredSum lengths = measure_cells(vector, wide_steps::kTeacherRadius, kRadiusCells,
                                              kLargestRadius * root_, kRadiusShare * unit_, false);
    vector.scale = 1.0 / quantile(lengths.values, lengths.sum.cell_width, kFeatureQuantile * rows_);
    vector.constant = kTeacherConstant;
    vector.radius = 1.0;
    const std::vector<double> weights =
        learn_teacher(rounds_, std::make_shared<const RecordVector>(vector), *classes_,
                      kLearningShare * unit_, context_);
    const std::size_t classes = classes_->cells->size();
    std::vector<double> along(classes * size_);
    for (std::size_t j = 0; j < size_; ++j) {
      double mean = 0.0;
      for (std::size_t k = 0; k < classes; ++k) {
        mean += weights[j * classes + k] / static_cast<double>(classes);
      }
      for (std::size_t k = 0; k < classes; ++k) {
        along[k * size_ + j] = weights[j * classes + k] - mean;
      }
    }
    for (const double weight : along) {
      learnt_ += weight * weight;
    }
    // What whitening does to the part inside of the subspace does not matter: it is taken out.
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t d = 0; d < subspace_.count(); ++d) {
        const double* direction = &subspace_.directions[d * size_];
        double product = 0.0;
        for (std::size_t j = 0; j < size_; ++j) {
          product += along[k * size_ + j] * direction[j];
        }
        for (std::size_t j = 0; j < size_; ++j) {
          along[k * size_ + j] -= product * direction[j];
        }
      }
    }
    return along;
  }

  /// Adds orthonormal directions that span these, but for the least: classes differ in one fewer.
  void add_directions(const std::vector<double>& along) {
    const std::size_t classes = along.size() / size_;
    std::vector<double> products(classes * classes);
    for (std::size_t a = 0; a < classes; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        for (std::size_t j = 0; j < size_; ++j) {
          products[a * classes + b] += along[a * size_ + j] * along[b * size_ + j];
        }
      }
    }
    const EigenPairs pairs = symmetric_eigen(std::move(products), classes);
    directions_ = subspace_.directions;
    variances_ = subspace_.strengths;
    const double between = std::sqrt(subspace_.rest * std::max(subspace_.edge, subspace_.rest));
    // What is left where the subspace has all of it is rounding.
    for (std::size_t d = 0; d + 1 < classes && pairs.values[d] > 1e-6 * learnt_; ++d) {
      for (std::size_t j = 0; j < size_; ++j) {
        double sum = 0.0;
        for (std::size_t k = 0; k < classes; ++k) {
          sum += pairs.vector(d)[k] * along[k * size_ + j];
        }
        directions_.push_back(on_parameter_grid(sum / std::sqrt(pairs.values[d])));
      }
      variances_.push_back(std::max(between, subspace_.rest));
      ++added_;
    }
  }

  void measure_class_moments() {
    if (!classes_) {
      directions_ = subspace_.directions;
      variances_ = subspace_.strengths;
    }
    std::vector<double> half;
    double expected = 0.0;
    for (const double variance : variances_) {
      half.push_back(std::pow(variance, -0.25));
      expected += std::sqrt(variance);
    }
    expected = std::sqrt(expected);
    const MeasuredSum lengths = measure_cells(
        inside(directions_, half, RecordVector::kLargestRadius), wide_steps::kSubspaceRadius,
        kRadiusCells, kLargestRadius * expected, kRadiusShare * unit_, false);
    const double radius =
        quantile(lengths.values, lengths.sum.cell_width, kSubspaceQuantile * rows_);
    const RecordVector vector = inside(directions_, half, radius);
    measure(SumKind::kMeans, vector, wide_steps::kClassMeans, kClassMomentShare * unit_,
            classes_.has_value());
    // What comes last spends everything that is left.
    const MeasuredSum scatters =
        measure(SumKind::kProducts, vector, wide_steps::kClassScatters,
                added_ > 0 ? kClassMomentShare * unit_ : rounds_.left(), classes_.has_value());
    if (added_ > 0) {
      measure_loadings(scatters, half);
    }
  }

  /// How all scores go with the teacher's directions, which are scaled to about variance 1.
  void measure_loadings(const MeasuredSum& scatters, std::span<const double> half) {
    const std::size_t count = half.size();
    std::vector<double> squares(count, 0.0);
    std::size_t next = 0;
    for (std::size_t k = 0; k < scatters.sum.class_count(); ++k) {
      for (std::size_t i = 0; i < count; next += count - i, ++i) {
        squares[i] += scatters.values[next];
      }
    }
    std::vector<double> factors;
    for (std::size_t i = count - added_; i < count; ++i) {
      const double variance = std::max(squares[i] / rows_, 0.1 * std::sqrt(variances_[i]));
      factors.push_back(half[i] / std::sqrt(variance));
    }
    VectorSum sum;
    sum.kind = SumKind::kLoadings;
    sum.vector = std::make_shared<const RecordVector>(centred());
    sum.other = std::make_shared<const RecordVector>(
        inside(std::span(directions_).last(added_ * size_), std::move(factors),
               kLoadingRadius * std::sqrt(static_cast<double>(added_))));
    rounds_.measure_sum(
        {std::string(wide_steps::kLoadings), sum, std::string(wide_steps::kLoadings)},
        rounds_.left(), context_);
  }

  MeasurementRounds& rounds_;
  const Encoder& encoder_;
  const WideRule& rule_;
  const Context& context_;
  double unit_ = 0.0;  ///< mu^2 of a share of 1
  double rows_ = 0.0;
  std::optional<CountedColumn> classes_;
  std::shared_ptr<const ScoreTables> scores_;
  std::size_t size_ = 0;  ///< number of scores
  double root_ = 0.0;     ///< of size_
  double radius_ = 0.0;
  std::vector<double> mean_;
  ScoreSubspace subspace_;
  /// The subspace and, after it, the teacher's directions.
  std::vector<double> directions_;
  std::vector<double> variances_;
  double learnt_ = 0.0;    ///< squares of the teacher's weights of scores, without their mean
  std::size_t added_ = 0;  ///< directions of the teacher
};

}  // namespace

void measure_moments(MeasurementRounds& rounds, const Encoder& encoder, const WideRule& rule,
                     const Context& context) {
  MomentRounds(rounds, encoder, rule, context).run();
}

}  // namespace mehler
