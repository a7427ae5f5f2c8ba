#include "mehler/evaluation/classifiers/logistic_regression.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr int kMaxIterations = 50;

struct Problem {
  const SparseFeatures& features;
  const std::vector<char>& is_positive;
  LogisticOptions options;

  double ridge_of(std::size_t parameter) const { return parameter == 0 ? 0.0 : options.ridge; }
};

/// The penalised negative log-likelihood.
double loss_at(const Problem& problem, const std::vector<double>& parameters) {
  double loss = 0.0;
  for (std::size_t row = 0; row < problem.features.rows; ++row) {
    const double value = problem.features.linear_part(row, parameters);
    const double signed_value = problem.is_positive[row] ? -value : value;
    loss += std::max(signed_value, 0.0) + std::log1p(std::exp(-std::fabs(signed_value)));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    loss += 0.5 * problem.ridge_of(i) * parameters[i] * parameters[i];
  }
  return loss;
}

/// Gradient, and the lower triangle of the Hessian.
struct Curvature {
  std::vector<double> gradient;
  std::vector<double> hessian;  ///< [parameters][parameters]
};

/// The features of a record that are not zero, the constant first, by rising parameter.
class RecordFeatures {
 public:
  struct Feature {
    std::uint32_t parameter;
    double value;
  };

  const std::vector<Feature>& of(const SparseFeatures& features, std::size_t row) {
    listed_.assign(1, {0, 1.0});
    for (std::size_t at = row * features.width; at < (row + 1) * features.width; ++at) {
      if (features.active[at] != 0) {
        listed_.push_back(
            {features.active[at], features.values.empty() ? 1.0 : features.values[at]});
      }
    }
    std::sort(listed_.begin(), listed_.end(),
              [](const Feature& a, const Feature& b) { return a.parameter < b.parameter; });
    return listed_;
  }

 private:
  std::vector<Feature> listed_;
};

Curvature curvature_at(const Problem& problem, const std::vector<double>& parameters,
                       const Context& context) {
  constexpr std::size_t kRowsBetweenLooks = 4096;
  const std::size_t size = parameters.size();
  Curvature result{std::vector<double>(size, 0.0), std::vector<double>(size * size, 0.0)};
  RecordFeatures record;
  for (std::size_t row = 0; row < problem.features.rows; ++row) {
    if (row % kRowsBetweenLooks == 0) {
      context.throw_if_cancelled();
    }
    const double p = logistic(problem.features.linear_part(row, parameters));
    const double residual = p - problem.is_positive[row];
    const double weight = p * (1.0 - p);
    const auto& listed = record.of(problem.features, row);
    for (std::size_t i = 0; i < listed.size(); ++i) {
      result.gradient[listed[i].parameter] += residual * listed[i].value;
      const double scale = weight * listed[i].value;
      double* hessian_row = &result.hessian[listed[i].parameter * size];
      for (std::size_t j = 0; j <= i; ++j) {
        hessian_row[listed[j].parameter] += scale * listed[j].value;
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    result.gradient[i] += problem.ridge_of(i) * parameters[i];
    result.hessian[i * size + i] += problem.ridge_of(i);
  }
  return result;
}

/// Solves hessian x = gradient by Cholesky factors, in place. A direction whose curvature is lost
/// in rounding, or, where redundant ones are dropped, is little but the ridge's (two columns that
/// say the same), gets no step; returns the number of the others.
std::size_t solve(std::vector<double>& hessian, std::vector<double>& gradient,
                  const LogisticOptions& options) {
  const std::size_t size = gradient.size();
  std::vector<bool> is_kept(size, true);
  for (std::size_t i = 0; i < size; ++i) {
    const double lost = options.drops_redundant ? 1e-7 * hessian[i * size + i] + 2.0 * options.ridge
                                                : 1e-14 * hessian[i * size + i];
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = hessian[i * size + j];
      for (std::size_t k = 0; k < j; ++k) {
        sum -= hessian[i * size + k] * hessian[j * size + k];
      }
      if (j < i) {
        hessian[i * size + j] = is_kept[j] ? sum / hessian[j * size + j] : 0.0;
      } else {
        is_kept[i] = sum > lost;
        hessian[i * size + i] = is_kept[i] ? std::sqrt(sum) : 1.0;
      }
    }
    if (!is_kept[i]) {
      std::fill_n(&hessian[i * size], i, 0.0);
      gradient[i] = 0.0;
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      gradient[i] -= hessian[i * size + k] * gradient[k];
    }
    gradient[i] = is_kept[i] ? gradient[i] / hessian[i * size + i] : 0.0;
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t k = i + 1; k < size; ++k) {
      gradient[i] -= hessian[k * size + i] * gradient[k];
    }
    gradient[i] = is_kept[i] ? gradient[i] / hessian[i * size + i] : 0.0;
  }
  return static_cast<std::size_t>(std::count(is_kept.begin(), is_kept.end(), true));
}

/// A Newton step, halved until the loss falls. False when it does not fall any more.
bool improve(const Problem& problem, const std::vector<double>& step,
             std::vector<double>& parameters, double& loss) {
  std::vector<double> trial(parameters.size());
  for (int halvings = 0; halvings < 20; ++halvings) {
    const double length = std::ldexp(1.0, -halvings);
    for (std::size_t i = 0; i < trial.size(); ++i) {
      trial[i] = parameters[i] - length * step[i];
    }
    const double trial_loss = loss_at(problem, trial);
    if (trial_loss < loss) {
      const bool goes_on = loss - trial_loss > 1e-9 * loss;
      parameters = trial;
      loss = trial_loss;
      return goes_on;
    }
  }
  return false;
}

}  // namespace

double SparseFeatures::linear_part(std::size_t row, const std::vector<double>& coefficients) const {
  double sum = coefficients[0];
  for (std::size_t at = row * width; at < (row + 1) * width; ++at) {
    if (active[at] != 0) {
      sum += values.empty() ? coefficients[active[at]] : values[at] * coefficients[active[at]];
    }
  }
  return sum;
}

double logistic(double value) { return 1.0 / (1.0 + std::exp(-value)); }

LogisticFit fit_logistic(const SparseFeatures& features, const std::vector<char>& is_positive,
                         const LogisticOptions& options, const Context& context) {
  MEHLER_ASSERT(is_positive.size() == features.rows && options.ridge >= 0.0);
  const Problem problem{features, is_positive, options};
  LogisticFit fit{std::vector<double>(features.parameters, 0.0), features.parameters};
  double loss = loss_at(problem, fit.parameters);
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    Curvature curvature = curvature_at(problem, fit.parameters, context);
    const std::size_t kept = solve(curvature.hessian, curvature.gradient, options);
    // The first step is from equal probabilities, where only columns that say the same are lost.
    fit.fitted = iteration == 0 ? kept : fit.fitted;
    if (!improve(problem, curvature.gradient, fit.parameters, loss)) {
      break;
    }
  }
  return fit;
}

}  // namespace mehler
