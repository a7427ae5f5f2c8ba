#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/evaluation/images/feature_distance.h"
#include "mehler/evaluation/images/image_classifier.h"

namespace mehler {

/// What the images of a synthetic set were measured to be beside real ones.
struct ImageFigures {
  std::string column;
  ImageShape shape;
  /// The column of classes and its labels; empty if there is none.
  std::string target;
  std::vector<std::string> labels;
  /// Images of each class.
  std::vector<std::size_t> real_counts;
  std::vector<std::size_t> synthetic_counts;
  FeatureDistances features;
  /// The share of synthetic images that occur among the real ones, pixel for pixel.
  double exact_matches = 0.0;

  /// A classifier that was trained on the synthetic images and, where there are any, on the
  /// training images, and tested on the real ones.
  struct Classification {
    std::string layers;
    ImageClassifierScore synthetic;
    std::optional<ImageClassifierScore> training;
  };
  std::size_t epochs = 0;
  std::optional<Classification> network;
  std::optional<Classification> linear;
  /// Where there is no network: why.
  std::string no_network;
};

struct ImageEvaluationOptions {
  ImageTrainingOptions training;
  bool has_network = true;
};

/// Compares synthetic images with real ones, of one shape and the same classes; `training` may be
/// null. `begin` is told what is done next. The figures' names, labels and shape are filled in
/// already. Throws Error(kInvalidTable) where no image of a set has a class but classes are there;
/// Error(kCancelled).
///
/// Privacy: reads real images without noise. No guarantee covers the result.
void evaluate_images(const EvaluatedImages& real, const EvaluatedImages& synthetic,
                     const EvaluatedImages* training, const ImageEvaluationOptions& options,
                     const std::function<void(const std::string&)>& begin, const Context& context,
                     ImageFigures& figures);

}  // namespace mehler
