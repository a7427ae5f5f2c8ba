#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mehler/estimation/coded_rows.h"
#include "mehler/estimation/marginal_estimates.h"
#include "mehler/estimation/teacher.h"

namespace mehler {

/// Labels rows of a table of codes by what a release's teacher has learnt: the class of the largest
/// logit, after offsets that give the classes their released shares. Immutable and thread-safe.
class TeacherLabels {
 public:
  /// Nothing if the release has no teacher. `columns` and `cells` are what codes mean; the offsets
  /// are fitted to `rows`. Throws Error(kInvalidRelease) for a teacher of other classes.
  static std::optional<TeacherLabels> of(
      const Release& release, std::span<const ColumnEstimate> columns,
      std::span<const std::shared_ptr<const ColumnPartition>> cells, const CodedRows& rows);

  /// The column whose codes are labels.
  std::size_t target() const { return teacher_.classes.column; }

  /// Replaces the labels.
  void label(CodedRows& rows) const;

 private:
  TeacherLabels(LearntTeacher teacher, std::span<const ColumnEstimate> columns,
                std::span<const std::shared_ptr<const ColumnPartition>> cells);

  std::vector<double> logits(const CodedRows& rows) const;

  LearntTeacher teacher_;
  /// Of each scored column, the mean score of each of its cells.
  std::vector<std::vector<double>> scores_;
  std::vector<double> offsets_;
};

}  // namespace mehler
