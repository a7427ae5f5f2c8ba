#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mehler/counts/record_vector.h"
#include "mehler/release/release.h"

namespace mehler {

/// How a teacher learns: so many steps of momentum .8, the first of size `step`, the last of half
/// of it.
struct TeacherPlan {
  std::size_t rounds = 20;
  double step = 20.0;
};

/// A softmax regression that is learnt from noisy sums of gradients: steps with momentum, of which
/// the later ones' weights are averaged.
class Teacher {
 public:
  /// Begins at `start`, [dimension][classes], on the grid of parameters. `rows`: how many records a
  /// gradient is summed over, as far as is known.
  Teacher(std::vector<double> start, double rows, const TeacherPlan& plan = {});

  /// [dimension][classes], on the grid of parameters: those that the next gradient is taken at.
  const std::vector<double>& weights() const { return weights_; }

  /// One round.
  void step(std::span<const double> gradient_sum);

  /// The mean of the weights after each of the later rounds; all have been.
  std::vector<double> learnt() const;

 private:
  TeacherPlan plan_;
  double rows_;
  std::size_t rounds_ = 0;
  std::vector<double> weights_;
  std::vector<double> velocity_;
  std::vector<double> later_;
};

/// What a release's rounds have taught.
struct LearntTeacher {
  std::shared_ptr<const RecordVector> features;
  CountedColumn classes;
  std::vector<double> weights;  ///< [dimension of features][classes]
};

/// Nothing if the release has no teacher. Throws Error(kInvalidRelease) if its rounds are not those
/// of one.
std::optional<LearntTeacher> read_teacher(const Release& release, double rows);

/// For each class an offset, such that the rows whose largest logit, [row][class], after adding
/// them is that of a class are these shares of all, nearly.
std::vector<double> label_offsets(std::span<const double> logits, std::span<const double> shares);

/// The class of each row: the largest of its logits after adding the offsets.
std::vector<std::uint16_t> label_rows(std::span<const double> logits,
                                      std::span<const double> offsets);

/// The logits of one record by its vector: [dimension] times [dimension][classes].
void add_logits(std::span<const double> vector, std::span<const double> weights,
                std::span<double> logits);

}  // namespace mehler
