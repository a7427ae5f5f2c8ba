#include "mehler/images/diversify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/images/image_scale.h"
#include "mehler/simd/pixel_changes.h"

namespace mehler {
namespace {

constexpr double kFieldSigma = 4.0;
constexpr double kLargestOption = 4.0;

double blur_sigma_of(const ImageShape& shape) {
  validate_image_shape(shape);
  return kFieldSigma * image_scale(shape);
}

void validate_diversify_option(const char* name, double value) {
  if (!(value >= 0.0 && value <= kLargestOption)) {  // NaN fails too
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} must lie in [0, {}], but is {}; 0 switches it off", name,
                            kLargestOption, value));
  }
}

/// Independent numbers of mean 0 and variance 1, evenly spread: of a blurred field, which is the
/// sum of some hundred of them, nobody could tell that they are not normal. Four of a word.
void fill_even(SeededRandom& random, std::span<float> values) {
  constexpr float kUnit = 3.4641016F / 65536.0F;  // sqrt(12) for the whole range
  for (std::size_t first = 0; first < values.size(); first += 4) {
    std::uint64_t word = random.next_word();
    for (float& value : values.subspan(first, std::min<std::size_t>(4, values.size() - first))) {
      value = kUnit * (static_cast<float>(static_cast<std::int32_t>(word & 0xFFFF)) - 32767.5F);
      word >>= 16;
    }
  }
}

}  // namespace

Diversifier::Diversifier(const ImageShape& shape, const DiversifyOptions& options)
    : shape_(shape), options_(options), blur_(shape.rows, shape.columns, blur_sigma_of(shape)) {
  validate_diversify_option("elastic", options.elastic);
  validate_diversify_option("gamma", options.gamma);
  validate_diversify_option("brightness", options.brightness);
  unit_ = image_scale(shape) / blur_.noise_deviation();
}

void Diversifier::warp(std::span<const float> down, std::span<const float> across,
                       std::span<float> image) const {
  const std::size_t channels = shape_.channels;
  // Black around it: one pixel before, and two after for places at the far edge.
  const std::size_t width = (shape_.columns + 3) * channels;
  std::vector<float> padded((shape_.rows + 3) * width, 0.0F);
  for (std::size_t r = 0; r < shape_.rows; ++r) {
    std::copy_n(&image[r * shape_.columns * channels], shape_.columns * channels,
                &padded[(r + 1) * width + channels]);
  }
  warp_picture({padded.data(), shape_.rows, shape_.columns, channels}, down.data(), across.data(),
               image.data());
}

void Diversifier::apply(std::uint64_t seed, std::uint64_t number, std::span<float> image) const {
  MEHLER_ASSERT(image.size() == shape_.size());
  SeededRandom random = SeededRandom::of_piece(seed, number);
  const double distance = options_.elastic * random.uniform();
  const auto exponent =
      static_cast<float>(std::exp(options_.gamma * (2.0 * random.uniform() - 1.0)));
  const auto factor =
      static_cast<float>(std::exp(options_.brightness * (2.0 * random.uniform() - 1.0)));
  const std::size_t pixels = shape_.rows * shape_.columns;
  if (distance > 0.0) {
    std::vector<float> fields(2 * pixels);
    fill_even(random, fields);
    const auto down = std::span(fields).subspan(0, pixels);
    const auto across = std::span(fields).subspan(pixels, pixels);
    for (const auto field : {down, across}) {
      blur_.apply(field, field);
    }
    for (float& step : fields) {
      step *= static_cast<float>(distance * unit_);
    }
    warp(down, across, image);
  }
  if (options_.gamma > 0.0 || options_.brightness > 0.0) {
    raise_pixels(exponent, factor, image);
  }
}

}  // namespace mehler
