// Checkpoints of a training: local files of one program version, not for exchange.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

#include "mehler/core/name_suggestions.h"
#include "mehler/core/sha256.h"
#include "mehler/core/strict_json.h"
#include "mehler/core/version.h"
#include "mehler/generator/neural/training.h"
#include "mehler/release/checked_file.h"

namespace mehler {
namespace {

constexpr std::uint32_t kCheckpointVersion = 1;
constexpr const char* kByDefault = "by default";

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

/// What the numbers of a checkpoint depend on, by the names that messages give it.
Json options_json(const TrainingOptions& options) {
  Json json{{"seed", options.seed},
            {"steps an epoch", options.steps_per_epoch},
            {"hidden layers", options.hidden},
            {"noise inputs", options.noise_inputs}};
  const OptionValues values = options.values();
  for (const Option& option : TrainingOptions::list()) {
    json[option.name] = values.has(option.name)
                            ? fmt::format("{}", fmt::join(values.all(option.name), " "))
                            : kByDefault;
  }
  return json;
}

/// A value without the quotes of a text.
std::string plain(const Json& value) {
  return shown(value.is_string() ? value.get<std::string>() : value.dump());
}

/// "seed 5, here 6; epochs 12, here 26": where the options of a checkpoint are not the ones here.
std::string differing_options(const Json& saved, const Json& here) {
  std::vector<std::string> words;
  for (const auto& [name, value] : here.items()) {
    if (!saved.is_object() || !saved.contains(name)) {
      // An option that came after the checkpoint stood at its default.
      if (value != kByDefault) {
        words.push_back(fmt::format("no {}", name));
      }
    } else if (saved[name] != value) {
      words.push_back(fmt::format("{} {}, here {}", name, plain(saved[name]), plain(value)));
    }
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace

std::string Trainer::release_digest() const { return hexadecimal(sha256(release_.to_bytes())); }

std::string Trainer::checkpoint() const {
  const EmbeddingTrainer::State state = training_.state();
  Json header;
  header["program"] = kVersion;
  header["release"] = release_digest();
  header["options"] = options_json(training_.options());
  header["epoch"] = state.epoch;
  header["adam_steps"] = state.adam_steps;
  header["random_state"] = state.random_state;
  header["best_score"] = std::bit_cast<std::uint64_t>(state.best_score);
  std::string payload;
  for (const std::span<const float> numbers : training_.numbers()) {
    for (const float number : numbers) {
      append_little_endian(payload, std::bit_cast<std::uint32_t>(number), 4);
    }
  }
  return serialize_checked_file(CheckedFileKind::kCheckpoint, kCheckpointVersion,
                                {header.dump(), payload});
}

void Trainer::restore(std::string_view bytes, std::string_view shown_name) {
  const CheckedFile file =
      parse_checked_file(bytes, CheckedFileKind::kCheckpoint, kCheckpointVersion, shown_name);
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::kInvalidRelease,
                fmt::format("the checkpoint '{}' {}", shown_name, what));
  };
  const auto fail_as_damaged = [&] {
    fail("is damaged; delete it and train again without option 'resume'");
  };
  const Json json = parse_strict_json(file.header, ErrorCode::kInvalidRelease,
                                      fmt::format("the checkpoint '{}'", shown_name));
  const auto value = [&](const char* key) -> Json {
    return json.is_object() && json.contains(key) ? json[key] : Json();
  };
  const auto number = [&](const char* key) -> std::uint64_t {
    const Json found = value(key);
    if (!found.is_number_unsigned()) {
      fail_as_damaged();
    }
    return found.get<std::uint64_t>();
  };
  std::vector<std::string> differences;
  if (value("release") != release_digest()) {
    differences.push_back("belongs to another release");
  }
  const std::string options =
      differing_options(value("options"), options_json(training_.options()));
  if (!options.empty()) {
    differences.push_back(fmt::format("was made with other options ({})", options));
  }
  if (value("program") != kVersion) {
    differences.push_back(
        fmt::format("was made by another version of this program ({}, here \"{}\")",
                    shown(value("program").dump()), kVersion));
  }
  if (!differences.empty()) {
    fail(fmt::format("{}; make these the same, or train without option 'resume' to start anew",
                     fmt::join(differences, " and ")));
  }
  std::size_t floats = 0;
  for (const std::span<float> numbers : training_.numbers()) {
    floats += numbers.size();
  }
  const std::uint64_t epoch = number("epoch");
  if (file.payload.size() != 4 * floats || epoch < 1 || epoch > training_.options().epochs) {
    fail_as_damaged();
  }
  std::size_t offset = 0;
  for (const std::span<float> numbers : training_.numbers()) {
    for (float& saved : numbers) {
      saved = std::bit_cast<float>(
          static_cast<std::uint32_t>(read_little_endian(file.payload, offset, 4)));
      offset += 4;
    }
  }
  training_.set_state({static_cast<std::size_t>(epoch),
                       static_cast<std::size_t>(number("adam_steps")), number("random_state"),
                       std::bit_cast<double>(number("best_score"))});
}

}  // namespace mehler
