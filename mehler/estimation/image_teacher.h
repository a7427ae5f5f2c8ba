#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mehler/counts/image_vector.h"
#include "mehler/estimation/teacher.h"

namespace mehler {

/// How much a budget of mu^2 can tell of so many records, of which so many are protected together.
double image_strength(double mu_squared, double records, double rows_of_unit);

/// What a teacher does with it: rounds, and the steps of so many rounds.
std::size_t image_teacher_rounds(double strength);
TeacherPlan image_teacher_plan(double strength, std::size_t rounds);

/// What a release's rounds have taught.
class LearntImageTeacher {
 public:
  /// Throws Error(kInvalidRelease) unless the release has the rounds of one classifier of half
  /// whitened features.
  static LearntImageTeacher of(const Release& release, double records);

  const ImageVector& features() const { return *features_; }
  const CountedColumn& classes() const { return classes_; }

  /// The class that each image, [rows][bytes], most looks like. A row depends on itself alone.
  std::vector<std::uint32_t> label(std::span<const std::uint8_t> pixels) const;

 private:
  /// weights: [feature][class].
  LearntImageTeacher(std::shared_ptr<const ImageVector> features, CountedColumn classes,
                     std::span<const double> weights);

  std::shared_ptr<const ImageVector> features_;
  CountedColumn classes_;
  std::vector<float> centre_;         ///< of the scores
  std::vector<float> along_;          ///< directions, then weights of classes, [..][scores]
  std::vector<float> of_directions_;  ///< [direction][class], what each adds to a class
  std::vector<double> constants_;     ///< of each class
};

}  // namespace mehler
