#include "mehler/record_networks/network_design_json.h"

#include <algorithm>
#include <array>
#include <string>

namespace mehler {
namespace {

constexpr std::int64_t kMaxWidth = 1 << 20;
constexpr std::int64_t kMaxKernel = 64;

/// In the order of the enumerations; the first is the default, which is not written.
constexpr std::array kNoiseNames = {"normal", "uniform", "coins"};
constexpr std::array kHiddenNames = {"normalized", "rectified", "leaky"};

std::size_t width_of(JsonObjectReader& reader, std::int64_t value) {
  if (value < 1 || value > kMaxWidth) {
    reader.fail("has a network layer of an impossible size");
  }
  return static_cast<std::size_t>(value);
}

std::vector<std::size_t> read_widths(JsonObjectReader& reader, const Json& widths) {
  std::vector<std::size_t> result;
  for (const Json& width : widths) {
    result.push_back(width_of(reader, width.is_number_integer() ? width.get<std::int64_t>() : 0));
  }
  return result;
}

/// The place of an optional text among names; 0 if it is absent.
std::size_t read_choice(JsonObjectReader& reader, const char* key, const auto& names) {
  const std::optional<std::string> text = reader.optional_text(key);
  if (!text) {
    return 0;
  }
  const auto place = std::find(names.begin() + 1, names.end(), *text);
  if (place == names.end()) {
    reader.fail("describes a network of an unknown kind");
  }
  return static_cast<std::size_t>(place - names.begin());
}

NetworkDesign::Convolutions read_convolutions(JsonObjectReader& reader, const Json& json) {
  JsonObjectReader inner(json, ErrorCode::kInvalidRelease, "its network");
  NetworkDesign::Convolutions result;
  result.channels = read_widths(reader, inner.array("channels"));
  const std::int64_t kernel = inner.integer("kernel");
  inner.finish();
  if (result.channels.size() != 2 || kernel < 1 || kernel > kMaxKernel) {
    reader.fail("describes convolutions of an impossible size");
  }
  result.kernel = static_cast<std::size_t>(kernel);
  return result;
}

}  // namespace

Json design_json(const NetworkDesign& design) {
  const NetworkDesign usual;
  Json keys;
  keys["noise_inputs"] = design.noise_inputs;
  keys["hidden"] = design.hidden;
  if (design.convolutions) {
    keys["convolutions"] = {{"channels", design.convolutions->channels},
                            {"kernel", design.convolutions->kernel}};
  }
  if (design.noise != usual.noise) {
    keys["noise"] = kNoiseNames[static_cast<std::size_t>(design.noise)];
  }
  if (design.hidden_layers != usual.hidden_layers) {
    keys["hidden_layers"] = kHiddenNames[static_cast<std::size_t>(design.hidden_layers)];
  }
  if (design.variance_floor != usual.variance_floor) {
    keys["variance_floor"] = static_cast<double>(design.variance_floor);
  }
  return keys;
}

NetworkDesign read_design(JsonObjectReader& reader, const Schema& schema) {
  NetworkDesign design;
  design.noise_inputs = width_of(reader, reader.integer("noise_inputs"));
  design.hidden = read_widths(reader, reader.array("hidden"));
  if (design.hidden.empty()) {
    reader.fail("describes a network without a hidden layer");
  }
  if (const Json* convolutions = reader.find("convolutions")) {
    if (schema.image() == nullptr ||
        NetworkDesign::best_for(schema) != ImageNetwork::kConvolutional) {
      reader.fail("describes a network of images that the schema does not have");
    }
    design.convolutions = read_convolutions(reader, *convolutions);
  }
  design.noise = static_cast<NoiseInputs>(read_choice(reader, "noise", kNoiseNames));
  design.hidden_layers =
      static_cast<HiddenLayers>(read_choice(reader, "hidden_layers", kHiddenNames));
  if (reader.find("variance_floor") != nullptr) {
    const double floor = reader.number("variance_floor");
    if (!(floor > 0.0 && floor <= 1.0)) {  // written so that NaN fails too
      reader.fail("describes a normalisation with an impossible variance floor");
    }
    design.variance_floor = static_cast<float>(floor);
  }
  return design;
}

}  // namespace mehler
