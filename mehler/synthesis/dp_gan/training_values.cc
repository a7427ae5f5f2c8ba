#include "mehler/synthesis/dp_gan/training_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"

namespace mehler {

std::optional<double> TrainingValues::positive_number(const OptionValues& values,
                                                      const std::string& name, double largest,
                                                      const std::string& remedy) {
  if (!values.has(name)) {
    return std::nullopt;
  }
  const double value = values.number(name, 0.0);
  if (!(value > 0.0 && value <= largest)) {  // written so that NaN fails too
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} must be greater than 0 and at most {:g}, but is {}; {}",
                            option_words(name), largest, value, remedy));
  }
  return value;
}

std::optional<std::uint64_t> TrainingValues::count(const OptionValues& values,
                                                   const std::string& name, std::uint64_t largest) {
  return values.has(name) ? std::optional(values.count(name, 1, 1, largest)) : std::nullopt;
}

std::vector<std::size_t> TrainingValues::widths(const OptionValues& values,
                                                const std::string& name) {
  std::vector<std::size_t> result;
  if (!values.has(name)) {
    return result;
  }
  const std::string& text = values.all(name).back();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    result.push_back(
        parse_count(text.substr(begin, end - begin), option_words(name), 1, kMostUnits));
    begin = end + 1;
  }
  if (result.size() > kMostLayers) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} takes the sizes of at most {} hidden layers, but got {}",
                            option_words(name), kMostLayers, result.size()));
  }
  return result;
}

void TrainingValues::refuse_noise_of_published(bool published, const OptionValues& values) {
  if (published && values.has("noise-multiplier")) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} published has a noise of its own; leave out {}",
                            option_words("protocol"), option_words("noise-multiplier")));
  }
}

}  // namespace mehler
