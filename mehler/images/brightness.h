#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mehler {

// Shares of red, green and blue in brightness (ITU-R BT.601, as JPEG has them).
constexpr double kRedShare = 0.299;
constexpr double kGreenShare = 0.587;
constexpr double kBlueShare = 0.114;

/// The brightness of each pixel in [0, 1]: its byte over 255, or that of red, green and blue by
/// their shares. 1 or 3 channels.
void brightness_of_bytes(std::span<const std::uint8_t> pixels, std::size_t channels,
                         std::span<double> brightness);

/// The same of an image in [0, 1].
void brightness_of_image(std::span<const float> image, std::size_t channels,
                         std::span<float> brightness);

/// Bytes over 255: an image in [0, 1].
void image_of_bytes(std::span<const std::uint8_t> pixels, std::span<float> image);

/// The nearest bytes of an image in [0, 1]; values outside are clamped, NaN is 0.
void bytes_of_image(std::span<const float> image, std::span<std::uint8_t> pixels);

}  // namespace mehler
