#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/tables/coded_table.h"

namespace mehler {

/// How well a logistic regression that was trained on one table predicts a column of another.
struct ClassificationScore {
  /// Targets of two classes: the area under the ROC curve, and the average precision.
  std::optional<double> roc_auc;
  std::optional<double> average_precision;
  /// Targets of more classes: the F1 score, weighted by the classes' shares.
  std::optional<double> weighted_f1;
  double accuracy = 0.0;
  /// Records that were trained on and tested on; those without a known target are left out.
  std::size_t training_rows = 0;
  std::size_t test_rows = 0;
};

/// What is predicted.
struct ClassificationTarget {
  std::size_t column = 0;  ///< among Encoder::columns()
  std::vector<std::string> labels;
  /// Where there are two classes, the one that is looked for.
  std::optional<std::size_t> positive;

  bool is_binary() const { return labels.size() == 2; }
};

struct ClassificationOptions {
  /// The most records to train on; of more, a random sample.
  std::size_t max_rows = 100'000;
  /// The most features. The labels that are rarest in the training table are left out first.
  std::size_t max_features = 1000;
  /// The seed of that sample.
  std::uint64_t seed = 1;
};

/// The column of that name, among Encoder::columns(), whose values are classes. Throws
/// Error(kInvalidArgument) if there is no such column, or if it holds numbers or images.
std::size_t class_column(const Encoder& encoder, const std::string& name);

/// Finds the target by its name, and the class to look for by its label (empty: not decided yet).
/// Throws Error(kInvalidArgument) if there is no such column, if it holds numbers, if it does not
/// have that label, and if there is no other column.
ClassificationTarget classification_target(const Encoder& encoder, const std::string& name,
                                           const std::string& positive);

/// Decides which of two classes is looked for, unless it is decided already: the rarer among the
/// records of `test`, or the second if they are equally frequent. Throws Error(kInvalidTable) if
/// these records have fewer than two classes.
ClassificationTarget decide_positive(ClassificationTarget target, const CodedTable& test);

/// Trains on one table, synthetic or real, and tests on records that it was not made from. The
/// regression is scikit-learn's with its defaults (ridge 1) on ClassificationFeatures; more than
/// two classes are each told from the rest, and the likeliest is predicted. A training table of a
/// single class predicts it always, and ranks no record above another. The class to look for must
/// be decided.
///
/// Throws Error(kInvalidTable) if no training record has a known target; Error(kCancelled).
///
/// Privacy: reads the records of both. The result is covered by no guarantee.
ClassificationScore classification_score(const Encoder& encoder, const ClassificationTarget& target,
                                         const CodedTable& training, const CodedTable& test,
                                         const ClassificationOptions& options,
                                         const Context& context);

}  // namespace mehler
