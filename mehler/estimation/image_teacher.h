#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/counts/image_vector.h"
#include "mehler/estimation/image_model.h"
#include "mehler/estimation/image_teacher_options.h"
#include "mehler/estimation/teacher.h"

namespace mehler {

/// Candidates with the class that each was drawn for.
struct LabelledImages {
  std::vector<std::uint8_t> pixels;    ///< [rows][bytes]
  std::vector<std::uint32_t> classes;  ///< of each row
};

/// Candidates of all classes in turn. Public randomness.
LabelledImages draw_labelled(const ImageModel& model, std::size_t rows, std::uint64_t seed,
                             const Context& context);

/// The features of a teacher: gradients of images, half whitened by what candidates look like.
std::shared_ptr<const ImageVector> teacher_features(const LabelledImages& candidates,
                                                    std::shared_ptr<const ImageScores> gradients,
                                                    const ImageTeacherOptions& options,
                                                    const Context& context);

/// Weights, [feature][class], that tell candidates' classes apart: where a teacher begins.
std::vector<double> start_weights(const LabelledImages& candidates, const ImageVector& features,
                                  std::size_t classes, const ImageTeacherOptions& options,
                                  std::uint64_t seed, const Context& context);

/// How much a budget of mu^2 can tell of so many records, of which so many are protected together.
double image_strength(double mu_squared, double records, double rows_of_unit);

/// What a teacher does with it: rounds, and the steps of so many rounds.
std::size_t image_teacher_rounds(double strength);
TeacherPlan image_teacher_plan(double strength, std::size_t rounds);

/// What a release's rounds have taught.
struct LearntImageTeacher {
  std::shared_ptr<const ImageVector> features;
  CountedColumn classes;
  std::vector<float> weights;  ///< [feature][class]

  /// Throws Error(kInvalidRelease) unless the release has the rounds of one classifier.
  static LearntImageTeacher of(const Release& release, double records);

  /// The class that each image, [rows][bytes], most looks like. A row depends on itself alone.
  std::vector<std::uint32_t> label(std::span<const std::uint8_t> pixels) const;
};

}  // namespace mehler
