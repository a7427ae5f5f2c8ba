// Checkpoints of a training: local files of one program version, not for exchange.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

#include "mehler/core/strict_json.h"
#include "mehler/core/version.h"
#include "mehler/generator/training.h"
#include "mehler/release/checked_file.h"

namespace mehler {
namespace {

constexpr std::uint32_t kCheckpointVersion = 1;

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

}  // namespace

std::string Trainer::fingerprint() const {
  return hexadecimal(sha256(fmt::format(
      "{} {} {} {} {} {} {} {} {} {}", kVersion, hexadecimal(sha256(release_.to_bytes())),
      options_.seed, options_.epochs, options_.steps_per_epoch, options_.batch_rows,
      options_.learning_rate, options_.learning_rate_decay, fmt::join(options_.hidden, ","),
      options_.noise_inputs)));
}

std::vector<std::span<float>> Trainer::saved_numbers() {
  return {network_.parameters(), network_.statistics(), adam_.first(),
          adam_.second(),        best_parameters_,      best_statistics_};
}

std::string Trainer::checkpoint() const {
  Json header;
  header["fingerprint"] = fingerprint();
  header["epoch"] = epoch_;
  header["adam_steps"] = adam_.steps();
  header["random_state"] = random_.state();
  header["best_score"] = std::bit_cast<std::uint64_t>(best_score_);
  std::string payload;
  for (const std::span<float> numbers : const_cast<Trainer*>(this)->saved_numbers()) {
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
                fmt::format("the checkpoint '{}' {}; train without --resume to start anew",
                            shown_name, what));
  };
  const Json json = parse_strict_json(file.header, ErrorCode::kInvalidRelease,
                                      fmt::format("the checkpoint '{}'", shown_name));
  const auto number = [&](const char* key) -> std::uint64_t {
    if (!json.is_object() || !json.contains(key) || !json[key].is_number_unsigned()) {
      fail("is damaged");
    }
    return json[key].get<std::uint64_t>();
  };
  if (!json.is_object() || !json.contains("fingerprint") || json["fingerprint"] != fingerprint()) {
    fail("belongs to another release, other options or another version of this program");
  }
  std::size_t floats = 0;
  for (const std::span<float> numbers : saved_numbers()) {
    floats += numbers.size();
  }
  const std::uint64_t epoch = number("epoch");
  if (file.payload.size() != 4 * floats || epoch < 1 || epoch > options_.epochs) {
    fail("is damaged");
  }
  std::size_t offset = 0;
  for (const std::span<float> numbers : saved_numbers()) {
    for (float& value : numbers) {
      value = std::bit_cast<float>(
          static_cast<std::uint32_t>(read_little_endian(file.payload, offset, 4)));
      offset += 4;
    }
  }
  epoch_ = static_cast<std::size_t>(epoch);
  adam_.set_steps(static_cast<std::size_t>(number("adam_steps")));
  random_ = SeededRandom(number("random_state"));
  best_score_ = std::bit_cast<double>(number("best_score"));
}

}  // namespace mehler
