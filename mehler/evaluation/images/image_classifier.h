#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/image_shape.h"
#include "mehler/evaluation/images/evaluated_images.h"
#include "mehler/networks/layers.h"

namespace mehler {

/// The smallest side of an image that the network takes: it halves both sides twice.
inline constexpr std::size_t kSmallestNetworkSide = 4;

/// A classifier of images: layers from pixels to a score for each class, and what they are in
/// words.
struct ImageClassifier {
  std::vector<Layer> layers;
  std::string words;
};

/// Two convolutions and two dense layers:
///
///   convolution 3 x 3 to 32 channels, the largest of 2 x 2 pixels, ReLU,
///   convolution 3 x 3 to 64 channels, the largest of 2 x 2 pixels, ReLU,
///   dense to 128, ReLU, dense to the classes.
///
/// Both sides are at least kSmallestNetworkSide pixels.
ImageClassifier image_network(const ImageShape& shape, std::size_t classes);

/// One dense layer from the pixels to the classes: a softmax regression.
ImageClassifier linear_image_classifier(const ImageShape& shape, std::size_t classes);

struct ImageTrainingOptions {
  std::size_t epochs = 10;
  /// Of the starting weights and of the order of images.
  std::uint64_t seed = 1;
};

/// How well a classifier that was trained on one set of images tells the classes of another.
struct ImageClassifierScore {
  double accuracy = 0.0;
  /// The share of each class's images that were told; nothing for a class without images.
  std::vector<std::optional<double>> by_class;
  /// Images with a class.
  std::size_t trained_on = 0;
  std::size_t tested_on = 0;
};

/// Trains on one set and tests on another, of one shape and the same classes. Fixed beforehand,
/// whatever the images are: so many epochs, each in a new random order and in batches of 512 (of
/// fewer than 25,600 images a 50th of them, but at least 8); the softmax cross-entropy; Adam, whose
/// rate rises to 0.002 over the first fifth of the steps and falls to nothing over the rest, along
/// cosines. Pixels are divided by 255. What the last step leaves is tested; nothing is chosen by
/// looking at the test images.
///
/// The result depends on the images and the seed, not on the number of threads. Throws
/// Error(kInvalidTable) if a set has no image with a class; Error(kCancelled).
///
/// Privacy: reads the images of both. The result is covered by no guarantee.
ImageClassifierScore train_and_test(const ImageClassifier& classifier,
                                    const EvaluatedImages& training, const EvaluatedImages& test,
                                    const ImageTrainingOptions& options, const Context& context);

}  // namespace mehler
