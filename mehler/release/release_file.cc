// Release files, version 1. The normative description is docs/format.md.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/strict_json.h"
#include "mehler/core/version.h"
#include "mehler/release/checked_file.h"
#include "mehler/release/release.h"

namespace mehler {
namespace {

constexpr std::size_t kMaxReleaseBytes = std::size_t{4} << 30;
constexpr const char* kMechanism = "gaussian-rounded-to-grid";
constexpr const char* kPublished = "published";

Json statement_json(const PrivacyStatement& statement, const Schema& schema) {
  Json json;
  json["mechanism"] = kMechanism;
  json["epsilon"] = statement.budget.epsilon;
  json["delta"] = statement.budget.delta;
  json["mu"] = statement.mu();
  if (statement.public_rows) {
    json["public_rows"] = *statement.public_rows;
  }
  if (statement.rules.sensitivity == SensitivityRule::kPublished) {
    json["sensitivity_rule"] = kPublished;
  }
  if (statement.rules.accounting == AccountingRule::kPublished) {
    json["accounting_rule"] = kPublished;
  }
  json["blocks"] = Json::array();
  for (const BlockStatement& block : statement.blocks) {
    json["blocks"].push_back(Json{{"name", block.name},
                                  {"sensitivity", block.sensitivity},
                                  {"sigma", block.sigma},
                                  {"mu_squared", block.mu_squared()}});
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
  if (reader.text("mechanism") != kMechanism) {
    reader.fail(fmt::format("has an unknown mechanism; this version knows '{}'", kMechanism));
  }
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
  const double mu = reader.number("mu");
  for (const Json& block : reader.array("blocks")) {
    JsonObjectReader block_reader(block, ErrorCode::kInvalidRelease,
                                  "a block of the release's privacy statement");
    statement.blocks.push_back({block_reader.text("name"), block_reader.number("sensitivity"),
                                block_reader.number("sigma")});
    const double mu_squared = block_reader.number("mu_squared");
    block_reader.finish();
    if (!(std::fabs(mu_squared - statement.blocks.back().mu_squared()) <= 1e-9 * mu_squared)) {
      block_reader.fail("has a 'mu_squared' that is not (sensitivity / sigma)^2");
    }
  }
  if (!(std::fabs(mu - statement.mu()) <= 1e-9 * mu)) {
    reader.fail("has a 'mu' that is not the root of the sum of its blocks' mu_squared");
  }
  reader.text("in_words");  // compared when all else is known to be right
  reader.finish();
  return statement;
}

/// Files from before releases named their method were of one of two.
std::string method_of_old_files(const FeatureSet& features) {
  const bool counts = std::any_of(features.blocks().begin(), features.blocks().end(),
                                  [](const FeatureBlock& block) { return block.is_contrast(); });
  return counts ? "marginals" : "dp-hp";
}

}  // namespace

std::string Release::to_bytes() const {
  Json header;
  header["mehler_release"] = kVersion;
  header["created_by"] = fmt::format("mehler {}", mehler::kVersion);
  header["method"] = method_;
  header["privacy"] = statement_json(statement_, schema());
  header["schema"] = Json::parse(schema().to_json());
  header["features"] = Json::parse(features_.to_json(encoder_));
  header["payload"] = Json::array();
  std::string payload;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const NoisyBlock& block = blocks_[i];
    header["payload"].push_back(Json{
        {"block", features_.blocks()[i].name}, {"rows", block.rows}, {"columns", block.columns}});
    for (const std::int64_t value : block.grid_sums) {
      append_little_endian(payload, static_cast<std::uint64_t>(value), 8);
    }
  }
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
  const Json json = parse_strict_json(file.header, ErrorCode::kInvalidRelease, what);
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease, what);
  if (reader.integer("mehler_release") != kVersion) {
    reader.fail("states another version than the file");
  }
  reader.text("created_by");
  const bool names_its_method = reader.find("method") != nullptr;
  const std::string method = names_its_method ? reader.text("method") : "";
  const Schema schema = Schema::from_json(reader.object("schema").dump());
  const Encoder encoder(schema);
  FeatureSet features = FeatureSet::from_json(encoder, reader.object("features").dump(),
                                              file.payload.size() / sizeof(std::int64_t));
  PrivacyStatement statement = read_statement(reader.object("privacy"));

  std::vector<NoisyBlock> blocks;
  std::size_t offset = 0;
  const Json& shapes = reader.array("payload");
  reader.finish();
  for (const Json& shape : shapes) {
    JsonObjectReader shape_reader(shape, ErrorCode::kInvalidRelease, what + ", in its payload,");
    const std::string name = shape_reader.text("block");
    const std::int64_t rows = shape_reader.integer("rows");
    const std::int64_t columns = shape_reader.integer("columns");
    shape_reader.finish();
    const std::size_t left = (file.payload.size() - offset) / 8;
    if (blocks.size() >= features.blocks().size() ||
        name != features.blocks()[blocks.size()].name || rows < 1 || columns < 1 ||
        static_cast<std::uint64_t>(columns) > left / static_cast<std::uint64_t>(rows)) {
      shape_reader.fail("names a block that is not there, or more numbers than it holds");
    }
    NoisyBlock block{static_cast<std::size_t>(rows),
                     static_cast<std::size_t>(columns),
                     {},
                     features.blocks()[blocks.size()].grid_exponent()};
    block.grid_sums.resize(block.rows * block.columns);
    for (std::int64_t& value : block.grid_sums) {
      value = static_cast<std::int64_t>(read_little_endian(file.payload, offset, 8));
      offset += 8;
    }
    blocks.push_back(std::move(block));
  }
  if (offset != file.payload.size()) {
    reader.fail("describes less than the payload holds");
  }
  const std::string own_or_meant = names_its_method ? method : method_of_old_files(features);
  Release release(own_or_meant, schema, std::move(features), std::move(statement),
                  std::move(blocks));
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
