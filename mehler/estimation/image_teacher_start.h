#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/counts/image_vector.h"
#include "mehler/estimation/image_model.h"
#include "mehler/estimation/image_teacher_options.h"

namespace mehler {

/// Of public randomness: the same for every table.
struct ImageTeacherSeeds {
  std::uint64_t candidates = 0;
  std::uint64_t start = 0;
};

/// What a teacher begins with, before it sees a private image.
struct ImageTeacherStart {
  /// Gradients of images, half whitened by what candidates look like.
  std::shared_ptr<const ImageVector> features;
  /// [feature][class]; tell the classes that candidates were drawn for apart.
  std::vector<double> weights;
};

/// Draws so many candidates of all classes in turn from the model and learns from them. The same
/// for any number of threads. Memory: 2 bytes for each feature of each candidate.
ImageTeacherStart start_image_teacher(const ImageModel& model, std::size_t rows,
                                      std::shared_ptr<const ImageScores> gradients,
                                      const ImageTeacherOptions& options,
                                      const ImageTeacherSeeds& seeds, const Context& context);

}  // namespace mehler
