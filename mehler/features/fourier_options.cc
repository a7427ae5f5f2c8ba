#include <fmt/format.h>

#include "mehler/features/embedding_options.h"
#include "mehler/features/hermite_features.h"
#include "mehler/features/random_fourier.h"

namespace mehler {

std::vector<Option> FourierOptions::list() {
  constexpr const char* kGroup = "random Fourier features";
  return {
      {"frequencies", "F",
       fmt::format("How many, each a cosine and a sine; default {}", kDefaultFrequencies), kGroup},
      {"fourier-length-scale", "L",
       fmt::format("Length scale of the kernel, where the declared bounds are -1 and 1; by "
                   "default {} times the root of how many numbers (or pixels) there are",
                   kLengthScalePerRoot),
       kGroup},
      {"fourier-seed", "S", "What they are drawn with; public. Default 1", kGroup}};
}

FourierOptions FourierOptions::parse(const OptionValues& values) {
  FourierOptions result;
  result.frequencies =
      values.count("frequencies", kDefaultFrequencies, 1, RandomFourierFeatures::kMaxFrequencies);
  if (values.has("fourier-length-scale")) {
    result.length_scale = values.number("fourier-length-scale", 0.0);
    require_length_scale(*result.length_scale, "");
  }
  result.seed = values.count("fourier-seed", result.seed, 0, INT64_MAX);
  return result;
}

}  // namespace mehler
