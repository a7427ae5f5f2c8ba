#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mehler/core/image_shape.h"

namespace mehler {

/// The images of a table in memory, and the class of each. A view.
struct EvaluatedImages {
  ImageShape shape;
  std::size_t count = 0;
  std::span<const std::uint8_t> pixels;  ///< [count][shape.size()]
  /// One per image: its class, or `class_count` and more where it has none. Empty: there are no
  /// classes.
  std::span<const std::uint16_t> classes;
  std::size_t class_count = 0;

  std::span<const std::uint8_t> image(std::size_t i) const {
    return pixels.subspan(i * shape.size(), shape.size());
  }
  /// `class_count` for none.
  std::size_t class_of(std::size_t i) const {
    return classes.empty() || classes[i] >= class_count ? class_count : classes[i];
  }
  /// The images of each class, and after them those of none; rising.
  std::vector<std::vector<std::size_t>> by_class() const {
    std::vector<std::vector<std::size_t>> result(class_count + 1);
    for (std::size_t i = 0; i < count; ++i) {
      result[class_of(i)].push_back(i);
    }
    return result;
  }
};

}  // namespace mehler
