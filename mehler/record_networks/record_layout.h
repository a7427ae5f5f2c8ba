#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mehler/encoding/encoder.h"

namespace mehler {

/// Where a modelled column stands among the numbers that a network makes of a record, or takes of
/// one: a number has one, and a second one if it may be missing (whether it is there); a category
/// has one per code; an image has one per byte, planar, as the layers of networks have them:
/// [channels][rows][columns]. The label has none.
struct RecordPart {
  bool used = false;
  bool is_number = false;
  bool may_miss = false;
  std::size_t first = 0;
  std::size_t width = 0;
  std::optional<ImageShape> image = {};

  /// Calls work(byte, place) for every byte of the image and the place that it has.
  void for_bytes(const auto& work) const {
    if (image->channels == 1) {  // as a loop of its own, which compilers make vectors of
      for (std::size_t byte = 0; byte < width; ++byte) {
        work(byte, byte);
      }
      return;
    }
    const std::size_t pixels = image->rows * image->columns;
    for (std::size_t channel = 0; channel < image->channels; ++channel) {
      for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        work(pixel * image->channels + channel, channel * pixels + pixel);
      }
    }
  }
};

/// All columns of an encoder.
struct RecordLayout {
  explicit RecordLayout(const Encoder& encoder);

  std::vector<RecordPart> parts;  ///< in the order of the encoder's columns
  std::size_t size = 0;           ///< numbers of a record
};

}  // namespace mehler
