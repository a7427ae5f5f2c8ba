#include "mehler/images/image_codec.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/core/error.h"
#include "mehler/core/wiping.h"
#include "mehler/images/brightness.h"
#include "mehler/images/image_scale.h"
#include "mehler/simd/outline_pixels.h"

namespace mehler {
namespace {

constexpr std::size_t kLargestCodedSide = 48;
constexpr double kSilhouetteWeight = 0.5;
constexpr double kReferenceReach = 4.0;
constexpr double kShortestReach = 2.0;
constexpr double kBlack = 0.02;
constexpr double kLargest = std::numeric_limits<double>::max();
// They map the differences to [-1/2, 1/2].
constexpr double kBlueScale = 0.5 / (1.0 - kBlueShare);
constexpr double kRedScale = 0.5 / (1.0 - kRedShare);

/// Frequencies below numerator / denominator of a side are kept, in half waves a picture.
struct FrequencyLimit {
  std::size_t numerator;
  std::size_t denominator;
  std::size_t least_side;  // smaller sides count as this
};
constexpr FrequencyLimit kBrightnessLimit{6, 7, 28};
constexpr FrequencyLimit kSilhouetteLimit{1, 2, 1};
constexpr FrequencyLimit kColourLimit{3, 7, 28};

CosineTransform transform_of(const ImageShape& shape, const FrequencyLimit& limit) {
  const auto numerator = [&](std::size_t side) {
    return std::clamp(side, limit.least_side, kLargestCodedSide) * limit.numerator;
  };
  return CosineTransform(shape.rows, shape.columns, numerator(shape.rows), numerator(shape.columns),
                         limit.denominator);
}

}  // namespace

ImageCodec::ImageCodec(const ImageShape& shape) : shape_(shape) {
  validate_image_shape(shape);
  const double scale = image_scale(shape);
  outline_.reach = std::max(kReferenceReach * scale, kShortestReach);
  add_block(CodecBlock::kBrightness, transform_of(shape, kBrightnessLimit), 1.0 / scale);
  add_block(CodecBlock::kSilhouette, transform_of(shape, kSilhouetteLimit),
            kSilhouetteWeight / scale);
  if (shape.channels == 3) {
    add_block(CodecBlock::kBlue, transform_of(shape, kColourLimit), kBlueScale / scale);
    add_block(CodecBlock::kRed, transform_of(shape, kColourLimit), kRedScale / scale);
  }
}

void ImageCodec::add_block(CodecBlock block, const CosineTransform& transform, double factor) {
  starts_.push_back(coordinates_.size());
  for (const WaveNumbers& waves : transform.waves()) {
    coordinates_.push_back({block, waves});
    const auto frequency = static_cast<double>(coordinates_.back().frequency());
    weights_.push_back(factor * std::sqrt(1.0 + frequency / 4.0));
  }
  transforms_.push_back(transform);
}

void ImageCodec::encode(std::span<const std::uint8_t> pixels, std::span<double> code) const {
  MEHLER_ASSERT(pixels.size() == shape_.size() && code.size() == dimension());
  const std::size_t count = shape_.rows * shape_.columns;
  WipedVector<double> brightness(count);
  WipedVector<double> plane(count);
  brightness_of_bytes(pixels, shape_.channels, brightness);
  const auto transform = [&](CodecBlock block, std::span<const double> field) {
    const auto place = static_cast<std::size_t>(block);
    transforms_[place].forward(field,
                               code.subspan(starts_[place], transforms_[place].waves().size()));
  };
  transform(CodecBlock::kBrightness, brightness);
  signed_distances(brightness, shape_.rows, shape_.columns, outline_, plane);
  for (double& distance : plane) {
    distance /= outline_.reach;
  }
  transform(CodecBlock::kSilhouette, plane);
  if (shape_.channels == 3) {
    const auto difference = [&](CodecBlock block, std::size_t channel) {
      for (std::size_t i = 0; i < count; ++i) {
        plane[i] = static_cast<double>(pixels[3 * i + channel]) / 255.0 - brightness[i];
      }
      transform(block, plane);
    };
    difference(CodecBlock::kBlue, 2);
    difference(CodecBlock::kRed, 0);
  }
  for (std::size_t i = 0; i < code.size(); ++i) {
    code[i] *= weights_[i];
  }
}

void ImageCodec::decode(std::span<const double> code, std::span<float> image) const {
  MEHLER_ASSERT(code.size() == dimension() && image.size() == shape_.size());
  const std::size_t count = shape_.rows * shape_.columns;
  std::vector<double> transformed(dimension());
  for (std::size_t i = 0; i < dimension(); ++i) {
    const double value = code[i] / weights_[i];
    transformed[i] = std::fabs(value) <= kLargest ? value : 0.0;  // NaN fails the comparison
  }
  std::vector<double> planes(transforms_.size() * count);
  const auto plane = [&](CodecBlock block) {
    return std::span(planes).subspan(static_cast<std::size_t>(block) * count, count);
  };
  for (std::size_t block = 0; block < transforms_.size(); ++block) {
    const std::size_t size = transforms_[block].waves().size();
    transforms_[block].backward(std::span(transformed).subspan(starts_[block], size),
                                plane(static_cast<CodecBlock>(block)));
  }
  const auto brightness = plane(CodecBlock::kBrightness);
  const auto silhouette = plane(CodecBlock::kSilhouette);
  if (shape_.channels == 1) {
    show_inside(brightness, silhouette, outline_.reach, kBlack, image);
    return;
  }
  const auto red = plane(CodecBlock::kRed);
  const auto blue = plane(CodecBlock::kBlue);
  std::vector<double> green(count);
  for (std::size_t i = 0; i < count; ++i) {
    red[i] += brightness[i];
    blue[i] += brightness[i];
    green[i] = (brightness[i] - kRedShare * red[i] - kBlueShare * blue[i]) / kGreenShare;
  }
  std::vector<float> shown(count);
  std::size_t channel = 0;
  for (const std::span<const double> values : {red, std::span(green), blue}) {
    show_inside(values, silhouette, outline_.reach, kBlack, shown);
    for (std::size_t i = 0; i < count; ++i) {
      image[3 * i + channel] = shown[i];
    }
    ++channel;
  }
}

}  // namespace mehler
