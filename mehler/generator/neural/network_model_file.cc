// The model files of networks.

#include <bit>
#include <cmath>

#include "mehler/generator/model_file.h"
#include "mehler/generator/neural/network_generator.h"
#include "mehler/release/checked_file.h"

namespace mehler {
namespace {

constexpr std::int64_t kMaxWidth = 1 << 20;
constexpr std::int64_t kMaxKernel = 64;

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

std::size_t width_of(JsonObjectReader& header, std::int64_t value) {
  if (value < 1 || value > kMaxWidth) {
    header.fail("has a network layer of an impossible size");
  }
  return static_cast<std::size_t>(value);
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

/// How many floats a network of these layers has.
std::size_t number_count(const std::vector<Layer>& layers) {
  std::size_t numbers = 0;
  for (const Layer& layer : layers) {
    numbers += std::visit(
        [](const auto& of_kind) {
          if constexpr (requires { of_kind.statistics_count(); }) {
            return of_kind.parameter_count() + of_kind.statistics_count();
          } else {
            return of_kind.parameter_count();
          }
        },
        layer);
  }
  return numbers;
}

std::vector<std::size_t> read_widths(JsonObjectReader& header, const Json& widths) {
  std::vector<std::size_t> result;
  for (const Json& width : widths) {
    result.push_back(width_of(header, width.is_number_integer() ? width.get<std::int64_t>() : 0));
  }
  return result;
}

NetworkDesign::Convolutions read_convolutions(JsonObjectReader& header, const Json& json) {
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease, "its network");
  NetworkDesign::Convolutions result;
  result.channels = read_widths(header, reader.array("channels"));
  const std::int64_t kernel = reader.integer("kernel");
  reader.finish();
  if (result.channels.size() != 2 || kernel < 1 || kernel > kMaxKernel) {
    header.fail("describes convolutions of an impossible size");
  }
  result.kernel = static_cast<std::size_t>(kernel);
  return result;
}

/// Keys that only networks with convolutions have are absent from the others' files.
NetworkDesign read_design(JsonObjectReader& header, const Schema& schema) {
  NetworkDesign design;
  design.noise_inputs = width_of(header, header.integer("noise_inputs"));
  design.hidden = read_widths(header, header.array("hidden"));
  if (design.hidden.empty()) {
    header.fail("describes a network without a hidden layer");
  }
  if (const Json* convolutions = header.find("convolutions")) {
    if (schema.image() == nullptr ||
        NetworkDesign::best_for(schema) != ImageNetwork::kConvolutional) {
      header.fail("describes a network of images that the schema does not have");
    }
    design.convolutions = read_convolutions(header, *convolutions);
  }
  return design;
}

}  // namespace

std::string NetworkGenerator::to_bytes() const {
  const TrainedNetwork& trained = sampler_.trained();
  const NetworkDesign& design = trained.design;
  Json keys;
  keys["noise_inputs"] = design.noise_inputs;
  keys["hidden"] = design.hidden;
  if (design.convolutions) {
    keys["convolutions"] = {{"channels", design.convolutions->channels},
                            {"kernel", design.convolutions->kernel}};
  }
  keys["class_probabilities"] = trained.class_probabilities;
  std::string numbers;
  append_floats(numbers, trained.network.parameters());
  append_floats(numbers, trained.network.statistics());
  return serialize_model(kKind, release_, keys, numbers);
}

std::unique_ptr<Generator> NetworkGenerator::read(ModelParts parts) {
  JsonObjectReader& header = parts.header;
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
      TrainedNetwork{std::move(design), std::move(network), std::move(probabilities)});
}

}  // namespace mehler
