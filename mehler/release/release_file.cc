// Release files, version 2. The normative description is docs/format.md.

#include <fmt/format.h>

#include <bit>

#include "mehler/core/overloaded.h"
#include "mehler/core/strict_json.h"
#include "mehler/core/version.h"
#include "mehler/release/charge_json.h"
#include "mehler/release/checked_file.h"
#include "mehler/release/old_release_file.h"
#include "mehler/release/payload.h"
#include "mehler/release/release.h"
#include "mehler/release/training_json.h"

namespace mehler {
namespace {

constexpr std::size_t kMaxReleaseBytes = std::size_t{4} << 30;
constexpr const char* kPublished = "published";

Json statement_json(const PrivacyStatement& statement, const Schema& schema) {
  Json json;
  json["epsilon"] = statement.budget.epsilon;
  json["delta"] = statement.budget.delta;
  if (statement.public_rows) {
    json["public_rows"] = *statement.public_rows;
  }
  if (statement.rules.sensitivity == SensitivityRule::kPublished) {
    json["sensitivity_rule"] = kPublished;
  }
  if (statement.rules.accounting == AccountingRule::kPublished) {
    json["accounting_rule"] = kPublished;
  }
  json["charges"] = Json::array();
  for (const Charge& charge : statement.charges) {
    json["charges"].push_back(charge_json(charge));
  }
  json["in_words"] = statement.in_words(schema);
  return json;
}

/// Rules are written only where they are not our own.
bool has_published_rule(JsonObjectReader& reader, const char* key) {
  if (reader.find(key) == nullptr) {
    return false;
  }
  if (reader.text(key) != kPublished) {
    reader.fail(fmt::format("has a '{}' that is not '{}'", key, kPublished));
  }
  return true;
}

PrivacyStatement read_statement(const Json& json) {
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease, "the release's privacy statement");
  PrivacyStatement statement;
  statement.budget = {reader.number("epsilon"), reader.number("delta")};
  if (reader.find("public_rows") != nullptr) {
    const std::int64_t rows = reader.integer("public_rows");
    if (rows < 1) {
      reader.fail("has a number of records below 1");
    }
    statement.public_rows = static_cast<std::uint64_t>(rows);
  }
  if (has_published_rule(reader, "sensitivity_rule")) {
    statement.rules.sensitivity = SensitivityRule::kPublished;
  }
  if (has_published_rule(reader, "accounting_rule")) {
    statement.rules.accounting = AccountingRule::kPublished;
  }
  for (const Json& charge : reader.array("charges")) {
    statement.charges.push_back(read_charge(charge));
  }
  reader.text("in_words");  // compared when all else is known to be right
  reader.finish();
  return statement;
}

/// The numbers of a release, one after the other.
class NumberReader {
 public:
  explicit NumberReader(std::string_view bytes) : bytes_(bytes) {}

  /// 64-bit numbers that there can still be.
  std::size_t left() const { return bytes_.size() / sizeof(std::int64_t); }

  NoisyBlock next(std::size_t rows, std::size_t columns, int grid_exponent) {
    if (columns > left() / rows) {
      fail("holds fewer numbers than its blocks have");
    }
    NoisyBlock block{rows, columns, std::vector<std::int64_t>(rows * columns), grid_exponent};
    for (std::int64_t& value : block.grid_sums) {
      value = static_cast<std::int64_t>(take(sizeof(value)));
    }
    return block;
  }

  /// All that is left, as 32-bit floats.
  std::vector<float> floats() {
    std::vector<float> values(bytes_.size() / sizeof(float));
    for (float& value : values) {
      value = std::bit_cast<float>(static_cast<std::uint32_t>(take(sizeof(value))));
    }
    return values;
  }

  void finish() const {
    if (!bytes_.empty()) {
      fail("holds more than the numbers of its blocks");
    }
  }

 private:
  std::uint64_t take(std::size_t width) {
    const std::uint64_t value = read_little_endian(bytes_, 0, static_cast<int>(width));
    bytes_.remove_prefix(width);
    return value;
  }

  [[noreturn]] static void fail(const char* what) {
    throw Error(ErrorCode::kInvalidRelease, fmt::format("its payload {}", what));
  }

  std::string_view bytes_;
};

NoisySums read_sums(const Encoder& encoder, const Json& json, NumberReader& numbers) {
  NoisySums sums{FeatureSet::from_json(encoder, json.dump(), numbers.left()), {}};
  for (const FeatureBlock& block : sums.features.blocks()) {
    sums.blocks.push_back(
        numbers.next(sums.features.block_rows(block), block.dimension(), block.grid_exponent()));
  }
  return sums;
}

NoisyCounts read_counts(const Encoder& encoder, const Json& json, NumberReader& numbers) {
  NoisyCounts counts{CountSet::from_json(encoder, json.dump()), {}};
  for (const CountBlock& block : counts.counts.blocks()) {
    counts.blocks.push_back(numbers.next(1, block.dimension(), block.grid_exponent()));
  }
  return counts;
}

TrainedWeights read_weights(const Encoder& encoder, const Json& json, NumberReader& numbers) {
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease, "the specification of weights");
  TrainedWeights weights;
  weights.networks = reader.object("networks").dump();
  const bool has_count = reader.boolean("count");
  weights.counts_classes = reader.optional_boolean("classes");
  if (weights.counts_classes && (!has_count || !encoder.label())) {
    reader.fail("counts classes that there are not");
  }
  if (has_count) {
    const CountBlock counted = TrainedWeights::counted(encoder, weights.counts_classes);
    weights.count = numbers.next(1, counted.dimension(), counted.grid_exponent());
  }
  if (reader.find("training") != nullptr) {
    weights.training = read_training(reader.object("training"));
  }
  reader.finish();
  weights.values = numbers.floats();
  return weights;
}

Payload read_payload(const Encoder& encoder, JsonObjectReader& reader, std::string_view bytes) {
  if (reader.has("sums") + reader.has("counts") + reader.has("weights") != 1) {
    reader.fail("must have one of 'sums', 'counts' and 'weights'");
  }
  NumberReader numbers(bytes);
  Payload payload = TrainedWeights();
  if (reader.has("sums")) {
    payload = read_sums(encoder, reader.object("sums"), numbers);
  } else if (reader.has("counts")) {
    payload = read_counts(encoder, reader.object("counts"), numbers);
  } else {
    payload = read_weights(encoder, reader.object("weights"), numbers);
  }
  numbers.finish();
  return payload;
}

std::string number_bytes(const std::vector<NoisyBlock>& blocks) {
  std::string bytes;
  for (const NoisyBlock& block : blocks) {
    for (const std::int64_t value : block.grid_sums) {
      append_little_endian(bytes, static_cast<std::uint64_t>(value), 8);
    }
  }
  return bytes;
}

std::string weight_bytes(const TrainedWeights& weights) {
  std::string bytes;
  if (weights.count) {
    bytes = number_bytes({*weights.count});
  }
  for (const float value : weights.values) {
    append_little_endian(bytes, std::bit_cast<std::uint32_t>(value), sizeof(value));
  }
  return bytes;
}

}  // namespace

std::string Release::to_bytes() const {
  Json header;
  header["mehler_release"] = kVersion;
  header["created_by"] = fmt::format("mehler {}", mehler::kVersion);
  header["method"] = method();
  header["privacy"] = statement_json(statement(), schema());
  header["schema"] = Json::parse(schema().to_json());
  const std::string payload =
      std::visit(Overloaded{[&](const NoisySums& sums) {
                              header["sums"] = Json::parse(sums.features.to_json(encoder()));
                              return number_bytes(sums.blocks);
                            },
                            [&](const NoisyCounts& counts) {
                              header["counts"] = Json::parse(counts.counts.to_json(encoder()));
                              return number_bytes(counts.blocks);
                            },
                            [&](const TrainedWeights& weights) {
                              header["weights"]["networks"] = Json::parse(weights.networks);
                              header["weights"]["count"] = weights.count.has_value();
                              if (weights.counts_classes) {
                                header["weights"]["classes"] = true;
                              }
                              if (weights.training) {
                                header["weights"]["training"] = training_json(*weights.training);
                              }
                              return weight_bytes(weights);
                            }},
                 this->payload());
  return serialize_checked_file(CheckedFileKind::kRelease, kVersion, {header.dump(), payload});
}

Release Release::from_bytes(std::string_view bytes, std::string_view shown_name) {
  const CheckedFile file =
      parse_checked_file(bytes, CheckedFileKind::kRelease, kVersion, shown_name);
  try {
    return from_checked_file(file);
  } catch (const Error& error) {
    throw Error(
        ErrorCode::kInvalidRelease,
        fmt::format("'{}' is no valid release: {}; do not use it, and get a fresh copy from "
                    "its source",
                    shown_name, error.what()));
  }
}

Release Release::from_checked_file(const CheckedFile& file) {
  const std::string what = "its header";
  Json json = parse_strict_json(file.header, ErrorCode::kInvalidRelease, what);
  if (file.version == 1) {
    json = header_of_version_1(json);
  }
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease, what);
  if (reader.integer("mehler_release") != kVersion) {
    reader.fail("states another version than the file");
  }
  reader.text("created_by");
  const std::string method = reader.text("method");
  const Schema schema = Schema::from_json(reader.object("schema").dump());
  PrivacyStatement statement = read_statement(reader.object("privacy"));
  Payload payload = read_payload(Encoder(schema), reader, file.payload);
  reader.finish();
  Release release(method, schema, std::move(payload), std::move(statement));
  release.require_own_words(json["privacy"]["in_words"].get<std::string>());
  return release;
}

void Release::require_own_words(std::string_view in_words) const {
  if (in_words != this->in_words()) {
    throw Error(ErrorCode::kInvalidRelease,
                "its guarantee in words ('in_words') is not what its numbers say");
  }
}

Release Release::from_file(const std::filesystem::path& path) {
  return from_bytes(read_whole_file(path, "the release", kMaxReleaseBytes), path.string());
}

void Release::save(const std::filesystem::path& path) const {
  AtomicFile file(path);
  write(file);
}

void Release::write(AtomicFile& file) const {
  file.write(to_bytes());
  file.commit();
}

}  // namespace mehler
