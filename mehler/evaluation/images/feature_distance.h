#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/evaluation/images/evaluated_images.h"

namespace mehler {

/// How far apart the features of two sets of images are on average: the squared Euclidean distance
/// between the means of the public features of images (images/gradient_features.h), whose length is
/// 1, so at most 4. Means only: it sees what images are like on average, not how they vary.
struct FeatureDistance {
  /// Nothing where one of the sets is empty.
  std::optional<double> distance;
  /// The same between two random halves of the real images, which chance alone keeps apart; nothing
  /// where a half is empty.
  std::optional<double> floor;
};

struct FeatureDistances {
  std::size_t features = 0;  ///< numbers of an image
  FeatureDistance total;     ///< of all images, with a class or without
  std::vector<FeatureDistance> by_class;
};

/// Both sets have one shape and the same classes; `seed` is that of the halves. The result does not
/// depend on the number of threads. Throws Error(kCancelled).
///
/// Privacy: reads the images of both. The result is covered by no guarantee.
FeatureDistances compare_features(const EvaluatedImages& real, const EvaluatedImages& synthetic,
                                  std::uint64_t seed, const Context& context);

}  // namespace mehler
