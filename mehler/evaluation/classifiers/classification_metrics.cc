#include "mehler/evaluation/classifiers/classification_metrics.h"

#include <algorithm>
#include <numeric>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// Records of one score.
struct Tie {
  double positives = 0.0;
  double negatives = 0.0;
};

/// By falling score.
std::vector<Tie> ties_of(const std::vector<double>& scores, const std::vector<char>& is_positive) {
  MEHLER_ASSERT(scores.size() == is_positive.size());
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  std::vector<Tie> ties;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || scores[order[i]] != scores[order[i - 1]]) {
      ties.emplace_back();
    }
    (is_positive[order[i]] ? ties.back().positives : ties.back().negatives) += 1.0;
  }
  return ties;
}

}  // namespace

double roc_auc(const std::vector<double>& scores, const std::vector<char>& is_positive) {
  double positives_above = 0.0;
  double negatives = 0.0;
  double won = 0.0;
  for (const Tie& tie : ties_of(scores, is_positive)) {
    won += tie.negatives * (positives_above + 0.5 * tie.positives);
    positives_above += tie.positives;
    negatives += tie.negatives;
  }
  MEHLER_ASSERT(positives_above > 0.0 && negatives > 0.0);
  return won / (positives_above * negatives);
}

double average_precision(const std::vector<double>& scores, const std::vector<char>& is_positive) {
  double positives = 0.0;
  double all = 0.0;
  double sum = 0.0;
  for (const Tie& tie : ties_of(scores, is_positive)) {
    positives += tie.positives;
    all += tie.positives + tie.negatives;
    sum += tie.positives * positives / all;
  }
  MEHLER_ASSERT(positives > 0.0);
  return sum / positives;
}

double accuracy(const std::vector<std::size_t>& truth, const std::vector<std::size_t>& predicted) {
  MEHLER_ASSERT(truth.size() == predicted.size() && !truth.empty());
  std::size_t right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    right += truth[i] == predicted[i] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(truth.size());
}

double weighted_f1(const std::vector<std::size_t>& truth,
                   const std::vector<std::size_t>& predicted) {
  MEHLER_ASSERT(truth.size() == predicted.size() && !truth.empty());
  const std::size_t classes = 1 + std::max(*std::max_element(truth.begin(), truth.end()),
                                           *std::max_element(predicted.begin(), predicted.end()));
  std::vector<double> in_truth(classes, 0.0);
  std::vector<double> in_predicted(classes, 0.0);
  std::vector<double> in_both(classes, 0.0);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    in_truth[truth[i]] += 1.0;
    in_predicted[predicted[i]] += 1.0;
    in_both[truth[i]] += truth[i] == predicted[i] ? 1.0 : 0.0;
  }
  double sum = 0.0;
  for (std::size_t c = 0; c < classes; ++c) {
    if (in_truth[c] > 0.0) {
      sum += in_truth[c] * 2.0 * in_both[c] / (in_truth[c] + in_predicted[c]);
    }
  }
  return sum / static_cast<double>(truth.size());
}

}  // namespace mehler
