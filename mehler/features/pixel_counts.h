#pragma once

#include <cstddef>
#include <cstdint>

#include "mehler/core/wiping.h"
#include "mehler/encoding/pixel_numbers.h"

namespace mehler {

/// How often each byte stands in each place of images: sums over images of a function of each byte
/// follow from it, with one evaluation for each of the 256 bytes. Wiped when it is destroyed, as
/// the images may be private.
class PixelCounts {
 public:
  /// `places`: bytes of an image. Fewer than 2^32 images are added before they are taken.
  explicit PixelCounts(std::size_t places) : counts_(places * kPixelValues, 0) {}

  void add(const std::uint8_t* image) {
    for (std::size_t place = 0; place * kPixelValues < counts_.size(); ++place) {
      ++counts_[place * kPixelValues + image[place]];
    }
  }

  /// Calls work(place, byte, count) for every count above 0, which is 0 then.
  void take(const auto& work) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] > 0) {
        work(i / kPixelValues, i % kPixelValues, counts_[i]);
        counts_[i] = 0;
      }
    }
  }

 private:
  WipedVector<std::uint32_t> counts_;
};

}  // namespace mehler
