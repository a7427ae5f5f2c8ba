#include "mehler/generator/fitted_table/teacher_labels.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/release/marginal_measurements.h"

namespace mehler {
namespace {

/// Leaves at which either division begins a new cell.
std::vector<std::uint32_t> common_starts(const ColumnPartition& a, const ColumnPartition& b) {
  std::vector<std::uint32_t> starts;
  std::set_union(a.starts().begin(), a.starts().end(), b.starts().begin(), b.starts().end(),
                 std::back_inserter(starts));
  return starts;
}

/// The mean score of the records in each of a column's cells.
std::vector<double> mean_scores(const ScoreTables::OfColumn& table, const ColumnEstimate& column,
                                const ColumnPartition& cells) {
  std::vector<double> sums(cells.size(), 0.0);
  std::vector<double> weights(cells.size(), 0.0);
  const auto add = [&](std::uint32_t leaf, double count) {
    // A cell without records has the mean of all its scores.
    const double weight = std::max(count, 0.0) + 1e-9;
    const std::size_t cell = cells.cell_of(leaf);
    sums[cell] +=
        weight * std::ldexp(table.scores[table.counted.cells->cell_of(leaf)], -kScoreExponent);
    weights[cell] += weight;
  };
  const std::size_t values = cells.leaves().value_leaves();
  if (column.values) {
    const std::vector<std::uint32_t> starts = common_starts(*table.counted.cells, cells);
    const std::vector<double> counts = column.values->counts_of(starts);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      add(starts[i], counts[i]);
    }
  } else {
    for (std::size_t code = 0; code < values; ++code) {
      add(static_cast<std::uint32_t>(code), column.counts[code]);
    }
  }
  if (cells.column().missing) {
    add(static_cast<std::uint32_t>(values), 1.0);
  }
  for (std::size_t cell = 0; cell < sums.size(); ++cell) {
    sums[cell] /= weights[cell];
  }
  return sums;
}

}  // namespace

TeacherLabels::TeacherLabels(LearntTeacher teacher, std::span<const ColumnEstimate> columns,
                             std::span<const std::shared_ptr<const ColumnPartition>> cells)
    : teacher_(std::move(teacher)) {
  for (const ScoreTables::OfColumn& table : teacher_.features->scores->columns) {
    const std::size_t column = table.counted.column;
    scores_.push_back(mean_scores(table, columns[column], *cells[column]));
  }
}

std::optional<TeacherLabels> TeacherLabels::of(
    const Release& release, std::span<const ColumnEstimate> columns,
    std::span<const std::shared_ptr<const ColumnPartition>> cells, const CodedRows& rows) {
  std::optional<LearntTeacher> teacher =
      read_teacher(release, MarginalMeasurements(release).rows());
  if (!teacher) {
    return std::nullopt;
  }
  const std::size_t target = teacher->classes.column;
  const std::vector<double>& counts = columns[target].counts;
  if (cells[target]->size() != teacher->classes.cells->size() ||
      counts.size() != cells[target]->size()) {
    throw Error(ErrorCode::kInvalidRelease,
                "the release's teacher knows other classes than its target has");
  }
  double all = 0.0;
  for (const double count : counts) {
    all += count;
  }
  std::vector<double> shares;
  for (const double count : counts) {
    shares.push_back(all > 0.0 ? count / all : 1.0 / static_cast<double>(counts.size()));
  }
  TeacherLabels labels(std::move(*teacher), columns, cells);
  labels.offsets_ = label_offsets(labels.logits(rows), shares);
  return labels;
}

std::vector<double> TeacherLabels::logits(const CodedRows& rows) const {
  const std::size_t classes = teacher_.classes.cells->size();
  const ScoreTables& tables = *teacher_.features->scores;
  std::vector<double> result(rows.rows * classes, 0.0);
  std::vector<double> scores(tables.size());
  std::vector<double> features(teacher_.features->dimension());
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const auto row = rows.row(r);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = scores_[i][row[tables.columns[i].counted.column]];
    }
    teacher_.features->evaluate(scores.data(), features.data());
    add_logits(features, teacher_.weights, std::span(result).subspan(r * classes, classes));
  }
  return result;
}

void TeacherLabels::label(CodedRows& rows) const {
  const std::vector<std::uint16_t> labels = label_rows(logits(rows), offsets_);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    rows.row(r)[target()] = labels[r];
  }
}

}  // namespace mehler
