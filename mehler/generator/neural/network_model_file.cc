// The model files of networks.

#include <bit>
#include <cmath>

#include "mehler/generator/model_file.h"
#include "mehler/generator/neural/network_generator.h"
#include "mehler/release/checked_file.h"

namespace mehler {
namespace {

constexpr std::int64_t kMaxWidth = 1 << 20;

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

/// How many floats a network of this shape has.
std::size_t number_count(const NetworkShape& shape) {
  std::size_t numbers = 0;
  std::size_t width = shape.inputs;
  for (const std::size_t next : shape.hidden) {
    numbers += width * next + 4 * next;
    width = next;
  }
  return numbers + (width + 1) * shape.outputs;
}

}  // namespace

std::string NetworkGenerator::to_bytes() const {
  Json keys;
  keys["noise_inputs"] = noise_inputs_;
  keys["hidden"] = network_.shape().hidden;
  keys["class_probabilities"] = class_probabilities_;
  std::string numbers;
  append_floats(numbers, network_.parameters());
  append_floats(numbers, network_.statistics());
  return serialize_model(kKind, release_, keys, numbers);
}

std::unique_ptr<Generator> NetworkGenerator::read(ModelParts parts) {
  JsonObjectReader& header = parts.header;
  const std::size_t noise_inputs = width_of(header, header.integer("noise_inputs"));
  NetworkShape shape;
  for (const Json& width : header.array("hidden")) {
    shape.hidden.push_back(
        width_of(header, width.is_number_integer() ? width.get<std::int64_t>() : 0));
  }
  if (shape.hidden.empty()) {
    header.fail("describes a network without a hidden layer");
  }
  std::vector<double> probabilities = read_probabilities(header);
  shape.inputs = noise_inputs + probabilities.size();
  shape.outputs = OutputHeads(parts.release.encoder()).outputs();
  if (parts.numbers.size() / 4 != number_count(shape) || parts.numbers.size() % 4 != 0) {
    header.fail("describes a network of another size than the file holds");
  }
  Network network(shape, 0);
  std::size_t place = 0;
  read_floats(parts.numbers, place, network.parameters());
  read_floats(parts.numbers, place, network.statistics());
  return std::make_unique<NetworkGenerator>(std::move(parts.release), std::move(network),
                                            noise_inputs, std::move(probabilities));
}

}  // namespace mehler
