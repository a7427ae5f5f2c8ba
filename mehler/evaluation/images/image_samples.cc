#include "mehler/evaluation/images/image_samples.h"

#include <algorithm>

#include "mehler/encoding/encoder.h"

namespace mehler {
namespace {

void add_samples(const EvaluatedImages& images, const std::vector<std::size_t>& chosen,
                 const std::string& label, std::vector<ImageSamples>& samples) {
  if (chosen.empty()) {
    return;
  }
  ImageSamples& row = samples.emplace_back(ImageSamples{label, images.shape, {}});
  for (const std::size_t image : chosen) {
    const std::span<const std::uint8_t> pixels = images.image(image);
    row.pixels.insert(row.pixels.end(), pixels.begin(), pixels.end());
  }
}

}  // namespace

std::vector<ImageSamples> first_images(const EvaluatedImages& images,
                                       const std::vector<std::string>& labels) {
  std::vector<ImageSamples> samples;
  std::vector<std::vector<std::size_t>> by_class = images.by_class();
  if (images.class_count == 0) {
    std::vector<std::size_t>& all = by_class.front();
    for (std::size_t first = 0; first < std::min(all.size(), kSamplesOfClass * kSamplesOfClass);
         first += kSamplesOfClass) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
      const std::size_t count = std::min(kSamplesOfClass, all.size() - first);
      add_samples(images, {begin, begin + static_cast<std::ptrdiff_t>(count)}, "", samples);
    }
    return samples;
  }
  for (std::size_t c = 0; c < std::min(images.class_count, kMostSampledClasses); ++c) {
    by_class[c].resize(std::min(by_class[c].size(), kSamplesOfClass));
    add_samples(images, by_class[c], labels[c], samples);
  }
  return samples;
}

std::vector<ImageSamples> first_images(const Schema& schema, const EvaluatedTable& table,
                                       const Context& context) {
  const CodedTable records = read_for_evaluation(schema, table, context);
  EvaluatedImages images;
  images.shape = *schema.image()->shape;
  images.count = records.rows;
  images.pixels = records.pixels;
  const Column* label = schema.label();
  if (label == nullptr) {
    return first_images(images, {});
  }
  std::size_t place = 0;  // among the columns but that of images
  const Encoder encoder(schema.without_privacy_unit().without_rules());
  for (const Column& column : encoder.columns()) {
    if (column.name == label->name) {
      break;
    }
    place += column.is_image() ? 0 : 1;
  }
  images.classes = records.columns[place].codes;
  images.class_count = label->labels().size();
  return first_images(images, label->labels());
}

}  // namespace mehler
