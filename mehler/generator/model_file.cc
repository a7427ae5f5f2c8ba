// Model files, version 1: the release, whole, and the network's numbers. The normative description
// is docs/format.md.

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "mehler/core/strict_json.h"
#include "mehler/core/version.h"
#include "mehler/generator/generator.h"
#include "mehler/release/checked_file.h"

namespace mehler {
namespace {

constexpr std::size_t kMaxModelBytes = std::size_t{4} << 30;
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

std::size_t width_of(JsonObjectReader& reader, std::int64_t value) {
  if (value < 1 || value > kMaxWidth) {
    reader.fail("has a network layer of an impossible size");
  }
  return static_cast<std::size_t>(value);
}

}  // namespace

std::string Generator::to_bytes() const {
  const std::string release = release_.to_bytes();
  Json header;
  header["mehler_model"] = kVersion;
  header["created_by"] = fmt::format("mehler {}", mehler::kVersion);
  header["release_bytes"] = release.size();
  header["noise_inputs"] = noise_inputs_;
  header["hidden"] = network_.shape().hidden;
  header["class_probabilities"] = class_probabilities_;
  header["in_words"] = release_.statement().in_words();
  std::string payload = release;
  append_floats(payload, network_.parameters());
  append_floats(payload, network_.statistics());
  return serialize_checked_file(CheckedFileKind::kModel, kVersion, {header.dump(), payload});
}

Generator Generator::from_bytes(std::string_view bytes, std::string_view shown_name) {
  const CheckedFile file = parse_checked_file(bytes, CheckedFileKind::kModel, kVersion, shown_name);
  try {
    const Json json = parse_strict_json(file.header, ErrorCode::kInvalidRelease, "its header");
    JsonObjectReader reader(json, ErrorCode::kInvalidRelease, "its header");
    if (reader.integer("mehler_model") != kVersion) {
      reader.fail("states another version than the file");
    }
    reader.text("created_by");
    reader.text("in_words");
    const std::int64_t release_bytes = reader.integer("release_bytes");
    const std::size_t noise_inputs = width_of(reader, reader.integer("noise_inputs"));
    NetworkShape shape;
    for (const Json& width : reader.array("hidden")) {
      shape.hidden.push_back(
          width_of(reader, width.is_number_integer() ? width.get<std::int64_t>() : 0));
    }
    std::vector<double> probabilities;
    double sum = 0.0;
    for (const Json& probability : reader.array("class_probabilities")) {
      probabilities.push_back(probability.is_number() ? probability.get<double>() : -1.0);
      if (!(probabilities.back() >= 0.0 && probabilities.back() <= 1.0)) {
        reader.fail("has a class probability outside [0, 1]");
      }
      sum += probabilities.back();
    }
    reader.finish();
    if (shape.hidden.empty() || std::fabs(sum - 1.0) > 1e-6 || release_bytes < 0 ||
        static_cast<std::uint64_t>(release_bytes) > file.payload.size()) {
      reader.fail("has sizes or probabilities that do not add up");
    }
    const auto offset = static_cast<std::size_t>(release_bytes);
    Release release =
        Release::from_bytes(std::string_view(file.payload).substr(0, offset), "the release inside");
    shape.inputs = noise_inputs + probabilities.size();
    shape.outputs = OutputHeads(release.encoder()).outputs();
    std::size_t numbers = 0;
    std::size_t width = shape.inputs;
    for (const std::size_t next : shape.hidden) {
      numbers += width * next + 4 * next;
      width = next;
    }
    numbers += (width + 1) * shape.outputs;
    if ((file.payload.size() - offset) / 4 != numbers || (file.payload.size() - offset) % 4 != 0) {
      reader.fail("describes a network of another size than the file holds");
    }
    Network network(shape, 0);
    std::size_t place = offset;
    read_floats(file.payload, place, network.parameters());
    read_floats(file.payload, place, network.statistics());
    return Generator(std::move(release), std::move(network), noise_inputs,
                     std::move(probabilities));
  } catch (const Error& error) {
    throw Error(ErrorCode::kInvalidRelease,
                fmt::format("'{}' is no valid model: {}; train it again from its release",
                            shown_name, error.what()));
  }
}

Generator Generator::from_file(const std::filesystem::path& path) {
  return from_bytes(read_whole_file(path, "the model", kMaxModelBytes), path.string());
}

void Generator::write(AtomicFile& file) const {
  file.write(to_bytes());
  file.commit();
}

}  // namespace mehler
