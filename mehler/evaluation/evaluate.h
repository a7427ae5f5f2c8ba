#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/evaluation/tables/coded_columns.h"
#include "mehler/table/record_stream.h"
#include "mehler/table/schema.h"

namespace mehler {

class Encoder;
struct EvaluationFigures;

/// A table in parts, and what messages call it: "the table 'people.csv'".
struct EvaluatedTable {
  std::string name;
  std::vector<RecordStreamFactory> parts;
};

/// Reads a table as an evaluation does: its used columns, as Schema::without_rules() has them, in
/// their order. Throws Error(kInvalidTable), Error(kCancelled).
///
/// Privacy: for evaluation, by the data's owner. What is computed from the result is covered by no
/// guarantee.
CodedTable read_for_evaluation(const Schema& schema, const EvaluatedTable& table,
                               const Context& context = {});

/// What to measure, and how.
struct EvaluationRequest {
  /// Bins of a column of numbers.
  std::size_t bins = 20;
  /// Sizes of the column subsets whose marginals are compared. Empty: 1, 2 and 3, as far as there
  /// are columns.
  std::vector<std::size_t> ways = {};
  /// The most subsets of each size; of more, a random sample.
  std::size_t max_subsets = 2'000;
  /// The seed of all samples.
  std::uint64_t seed = 1;
  /// Adds how well a classifier that was trained on the synthetic table predicts this column; empty
  /// for none. Of images it is the column of their classes; empty: the schema's target.
  std::string target = {};
  /// Where the target has two classes, the one that is looked for; empty: the rarer among the real
  /// records.
  std::string positive = {};
  /// Of images: whether classifiers are trained on them (a network and a regression), and for how
  /// many epochs; 1 to 1000.
  bool image_classifiers = true;
  std::size_t epochs = 10;
  static constexpr std::size_t kMostEpochs = 1000;
  /// Also keeps what a page draws: shares of both tables by column and by pair, and some synthetic
  /// images.
  bool keeps_drawn = false;
  /// Is told what is done next: "comparing".
  std::function<void(const std::string&)> on_part = {};

  /// Throws Error(kInvalidArgument) if it does not fit a schema; Error(kInvalidSchema) for one that
  /// is not declared in full.
  void validate(const Schema& schema) const;
};

/// Everything that was measured of a synthetic table beside real records. The report stage has it
/// in words and as JSON (report/evaluation_report.h).
class Evaluation {
 public:
  Evaluation(std::shared_ptr<const Encoder> encoder,
             std::shared_ptr<const EvaluationFigures> figures)
      : encoder_(std::move(encoder)), figures_(std::move(figures)) {}

  const Encoder& encoder() const { return *encoder_; }
  const EvaluationFigures& figures() const { return *figures_; }

 private:
  std::shared_ptr<const Encoder> encoder_;
  std::shared_ptr<const EvaluationFigures> figures_;
};

/// Compares a synthetic table with real records, best with records that were held out; and, where
/// `training` has parts, with those that it was made from. A privacy unit of the schema does not
/// matter here. Throws Error(kInvalidArgument), before a table is read, for a request that does not
/// fit the schema; Error(kInvalidTable), Error(kCancelled).
///
/// Privacy: reads real records without noise. No guarantee covers the figures; they are for the
/// owner of the real records.
Evaluation evaluate(const Schema& schema, const EvaluatedTable& real,
                    const EvaluatedTable& synthetic, const EvaluatedTable& training = {},
                    const EvaluationRequest& request = {}, const Context& context = {});

}  // namespace mehler
