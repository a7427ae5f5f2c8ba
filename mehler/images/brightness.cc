#include "mehler/images/brightness.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"

namespace mehler {
namespace {

double mixed(double red, double green, double blue) {
  return kRedShare * red + kGreenShare * green + kBlueShare * blue;
}

}  // namespace

void brightness_of_bytes(std::span<const std::uint8_t> pixels, std::size_t channels,
                         std::span<double> brightness) {
  MEHLER_ASSERT(pixels.size() == channels * brightness.size());
  for (std::size_t i = 0; i < brightness.size(); ++i) {
    const double value =
        channels == 1 ? pixels[i] : mixed(pixels[3 * i], pixels[3 * i + 1], pixels[3 * i + 2]);
    brightness[i] = value / 255.0;
  }
}

void brightness_of_image(std::span<const float> image, std::size_t channels,
                         std::span<float> brightness) {
  MEHLER_ASSERT(image.size() == channels * brightness.size());
  if (channels == 1) {
    std::copy(image.begin(), image.end(), brightness.begin());
    return;
  }
  for (std::size_t i = 0; i < brightness.size(); ++i) {
    brightness[i] = static_cast<float>(mixed(image[3 * i], image[3 * i + 1], image[3 * i + 2]));
  }
}

void image_of_bytes(std::span<const std::uint8_t> pixels, std::span<float> image) {
  MEHLER_ASSERT(pixels.size() == image.size());
  for (std::size_t i = 0; i < image.size(); ++i) {
    image[i] = static_cast<float>(pixels[i]) / 255.0F;
  }
}

void bytes_of_image(std::span<const float> image, std::span<std::uint8_t> pixels) {
  MEHLER_ASSERT(pixels.size() == image.size());
  for (std::size_t i = 0; i < image.size(); ++i) {
    const float not_negative = image[i] > 0.0F ? image[i] : 0.0F;  // NaN fails the comparison
    const float value = 255.0F * (not_negative < 1.0F ? not_negative : 1.0F);
    // The nearest, halves up: a call for each pixel would cost more than all that is done to it.
    const auto below = static_cast<std::int32_t>(value);
    const float rest = value - static_cast<float>(below);
    pixels[i] = static_cast<std::uint8_t>(below + (rest >= 0.5F ? 1 : 0));
  }
}

}  // namespace mehler
