#include "mehler/estimation/ordered_counts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/estimation/count_grid.h"

namespace mehler {
namespace {

constexpr std::array<double, 4> kJumps = {0.02, 0.1, 0.3, 0.7};  ///< a
constexpr std::size_t kModels = CountGrid::kSteps.size() * kJumps.size();
constexpr double kLeastWeight = 0.01;  ///< of a model that is worth its time

/// What is believed before any cell or column is seen weighs as much as this many of them.
constexpr double kCellsBefore = 2.0;
constexpr double kColumnsBefore = 2.0;
constexpr int kPriorIterations = 40;
constexpr int kWeightIterations = 30;

/// A frequent value, or a cell at an end, is empty if this is more likely than not; a count below
/// this part of the noise is as good as none.
constexpr double kEmptyProbability = 0.5;
constexpr double kEmptySigmas = 0.25;

double median_sigma(std::span<const NoisyColumn> columns) {
  std::vector<double> sigmas;
  for (const NoisyColumn& column : columns) {
    sigmas.push_back(column.sigma);
  }
  const auto middle = sigmas.begin() + static_cast<std::ptrdiff_t>(sigmas.size() / 2);
  std::nth_element(sigmas.begin(), middle, sigmas.end());
  return *middle;
}

/// Divides by the sum, which is returned.
double normalise(std::span<double> values) {
  double sum = 0.0;
  for (const double value : values) {
    sum += value;
  }
  for (double& value : values) {
    value /= sum;
  }
  return sum;
}

class ChainEstimator {
 public:
  ChainEstimator(std::span<const NoisyColumn> columns, double rows)
      : columns_(columns), rows_(rows), grid_(median_sigma(columns), rows) {
    for (const NoisyColumn& column : columns_) {
      std::vector<double>& likelihood = likelihoods_.emplace_back();
      likelihood.reserve(column.counts.size() * grid_.size());
      for (const double count : column.counts) {
        grid_.add_likelihood(count, column.sigma, likelihood);
      }
    }
    estimate_prior();
    weigh_models();
  }

  std::vector<double> counts(std::size_t c) const {
    const NoisyColumn& column = columns_[c];
    const std::size_t cells = column.counts.size();
    const std::vector<double> posterior = posterior_of(c);
    std::vector<double> means(cells);
    std::vector<double> variances(cells);
    std::vector<double> empty(cells);  // probabilities
    for (std::size_t i = 0; i < cells; ++i) {
      if (grid_.is_too_coarse(column.counts[i], column.sigma)) {
        means[i] = column.counts[i];
        variances[i] = column.sigma * column.sigma;
        continue;
      }
      double second = 0.0;
      for (std::size_t g = 0; g < grid_.size(); ++g) {
        const double probability = posterior[i * grid_.size() + g];
        means[i] += probability * grid_[g];
        second += probability * grid_[g] * grid_[g];
        empty[i] += grid_[g] <= kEmptySigmas * column.sigma ? probability : 0.0;
      }
      variances[i] = std::max(second - means[i] * means[i], 1e-9 * rows_);
    }
    clear_empty(column, empty, means, variances);
    meet_total(means, variances);
    return means;
  }

 private:
  void estimate_prior() {
    const std::size_t n = grid_.size();
    prior_ = grid_.before();
    for (int iteration = 0; iteration < kPriorIterations; ++iteration) {
      std::vector<double> next(n);
      for (std::size_t g = 0; g < n; ++g) {
        next[g] = kCellsBefore * grid_.before()[g];
      }
      for (const std::vector<double>& likelihood : likelihoods_) {
        for (std::size_t i = 0; i < likelihood.size(); i += n) {
          double sum = 0.0;
          for (std::size_t g = 0; g < n; ++g) {
            sum += prior_[g] * likelihood[i + g];
          }
          for (std::size_t g = 0; g < n; ++g) {
            next[g] += prior_[g] * likelihood[i + g] / sum;
          }
        }
      }
      normalise(next);
      prior_ = std::move(next);
    }
  }

  /// Forward along a run: probabilities of each cell's count given the cells up to it. Returns the
  /// logarithm of the likelihood.
  double run_forward(std::size_t c, std::pair<std::size_t, std::size_t> run, std::size_t model,
                     std::vector<double>& forward) const {
    const std::size_t n = grid_.size();
    const double jump = kJumps[model % kJumps.size()];
    forward.assign((run.second - run.first) * n, 0.0);
    double logs = 0.0;
    std::vector<double> now(prior_);
    for (std::size_t i = run.first; i < run.second; ++i) {
      const std::span<double> here(&forward[(i - run.first) * n], n);
      if (i > run.first) {
        now = grid_.step_from(model / kJumps.size(), std::span(here.data() - n, n));
        for (std::size_t g = 0; g < n; ++g) {
          now[g] = jump * prior_[g] + (1.0 - jump) * now[g];
        }
      }
      for (std::size_t g = 0; g < n; ++g) {
        here[g] = now[g] * likelihoods_[c][i * n + g];
      }
      logs += std::log(normalise(here));
    }
    return logs;
  }

  /// Adds `weight` times the posterior of a run's cells.
  void add_posterior(std::size_t c, std::pair<std::size_t, std::size_t> run, std::size_t model,
                     double weight, std::vector<double>& posterior) const {
    const std::size_t n = grid_.size();
    const double jump = kJumps[model % kJumps.size()];
    std::vector<double> forward;
    run_forward(c, run, model, forward);
    std::vector<double> back(n, 1.0);
    for (std::size_t i = run.second; i-- > run.first;) {
      std::vector<double> here(n);
      double fresh = 0.0;
      for (std::size_t g = 0; g < n; ++g) {
        here[g] = forward[(i - run.first) * n + g] * back[g];
        back[g] *= likelihoods_[c][i * n + g];
        fresh += prior_[g] * back[g];
      }
      normalise(here);
      for (std::size_t g = 0; g < n; ++g) {
        posterior[i * n + g] += weight * here[g];
      }
      back = grid_.expect_after(model / kJumps.size(), back);
      double most = 0.0;
      for (double& value : back) {
        value = jump * fresh + (1.0 - jump) * value;
        most = std::max(most, value);
      }
      for (double& value : back) {
        value /= most;
      }
    }
  }

  /// The models' weights in each column that has a run.
  void weigh_models() {
    std::vector<std::vector<double>> likelihoods(columns_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      std::vector<double> forward;
      for (std::size_t model = 0; model < kModels && !columns_[c].runs.empty(); ++model) {
        double logs = 0.0;
        for (const auto& run : columns_[c].runs) {
          logs += run_forward(c, run, model, forward);
        }
        likelihoods[c].push_back(logs);
      }
      if (!likelihoods[c].empty()) {
        const double top = *std::max_element(likelihoods[c].begin(), likelihoods[c].end());
        for (double& likelihood : likelihoods[c]) {
          likelihood = std::exp(likelihood - top);
        }
      }
    }
    std::vector<double> prior(kModels, 1.0 / kModels);
    weights_.assign(columns_.size(), {});
    for (int iteration = 0; iteration < kWeightIterations; ++iteration) {
      std::vector<double> next(kModels, kColumnsBefore / kModels);
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (likelihoods[c].empty()) {
          continue;
        }
        weights_[c] = likelihoods[c];
        for (std::size_t model = 0; model < kModels; ++model) {
          weights_[c][model] *= prior[model];
        }
        normalise(weights_[c]);
        for (std::size_t model = 0; model < kModels; ++model) {
          next[model] += weights_[c][model];
        }
      }
      normalise(next);
      prior = std::move(next);
    }
  }

  /// The probabilities of each cell's count.
  std::vector<double> posterior_of(std::size_t c) const {
    const std::size_t n = grid_.size();
    const std::size_t cells = columns_[c].counts.size();
    std::vector<double> posterior(cells * n);
    std::vector<bool> in_run(cells);
    for (const auto& run : columns_[c].runs) {
      std::fill(in_run.begin() + static_cast<std::ptrdiff_t>(run.first),
                in_run.begin() + static_cast<std::ptrdiff_t>(run.second), true);
      for (std::size_t model = 0; model < kModels; ++model) {
        if (weights_[c][model] > kLeastWeight) {
          add_posterior(c, run, model, weights_[c][model], posterior);
        }
      }
    }
    for (std::size_t i = 0; i < cells; ++i) {
      const std::span<double> cell(&posterior[i * n], n);
      if (!in_run[i]) {
        for (std::size_t g = 0; g < n; ++g) {
          cell[g] = prior_[g] * likelihoods_[c][i * n + g];
        }
      }
      normalise(cell);
    }
    return posterior;
  }

  /// Cells at both ends of the column's runs, and outside of them, that are likely to be empty.
  static void clear_empty(const NoisyColumn& column, std::span<const double> empty,
                          std::vector<double>& means, std::vector<double>& variances) {
    const auto clear = [&](std::size_t i) {
      means[i] = 0.0;
      variances[i] = 0.0;
    };
    const auto is_in_run = [&](std::size_t i) {
      return std::any_of(column.runs.begin(), column.runs.end(),
                         [&](const auto& run) { return run.first <= i && i < run.second; });
    };
    for (std::size_t i = 0; i < means.size(); ++i) {
      if (empty[i] > kEmptyProbability && !is_in_run(i)) {
        clear(i);
      }
    }
    if (column.runs.empty()) {
      return;
    }
    std::size_t first = column.runs.front().first;
    std::size_t last = column.runs.back().second;
    for (; first < last && empty[first] > kEmptyProbability; ++first) {
      clear(first);
    }
    for (; last > first && empty[last - 1] > kEmptyProbability; --last) {
      clear(last - 1);
    }
  }

  /// What lacks goes where the uncertainty is.
  void meet_total(std::vector<double>& means, std::vector<double>& variances) const {
    double all = 0.0;
    double uncertainty = 0.0;
    for (std::size_t i = 0; i < means.size(); ++i) {
      means[i] = std::max(means[i], 0.0);
      all += means[i];
      uncertainty += variances[i];
    }
    if (!(uncertainty > 0.0)) {  // nothing stands out anywhere
      std::fill(variances.begin(), variances.end(), 1.0);
    }
    constexpr int kPasses = 50;
    for (int pass = 0; pass < kPasses && std::fabs(rows_ - all) > 1e-9 * rows_; ++pass) {
      const double lacking = rows_ - all;
      double room = 0.0;
      for (std::size_t i = 0; i < means.size(); ++i) {
        room += lacking > 0.0 || means[i] > 0.0 ? variances[i] : 0.0;
      }
      if (!(room > 0.0)) {
        break;
      }
      all = 0.0;
      for (std::size_t i = 0; i < means.size(); ++i) {
        if (lacking > 0.0 || means[i] > 0.0) {
          means[i] = std::max(means[i] + lacking * variances[i] / room, 0.0);
        }
        all += means[i];
      }
    }
    // What the passes left, where all uncertain cells are empty already.
    for (double& mean : means) {
      mean *= rows_ / all;
    }
  }

  std::span<const NoisyColumn> columns_;
  double rows_;
  CountGrid grid_;
  std::vector<double> prior_;
  std::vector<std::vector<double>> likelihoods_;  ///< per column, [cells][points]
  std::vector<std::vector<double>> weights_;      ///< per column, of the models
};

}  // namespace

std::vector<std::vector<double>> estimate_ordered_counts(std::span<const NoisyColumn> columns,
                                                         double rows) {
  std::vector<std::vector<double>> result;
  if (columns.empty()) {
    return result;
  }
  for (const NoisyColumn& column : columns) {
    MEHLER_ASSERT(column.sigma > 0.0 && !column.counts.empty() &&
                  column.counts.size() <= kMostChainedCells);
  }
  const ChainEstimator estimator(columns, rows);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    result.push_back(estimator.counts(c));
  }
  return result;
}

}  // namespace mehler
