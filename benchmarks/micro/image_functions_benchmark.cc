// Codes, decodes, describes and diversifies images on one thread and says how long each took.
//
//   image_functions_benchmark PIXELS IMAGES ROWS COLUMNS CHANNELS REPEATS RESULTS
//
// PIXELS: uint8, [IMAGES][ROWS][COLUMNS][CHANNELS]. RESULTS receives of every image float64 codes,
// then float32 decoded images, then features, then diversified images. Prints {"encode": seconds,
// best of REPEATS, "distances": ..., "decode": ..., "features": ..., "diversify": ..., "dimension":
// of a code, "feature_dimension": ...}.

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "benchmarks/micro/measure.h"
#include "mehler/core/matrix.h"
#include "mehler/images/brightness.h"
#include "mehler/images/diversify.h"
#include "mehler/images/gradient_features.h"
#include "mehler/images/image_codec.h"

namespace mehler {
namespace {

void run(char** arguments) {
  const auto images = std::strtoull(arguments[2], nullptr, 10);
  const ImageShape shape{std::strtoull(arguments[3], nullptr, 10),
                         std::strtoull(arguments[4], nullptr, 10),
                         std::strtoull(arguments[5], nullptr, 10)};
  const auto repeats = std::strtoull(arguments[6], nullptr, 10);
  std::vector<std::uint8_t> pixels(images * shape.size());
  read_raw<std::uint8_t>(arguments[1], pixels);
  const auto pixels_of = [&](std::size_t i) {
    return std::span<const std::uint8_t>(&pixels[i * shape.size()], shape.size());
  };
  const auto time_of = [&](const auto& one) {
    return shortest_seconds(repeats, [&] {
      for (std::size_t i = 0; i < images; ++i) {
        one(i);
      }
    });
  };

  const ImageCodec codec(shape);
  std::vector<double> codes(images * codec.dimension());
  const auto code_of = [&](std::size_t i) {
    return std::span(&codes[i * codec.dimension()], codec.dimension());
  };
  const double encode = time_of([&](std::size_t i) { codec.encode(pixels_of(i), code_of(i)); });

  const std::size_t plane = shape.rows * shape.columns;
  std::vector<double> brightness(plane);
  std::vector<double> field(plane);
  const double distances = time_of([&](std::size_t i) {
    brightness_of_bytes(pixels_of(i), shape.channels, brightness);
    signed_distances(brightness, shape.rows, shape.columns, {}, field);
  });

  Matrix decoded(images, shape.size());
  const double decode = time_of([&](std::size_t i) { codec.decode(code_of(i), decoded.row(i)); });

  const GradientFeatures features(shape);
  Matrix described(images, features.dimension());
  std::vector<float> image(shape.size());
  const double describe = time_of([&](std::size_t i) {
    image_of_bytes(pixels_of(i), image);
    features.compute(image, described.row(i));
  });

  const Diversifier diversifier(shape);
  Matrix diversified(images, shape.size());
  const double diversify = time_of([&](std::size_t i) {
    image_of_bytes(pixels_of(i), diversified.row(i));
    diversifier.apply(1, i, diversified.row(i));
  });

  append_raw<double>(arguments[7], codes);
  append_raw<float>(arguments[7], decoded.values);
  append_raw<float>(arguments[7], described.values);
  append_raw<float>(arguments[7], diversified.values);
  fmt::print(
      "{{\"encode\": {}, \"distances\": {}, \"decode\": {}, \"features\": {}, \"diversify\": {}, "
      "\"dimension\": {}, \"feature_dimension\": {}}}\n",
      encode, distances, decode, describe, diversify, codec.dimension(), features.dimension());
}

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) { return mehler::run_with_arguments(argc, argv, 7, mehler::run); }
