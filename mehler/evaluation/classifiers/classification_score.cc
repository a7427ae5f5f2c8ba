#include "mehler/evaluation/classifiers/classification_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/evaluation/classifiers/classification_features.h"
#include "mehler/evaluation/classifiers/classification_metrics.h"
#include "mehler/evaluation/tables/propensity.h"

namespace mehler {
namespace {

[[noreturn]] void refuse(ErrorCode code, const std::string& message) { throw Error(code, message); }

/// The rows whose target is one of the schema's labels.
std::vector<std::size_t> rows_with_target(const ClassificationTarget& target,
                                          const CodedTable& table) {
  const std::vector<std::uint16_t>& codes = table.columns[target.column].codes;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (codes[row] < target.labels.size()) {
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<std::size_t> classes_of(const ClassificationTarget& target, const CodedTable& table,
                                    const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> classes;
  classes.reserve(rows.size());
  for (const std::size_t row : rows) {
    classes.push_back(table.columns[target.column].codes[row]);
  }
  return classes;
}

std::vector<char> is_class(const std::vector<std::size_t>& classes, std::size_t which) {
  std::vector<char> result;
  result.reserve(classes.size());
  for (const std::size_t c : classes) {
    result.push_back(c == which ? 1 : 0);
  }
  return result;
}

/// Scores of the test records for one class: the fitted log-odds.
std::vector<double> scores_for(std::size_t which, const SparseFeatures& training,
                               const std::vector<std::size_t>& training_classes,
                               const SparseFeatures& test, const Context& context) {
  const LogisticFit fit = fit_logistic(training, is_class(training_classes, which), {}, context);
  std::vector<double> scores(test.rows);
  for (std::size_t row = 0; row < test.rows; ++row) {
    scores[row] = test.linear_part(row, fit.parameters);
  }
  return scores;
}

/// Of several classes the one with the largest score; classes that the training table lacks never.
std::vector<std::size_t> predict_likeliest(const SparseFeatures& training,
                                           const std::vector<std::size_t>& training_classes,
                                           const SparseFeatures& test, const Context& context) {
  const std::set<std::size_t> distinct(training_classes.begin(), training_classes.end());
  const std::vector<std::size_t> classes(distinct.begin(), distinct.end());
  std::vector<std::vector<double>> scores(classes.size());
  const std::size_t workers = std::min(context.threads, classes.size());
  run_workers(workers, [&](std::size_t worker) {
    for (std::size_t i = worker; i < classes.size(); i += workers) {
      scores[i] = scores_for(classes[i], training, training_classes, test, context);
    }
  });
  std::vector<std::size_t> predicted(test.rows);
  for (std::size_t row = 0; row < test.rows; ++row) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < classes.size(); ++i) {
      best = scores[i][row] > scores[best][row] ? i : best;
    }
    predicted[row] = classes[best];
  }
  return predicted;
}

}  // namespace

std::size_t class_column(const Encoder& encoder, const std::string& name) {
  std::vector<std::string> names;
  for (const Column& column : encoder.columns()) {
    names.push_back(column.name);
  }
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    refuse(ErrorCode::kInvalidArgument, fmt::format("the schema has no column '{}' to predict{}",
                                                    name, suggest_names(name, names)));
  }
  const auto column = static_cast<std::size_t>(found - names.begin());
  if (!encoder.columns()[column].is_category()) {
    refuse(ErrorCode::kInvalidArgument,
           fmt::format("the target '{}' is {} in the schema; a classifier predicts a categorical, "
                       "ordinal or boolean column",
                       name, kind_name(encoder.columns()[column].kind)));
  }
  return column;
}

ClassificationTarget classification_target(const Encoder& encoder, const std::string& name,
                                           const std::string& positive) {
  ClassificationTarget target;
  target.column = class_column(encoder, name);
  if (encoder.columns().size() < 2) {
    refuse(ErrorCode::kInvalidArgument,
           fmt::format("the schema has no column beside the target '{}'; a classifier needs at "
                       "least one to predict from",
                       name));
  }
  target.labels = encoder.columns()[target.column].labels();
  if (target.labels.size() < 2) {
    refuse(ErrorCode::kInvalidArgument,
           fmt::format("the target '{}' has one category in the schema; a classifier needs at "
                       "least two",
                       name));
  }
  if (positive.empty()) {
    return target;
  }
  if (!target.is_binary()) {
    refuse(ErrorCode::kInvalidArgument,
           fmt::format("the target '{}' has {} classes, but a positive class is for two; leave it "
                       "out",
                       name, target.labels.size()));
  }
  const auto label = std::find(target.labels.begin(), target.labels.end(), positive);
  if (label == target.labels.end()) {
    refuse(ErrorCode::kInvalidArgument,
           fmt::format("the target '{}' has no class '{}'{}", name, positive,
                       suggest_names(positive, target.labels)));
  }
  target.positive = static_cast<std::size_t>(label - target.labels.begin());
  return target;
}

ClassificationTarget decide_positive(ClassificationTarget target, const CodedTable& test) {
  std::vector<std::size_t> counts(target.labels.size(), 0);
  for (const std::size_t c : classes_of(target, test, rows_with_target(target, test))) {
    ++counts[c];
  }
  if (std::count_if(counts.begin(), counts.end(), [](std::size_t n) { return n > 0; }) < 2) {
    refuse(ErrorCode::kInvalidTable,
           "the target has fewer than two classes among the real records; give records of at "
           "least two");
  }
  if (target.is_binary() && !target.positive) {
    target.positive = counts[0] < counts[1] ? 0 : 1;
  }
  return target;
}

ClassificationScore classification_score(const Encoder& encoder, const ClassificationTarget& target,
                                         const CodedTable& training, const CodedTable& test,
                                         const ClassificationOptions& options,
                                         const Context& context) {
  MEHLER_ASSERT(target.positive.has_value() == target.is_binary());
  const std::vector<std::size_t> training_rows = rows_with_target(target, training);
  if (training_rows.empty()) {
    refuse(ErrorCode::kInvalidTable,
           fmt::format("the target '{}' is missing in every record of a table to train on",
                       encoder.columns()[target.column].name));
  }
  std::vector<std::size_t> sampled;
  for (const std::size_t i : sample_rows(training_rows.size(), options.max_rows, options.seed)) {
    sampled.push_back(training_rows[i]);
  }
  const std::vector<std::size_t> test_rows = rows_with_target(target, test);
  const std::vector<std::size_t> training_classes = classes_of(target, training, sampled);
  const std::vector<std::size_t> truth = classes_of(target, test, test_rows);
  const ClassificationFeatures features(encoder, target.column, training, sampled,
                                        options.max_features);
  const SparseFeatures training_features = features.of(training, sampled);
  const SparseFeatures test_features = features.of(test, test_rows);

  ClassificationScore score;
  score.training_rows = sampled.size();
  score.test_rows = truth.size();
  const bool is_single = std::count(training_classes.begin(), training_classes.end(),
                                    training_classes[0]) == std::ssize(training_classes);
  std::vector<std::size_t> predicted(truth.size(), training_classes[0]);
  if (target.positive) {
    std::vector<double> scores(truth.size(), 0.0);
    if (!is_single) {
      scores =
          scores_for(*target.positive, training_features, training_classes, test_features, context);
      for (std::size_t row = 0; row < scores.size(); ++row) {
        predicted[row] = scores[row] > 0.0 ? *target.positive : 1 - *target.positive;
      }
    }
    const std::vector<char> is_positive = is_class(truth, *target.positive);
    score.roc_auc = roc_auc(scores, is_positive);
    score.average_precision = average_precision(scores, is_positive);
  } else {
    if (!is_single) {
      predicted = predict_likeliest(training_features, training_classes, test_features, context);
    }
    score.weighted_f1 = weighted_f1(truth, predicted);
  }
  score.accuracy = accuracy(truth, predicted);
  return score;
}

}  // namespace mehler
