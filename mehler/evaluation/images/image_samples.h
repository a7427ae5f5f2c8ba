#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mehler/evaluation/evaluate.h"
#include "mehler/evaluation/images/evaluated_images.h"

namespace mehler {

/// Images of one class of a set, to look at.
struct ImageSamples {
  std::string label;  ///< empty where there are no classes
  ImageShape shape;
  std::vector<std::uint8_t> pixels;  ///< [images][shape.size()]
};

/// How many images of a class are shown, and of how many classes at most.
inline constexpr std::size_t kSamplesOfClass = 10;
inline constexpr std::size_t kMostSampledClasses = 100;

/// The first images of each class, in the order of `labels`, which has one for each; where there
/// are no classes, the first hundred, in ten rows. Classes without images are left out.
std::vector<ImageSamples> first_images(const EvaluatedImages& images,
                                       const std::vector<std::string>& labels);

/// The same of a table that is read for it. The schema has a column of images. Throws as
/// read_for_evaluation() does.
std::vector<ImageSamples> first_images(const Schema& schema, const EvaluatedTable& table,
                                       const Context& context);

}  // namespace mehler
