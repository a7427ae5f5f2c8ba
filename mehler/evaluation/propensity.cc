#include "mehler/evaluation/propensity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/seeded_random.h"
#include "mehler/evaluation/cell_counts.h"

namespace mehler {
namespace {

constexpr double kRidge = 1e-6;
constexpr int kMaxIterations = 50;

/// The parameters that are 1 in each record: the constant (parameter 0), and at most one a column.
struct Design {
  std::size_t parameters = 1;
  std::size_t width = 0;              ///< entries a record
  std::vector<std::uint32_t> active;  ///< [records][width]; 0 where a column has none
  std::vector<char> is_synthetic;

  std::size_t records() const { return is_synthetic.size(); }
};

CodedTable rows_of(const CodedTable& table, const std::vector<std::size_t>& rows) {
  CodedTable result;
  result.rows = rows.size();
  for (const CodedColumn& column : table.columns) {
    CodedColumn picked;
    picked.codes.reserve(rows.size());
    for (const std::size_t row : rows) {
      picked.codes.push_back(column.codes[row]);
    }
    result.columns.push_back(std::move(picked));
  }
  return result;
}

/// A parameter for each code but the commonest of its column; the commonest ones if there are more
/// than allowed.
Design make_design(const JoinedTables& tables, std::size_t max_parameters) {
  struct Code {
    std::size_t count;
    std::size_t column;
    std::size_t code;
  };
  std::vector<Code> candidates;
  for (std::size_t column = 0; column < tables.columns(); ++column) {
    std::vector<std::size_t> counts(tables.code_count(column), 0);
    for (const std::uint16_t code : tables.codes(column)) {
      ++counts[code];
    }
    const auto commonest =
        static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    for (std::size_t code = 0; code < counts.size(); ++code) {
      if (code != commonest) {
        candidates.push_back({counts[code], column, code});
      }
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Code& a, const Code& b) { return a.count > b.count; });
  candidates.resize(std::min(candidates.size(), max_parameters - 1));

  Design design;
  std::vector<std::vector<std::uint32_t>> parameter_of(tables.columns());
  for (std::size_t column = 0; column < tables.columns(); ++column) {
    parameter_of[column].assign(tables.code_count(column), 0);
  }
  for (const Code& code : candidates) {
    parameter_of[code.column][code.code] = static_cast<std::uint32_t>(design.parameters++);
  }
  design.width = tables.columns();
  design.active.resize(tables.rows() * design.width);
  for (std::size_t column = 0; column < tables.columns(); ++column) {
    for (std::size_t row = 0; row < tables.rows(); ++row) {
      design.active[row * design.width + column] = parameter_of[column][tables.codes(column)[row]];
    }
  }
  design.is_synthetic.assign(tables.rows(), 1);
  std::fill_n(design.is_synthetic.begin(), tables.first_rows(), 0);
  return design;
}

double linear_part(const Design& design, std::size_t row, const std::vector<double>& parameters) {
  double sum = parameters[0];
  for (std::size_t i = 0; i < design.width; ++i) {
    const std::uint32_t parameter = design.active[row * design.width + i];
    sum += parameter == 0 ? 0.0 : parameters[parameter];
  }
  return sum;
}

double logistic(double value) { return 1.0 / (1.0 + std::exp(-value)); }

/// The penalised negative log-likelihood.
double loss_at(const Design& design, const std::vector<double>& parameters) {
  double loss = 0.0;
  for (std::size_t row = 0; row < design.records(); ++row) {
    const double value = linear_part(design, row, parameters);
    const double signed_value = design.is_synthetic[row] ? -value : value;
    loss += std::max(signed_value, 0.0) + std::log1p(std::exp(-std::fabs(signed_value)));
  }
  for (const double parameter : parameters) {
    loss += 0.5 * kRidge * parameter * parameter;
  }
  return loss;
}

/// Gradient, and the lower triangle of the Hessian.
struct Curvature {
  std::vector<double> gradient;
  std::vector<double> hessian;  ///< [parameters][parameters]
};

Curvature curvature_at(const Design& design, const std::vector<double>& parameters) {
  const std::size_t size = design.parameters;
  Curvature result{std::vector<double>(size, 0.0), std::vector<double>(size * size, 0.0)};
  std::vector<std::uint32_t> active;
  for (std::size_t row = 0; row < design.records(); ++row) {
    active.assign(1, 0);
    for (std::size_t i = 0; i < design.width; ++i) {
      const std::uint32_t parameter = design.active[row * design.width + i];
      if (parameter != 0) {
        active.push_back(parameter);
      }
    }
    std::sort(active.begin(), active.end());
    const double p = logistic(linear_part(design, row, parameters));
    const double residual = p - design.is_synthetic[row];
    const double weight = p * (1.0 - p);
    for (std::size_t i = 0; i < active.size(); ++i) {
      result.gradient[active[i]] += residual;
      for (std::size_t j = 0; j <= i; ++j) {
        result.hessian[active[i] * size + active[j]] += weight;
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    result.gradient[i] += kRidge * parameters[i];
    result.hessian[i * size + i] += kRidge;
  }
  return result;
}

/// Solves hessian x = gradient by Cholesky factors, in place. A direction whose curvature is lost
/// in rounding (two columns that say the same) gets no step; returns the number of the others.
std::size_t solve(std::vector<double>& hessian, std::vector<double>& gradient) {
  const std::size_t size = gradient.size();
  std::vector<bool> is_kept(size, true);
  for (std::size_t i = 0; i < size; ++i) {
    const double diagonal = hessian[i * size + i];
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = hessian[i * size + j];
      for (std::size_t k = 0; k < j; ++k) {
        sum -= hessian[i * size + k] * hessian[j * size + k];
      }
      if (j < i) {
        hessian[i * size + j] = is_kept[j] ? sum / hessian[j * size + j] : 0.0;
      } else {
        is_kept[i] = sum > 1e-7 * diagonal + 2.0 * kRidge;
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
bool improve(const Design& design, const std::vector<double>& step, std::vector<double>& parameters,
             double& loss) {
  std::vector<double> trial(parameters.size());
  for (int halvings = 0; halvings < 20; ++halvings) {
    const double length = std::ldexp(1.0, -halvings);
    for (std::size_t i = 0; i < trial.size(); ++i) {
      trial[i] = parameters[i] - length * step[i];
    }
    const double trial_loss = loss_at(design, trial);
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

std::vector<std::size_t> sample_rows(std::size_t rows, std::size_t size, std::uint64_t seed) {
  std::vector<std::size_t> chosen;
  chosen.reserve(std::min(rows, size));
  SeededRandom random(seed);
  // Knuth's selection sampling: each row with the chance that keeps the total right.
  for (std::size_t row = 0; row < rows && chosen.size() < size; ++row) {
    if (random.uniform() * static_cast<double>(rows - row) <
        static_cast<double>(std::min(size, rows) - chosen.size())) {
      chosen.push_back(row);
    }
  }
  return chosen;
}

PropensityScore propensity_score(const CodedTable& real, const CodedTable& synthetic,
                                 const PropensityOptions& options, const Context& context) {
  const CodedTable a = rows_of(real, sample_rows(real.rows, options.max_rows, options.seed));
  const CodedTable b =
      rows_of(synthetic, sample_rows(synthetic.rows, options.max_rows, options.seed + 1));
  const Design design =
      make_design(JoinedTables(a, b), std::max<std::size_t>(options.max_parameters, 1));
  std::vector<double> parameters(design.parameters, 0.0);
  double loss = loss_at(design, parameters);
  PropensityScore score;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    context.throw_if_cancelled();
    Curvature curvature = curvature_at(design, parameters);
    const std::size_t kept = solve(curvature.hessian, curvature.gradient);
    // The first step is from equal probabilities, where only columns that say the same are lost.
    score.parameters = iteration == 0 ? kept : score.parameters;
    if (!improve(design, curvature.gradient, parameters, loss)) {
      break;
    }
  }
  const auto records = static_cast<double>(design.records());
  const double share = static_cast<double>(b.rows) / records;
  double sum = 0.0;
  for (std::size_t row = 0; row < design.records(); ++row) {
    const double difference = logistic(linear_part(design, row, parameters)) - share;
    sum += difference * difference;
  }
  score.pmse = sum / records;
  score.expected_pmse = static_cast<double>(score.parameters - 1) * share * (1.0 - share) / records;
  score.real_rows = a.rows;
  score.synthetic_rows = b.rows;
  return score;
}

}  // namespace mehler
