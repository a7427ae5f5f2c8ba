#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/interval.h"
#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/classifiers/logistic_regression.h"
#include "mehler/evaluation/tables/coded_table.h"

namespace mehler {

/// The features that a classifier sees of a record, the target's column left out. Which there are,
/// and how numbers are scaled, is learnt from a training table.
///
/// A categorical or boolean column has a 0/1 feature for each label and one for missing. A number,
/// clamped to its bounds, and the rank of an ordinal label are standardised; where missing they are
/// the mean, and a 0/1 feature says so. A value that the schema does not know is missing. What is
/// constant in the training table is left out. The same features as the Python package's.
class ClassificationFeatures {
 public:
  /// `rows` of `training` are learnt from. At most `max_features`; the rarest labels are left out
  /// first.
  ClassificationFeatures(const Encoder& encoder, std::size_t target, const CodedTable& training,
                         const std::vector<std::size_t>& rows, std::size_t max_features);

  std::size_t count() const { return parameters_ - 1; }
  SparseFeatures of(const CodedTable& table, const std::vector<std::size_t>& rows) const;

 private:
  struct ColumnFeatures {
    std::size_t column = 0;
    bool is_number = false;  ///< or a rank
    Interval bounds;         ///< of numbers
    std::size_t labels = 0;  ///< of the others
    /// Numbers and ranks: what the training table has.
    double mean = 0.0;
    double per_deviation = 0.0;
    std::uint32_t number_parameter = 0;
    /// By label, the last for missing (numbers and ranks have that one alone). 0: no feature.
    std::vector<std::uint32_t> label_parameters;

    /// NaN where missing.
    double number_at(const CodedColumn& from, std::size_t row) const;
    /// A missing label is the one after the last.
    std::size_t label_at(const CodedColumn& from, std::size_t row) const;
  };
  /// A 0/1 feature that might be: how often it is 1.
  struct Candidate {
    std::size_t count = 0;
    std::uint32_t* parameter = nullptr;
  };

  void learn(ColumnFeatures& features, const CodedColumn& from,
             const std::vector<std::size_t>& rows, std::vector<Candidate>& candidates);
  void learn_number(ColumnFeatures& features, const CodedColumn& from,
                    const std::vector<std::size_t>& rows);

  std::size_t parameters_ = 1;
  std::vector<ColumnFeatures> columns_;
};

}  // namespace mehler
