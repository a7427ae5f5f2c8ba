#include "mehler/features/random_fourier.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/features/hermite_features.h"

namespace mehler {
namespace {

void require_count(std::size_t count, std::string_view name, std::size_t largest,
                   std::string_view remedy) {
  if (count < 1 || count > largest) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("the number of {} of random Fourier features must lie in [1, {}], but is {}; "
                    "{}",
                    name, largest, count, remedy));
  }
}

}  // namespace

RandomFourierFeatures::RandomFourierFeatures(std::size_t inputs, std::size_t frequencies,
                                             double length_scale, std::uint64_t seed)
    : inputs_(inputs), frequencies_(frequencies), length_scale_(length_scale), seed_(seed) {
  require_count(inputs, "inputs", kMaxInputs, "give as many as a record has numbers");
  require_count(frequencies, "frequencies", kMaxFrequencies,
                "500 give the kernel to about one hundredth");
  require_length_scale(length_scale, "");
  if (frequencies > kMaxNumbers / inputs) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} frequencies of {} inputs are {} numbers, but at most {} are kept; "
                            "take fewer frequencies",
                            frequencies, inputs, frequencies * inputs, kMaxNumbers));
  }
  SeededRandom random(seed);
  weights_.resize(frequencies * inputs);
  for (double& weight : weights_) {
    weight = random.normal() / length_scale;
  }
}

void RandomFourierFeatures::evaluate(const double* x, double* out) const {
  const double share = 1.0 / std::sqrt(static_cast<double>(frequencies_));
  for (std::size_t j = 0; j < frequencies_; ++j) {
    const double* weights = &weights_[j * inputs_];
    double angle = 0.0;
    for (std::size_t i = 0; i < inputs_; ++i) {
      angle += weights[i] * x[i];
    }
    out[2 * j] = share * std::cos(angle);
    out[2 * j + 1] = share * std::sin(angle);
  }
}

}  // namespace mehler
