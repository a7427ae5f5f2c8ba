// Model files, version 1: the release, whole, and what its kind of model adds. The normative
// description is docs/format.md.

#include "mehler/generator/model_file.h"

#include <fmt/format.h>

#include <array>

#include "mehler/core/name_suggestions.h"
#include "mehler/core/version.h"
#include "mehler/generator/bayes_network/bayes_network_generator.h"
#include "mehler/generator/fitted_table/table_generator.h"
#include "mehler/generator/images/image_generator.h"
#include "mehler/generator/moments/moments_generator.h"
#include "mehler/generator/neural/network_generator.h"
#include "mehler/release/checked_file.h"

namespace mehler {
namespace {

constexpr std::array kModelKinds = {
    ModelKind{TableGenerator::kKind, TableGenerator::read},
    ModelKind{MomentsGenerator::kKind, MomentsGenerator::read},
    ModelKind{ImageGenerator::kKind, ImageGenerator::read},
    ModelKind{BayesNetworkGenerator::kKind, BayesNetworkGenerator::read},
    ModelKind{NetworkGenerator::kKind, NetworkGenerator::read},
};

const ModelKind& kind_named_by(JsonObjectReader& header) {
  // The first files of this version did not say; all of them held networks.
  const std::string name =
      header.optional_text("model").value_or(std::string(NetworkGenerator::kKind));
  std::vector<std::string> known;
  for (const ModelKind& kind : model_kinds()) {
    if (kind.name == name) {
      return kind;
    }
    known.emplace_back(kind.name);
  }
  header.fail(
      fmt::format("names the kind of model '{}', but this program knows only {}; use a "
                  "newer mehler",
                  shown(name), list_names(known)));
}

}  // namespace

std::span<const ModelKind> model_kinds() { return kModelKinds; }

std::string serialize_model(std::string_view kind, const Release& release, const Json& keys,
                            std::string_view numbers) {
  std::string payload = release.to_bytes();
  Json header;
  header["mehler_model"] = Generator::kVersion;
  header["model"] = kind;
  header["created_by"] = fmt::format("mehler {}", mehler::kVersion);
  header["release_bytes"] = payload.size();
  header.update(keys);
  header["in_words"] = release.in_words();
  payload += numbers;
  return serialize_checked_file(CheckedFileKind::kModel, Generator::kVersion,
                                {header.dump(), payload});
}

std::unique_ptr<Generator> Generator::from_bytes(std::string_view bytes,
                                                 std::string_view shown_name) {
  const CheckedFile file = parse_checked_file(bytes, CheckedFileKind::kModel, kVersion, shown_name);
  try {
    const Json json = parse_strict_json(file.header, ErrorCode::kInvalidRelease, "its header");
    JsonObjectReader header(json, ErrorCode::kInvalidRelease, "its header");
    if (header.integer("mehler_model") != kVersion) {
      header.fail("states another version than the file");
    }
    const ModelKind& kind = kind_named_by(header);
    header.text("created_by");
    const std::string words = header.text("in_words");
    const std::int64_t release_bytes = header.integer("release_bytes");
    if (release_bytes < 0 || static_cast<std::uint64_t>(release_bytes) > file.payload.size()) {
      header.fail("gives the release inside another size than the file holds");
    }
    const auto size = static_cast<std::size_t>(release_bytes);
    const std::string_view payload = file.payload;
    Release release = Release::from_bytes(payload.substr(0, size), "the release inside");
    release.require_own_words(words);
    std::unique_ptr<Generator> generator =
        kind.read({std::move(release), header, payload.substr(size)});
    header.finish();
    return generator;
  } catch (const Error& error) {
    throw Error(ErrorCode::kInvalidRelease,
                fmt::format("'{}' is no valid model: {}; train it again from its release",
                            shown_name, error.what()));
  }
}

}  // namespace mehler
