// The model files of networks.

#include <bit>
#include <cmath>

#include "mehler/generator/model_file.h"
#include "mehler/generator/neural/network_generator.h"
#include "mehler/record_networks/network_design_json.h"
#include "mehler/release/checked_file.h"
#include "mehler/release/payload.h"

namespace mehler {
namespace {

void append_floats(std::string& bytes, std::span<const float> values) {
  for (const float value : values) {
    append_little_endian(bytes, std::bit_cast<std::uint32_t>(value), 4);
  }
}

void read_floats(std::string_view bytes, std::size_t& offset, std::span<float> values) {
  for (float& value : values) {
    value = std::bit_cast<float>(static_cast<std::uint32_t>(read_little_endian(bytes, offset, 4)));
    if (!std::isfinite(value)) {
      throw Error(ErrorCode::kInvalidRelease, "a number of its network is not finite");
    }
    offset += 4;
  }
}

std::vector<double> read_probabilities(JsonObjectReader& header) {
  std::vector<double> probabilities;
  double sum = 0.0;
  for (const Json& probability : header.array("class_probabilities")) {
    probabilities.push_back(probability.is_number() ? probability.get<double>() : -1.0);
    if (!(probabilities.back() >= 0.0 && probabilities.back() <= 1.0)) {
      header.fail("has a class probability outside [0, 1]");
    }
    sum += probabilities.back();
  }
  if (std::fabs(sum - 1.0) > 1e-6) {
    header.fail("has class probabilities that do not add up to 1");
  }
  return probabilities;
}

/// Then the model follows from the release, and files of it hold nothing else.
bool holds_weights(const Release& release) {
  return std::holds_alternative<TrainedWeights>(release.payload());
}

}  // namespace

std::string NetworkGenerator::to_bytes() const {
  if (holds_weights(release_)) {
    return serialize_model(kKind, release_, Json::object(), "");
  }
  const TrainedNetwork& trained = sampler_.trained();
  Json keys = design_json(trained.networks.design());
  keys["class_probabilities"] = trained.class_probabilities;
  std::string numbers;
  append_floats(numbers, trained.networks.values());
  return serialize_model(kKind, release_, keys, numbers);
}

std::unique_ptr<Generator> NetworkGenerator::read(ModelParts parts) {
  JsonObjectReader& header = parts.header;
  if (holds_weights(parts.release)) {
    if (!parts.numbers.empty()) {
      header.fail("describes a network of another size than the file holds");
    }
    return std::make_unique<NetworkGenerator>(of_weights(parts.release));
  }
  NetworkDesign design = read_design(header, parts.release.schema());
  std::vector<double> probabilities = read_probabilities(header);
  const Encoder& encoder = parts.release.encoder();
  const std::size_t outputs = OutputHeads(encoder).outputs();
  if (parts.numbers.size() / 4 !=
          number_count(design.layers(encoder, probabilities.size(), outputs)) ||
      parts.numbers.size() % 4 != 0) {
    header.fail("describes a network of another size than the file holds");
  }
  Network network = design.network(encoder, probabilities.size(), outputs, 0);
  std::size_t place = 0;
  read_floats(parts.numbers, place, network.parameters());
  read_floats(parts.numbers, place, network.statistics());
  return std::make_unique<NetworkGenerator>(
      std::move(parts.release),
      TrainedNetwork{GeneratorNetworks(std::move(design), std::move(network)),
                     std::move(probabilities)});
}

}  // namespace mehler
