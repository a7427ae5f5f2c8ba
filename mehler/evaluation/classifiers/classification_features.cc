#include "mehler/evaluation/classifiers/classification_features.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mehler {

double ClassificationFeatures::ColumnFeatures::number_at(const CodedColumn& from,
                                                         std::size_t row) const {
  if (labels == 0) {
    return std::clamp(from.numbers[row], bounds.low, bounds.high);  // NaN stays NaN
  }
  const std::size_t rank = label_at(from, row);
  return rank < labels ? static_cast<double>(rank) : std::numeric_limits<double>::quiet_NaN();
}

std::size_t ClassificationFeatures::ColumnFeatures::label_at(const CodedColumn& from,
                                                             std::size_t row) const {
  return std::min<std::size_t>(from.codes[row], labels);
}

ClassificationFeatures::ClassificationFeatures(const Encoder& encoder, std::size_t target,
                                               const CodedTable& training,
                                               const std::vector<std::size_t>& rows,
                                               std::size_t max_features) {
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    if (i != target) {
      const Column& column = encoder.columns()[i];
      ColumnFeatures features;
      features.column = i;
      features.is_number = column.is_number() || column.kind == ColumnKind::kOrdinal;
      if (column.is_number()) {
        features.bounds = *column.bounds;
      } else {
        features.labels = column.labels().size();
      }
      features.label_parameters.assign(features.is_number ? 1 : features.labels + 1, 0);
      columns_.push_back(std::move(features));
    }
  }
  std::vector<Candidate> candidates;
  for (ColumnFeatures& features : columns_) {
    learn(features, training.columns[features.column], rows, candidates);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.count > b.count; });
  for (const Candidate& candidate : candidates) {
    if (count() < max_features) {
      *candidate.parameter = static_cast<std::uint32_t>(parameters_++);
    }
  }
}

void ClassificationFeatures::learn(ColumnFeatures& features, const CodedColumn& from,
                                   const std::vector<std::size_t>& rows,
                                   std::vector<Candidate>& candidates) {
  std::vector<std::size_t> counts(features.label_parameters.size(), 0);
  if (features.is_number) {
    learn_number(features, from, rows);
    counts[0] =
        static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](std::size_t row) {
          return std::isnan(features.number_at(from, row));
        }));
  } else {
    for (const std::size_t row : rows) {
      ++counts[features.label_at(from, row)];
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0 && counts[i] < rows.size()) {
      candidates.push_back({counts[i], &features.label_parameters[i]});
    }
  }
}

void ClassificationFeatures::learn_number(ColumnFeatures& features, const CodedColumn& from,
                                          const std::vector<std::size_t>& rows) {
  double sum = 0.0;
  double present = 0.0;
  Interval range{HUGE_VAL, -HUGE_VAL};
  for (const std::size_t row : rows) {
    const double number = features.number_at(from, row);
    if (!std::isnan(number)) {
      sum += number;
      present += 1.0;
      range = {std::min(range.low, number), std::max(range.high, number)};
    }
  }
  if (!(range.low < range.high)) {
    return;  // constant, or nothing there
  }
  features.mean = sum / present;
  double squares = 0.0;
  for (const std::size_t row : rows) {
    const double number = features.number_at(from, row);
    if (!std::isnan(number)) {
      squares += (number - features.mean) * (number - features.mean);
    }
  }
  features.per_deviation = 1.0 / std::sqrt(squares / present);
  features.number_parameter = static_cast<std::uint32_t>(parameters_++);
}

SparseFeatures ClassificationFeatures::of(const CodedTable& table,
                                          const std::vector<std::size_t>& rows) const {
  SparseFeatures result;
  result.rows = rows.size();
  result.width = columns_.size();
  result.parameters = parameters_;
  result.active.reserve(rows.size() * result.width);
  result.values.reserve(rows.size() * result.width);
  for (const std::size_t row : rows) {
    for (const ColumnFeatures& features : columns_) {
      const CodedColumn& from = table.columns[features.column];
      const double number = features.is_number ? features.number_at(from, row) : 0.0;
      if (features.is_number && !std::isnan(number)) {
        result.active.push_back(features.number_parameter);
        result.values.push_back((number - features.mean) * features.per_deviation);
      } else {
        const std::size_t label = features.is_number ? 0 : features.label_at(from, row);
        result.active.push_back(features.label_parameters[label]);
        result.values.push_back(1.0);
      }
    }
  }
  return result;
}

}  // namespace mehler
