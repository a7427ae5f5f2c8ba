#pragma once

#include <cstddef>
#include <vector>

namespace mehler {

/// The chance that a positive record has a larger score than a negative one, ties counting half:
/// the area under the ROC curve. There must be records of both kinds; scores are not NaN.
double roc_auc(const std::vector<double>& scores, const std::vector<char>& is_positive);

/// The sum over falling thresholds of precision times the gain in recall; records of one score are
/// one threshold. A ranking by chance has the share of positive records. There must be positive
/// records; scores are not NaN.
double average_precision(const std::vector<double>& scores, const std::vector<char>& is_positive);

/// The share of records whose class was predicted.
double accuracy(const std::vector<std::size_t>& truth, const std::vector<std::size_t>& predicted);

/// The F1 scores 2 TP / (2 TP + FP + FN) of the classes, weighted by their share of the truth.
double weighted_f1(const std::vector<std::size_t>& truth,
                   const std::vector<std::size_t>& predicted);

}  // namespace mehler
