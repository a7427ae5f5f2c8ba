// The feature specification as JSON, a part of the release file (docs/format.md).

#include <fmt/format.h>

#include "mehler/core/strict_json.h"
#include "mehler/features/feature_set.h"

namespace mehler {
namespace {

const char* combination_name(Combination combination) {
  return combination == Combination::kProduct ? "product" : "sum";
}

Json map_json(const Encoder& encoder, const WeightedMap& member) {
  Json json;
  switch (member.map.kind()) {
    case FeatureMap::Kind::kConstant:
      json["map"] = "constant";
      break;
    case FeatureMap::Kind::kOneHot:
      json["map"] = "one-hot";
      json["column"] = encoder.columns()[member.map.column()].name;
      break;
    case FeatureMap::Kind::kHermite:
      json["map"] = "hermite";
      json["column"] = encoder.columns()[member.map.column()].name;
      json["order"] = member.map.hermite().order();
      json["length_scale"] = member.map.hermite().length_scale();
      json["rho"] = member.map.hermite().rho();
      break;
  }
  json["weight"] = json_number(member.weight);
  return json;
}

std::size_t find_column(const Encoder& encoder, JsonObjectReader& reader) {
  const std::string name = reader.text("column");
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    if (encoder.columns()[i].name == name) {
      return i;
    }
  }
  reader.fail(fmt::format("names the column '{}', which the schema does not use", name));
}

WeightedMap read_map(const Encoder& encoder, const Json& json, const std::string& what) {
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease, what);
  const std::string kind = reader.text("map");
  const double weight = reader.number("weight");
  if (kind == "constant") {
    reader.finish();
    return {FeatureMap::constant(), weight};
  }
  const std::size_t index = find_column(encoder, reader);
  const Column& column = encoder.columns()[index];
  if (kind == "one-hot" && column.is_category()) {
    reader.finish();
    return {FeatureMap::one_hot(index, column.code_count()), weight};
  }
  if (kind == "hermite" && column.is_number()) {
    const std::int64_t order = reader.integer("order");
    if (order < 1 || order > static_cast<std::int64_t>(HermiteFeatures::kMaxOrder)) {
      reader.fail(fmt::format("has the order {}, which is outside [1, {}]", order,
                              HermiteFeatures::kMaxOrder));
    }
    const double length_scale = reader.number("length_scale");
    const double rho = reader.number("rho");
    reader.finish();
    return {FeatureMap::hermite(index,
                                HermiteFeatures(static_cast<std::size_t>(order), length_scale, rho),
                                column.missing),
            weight};
  }
  reader.fail(fmt::format("has a map '{}' that is unknown or does not fit its column", kind));
}

}  // namespace

std::string FeatureSet::to_json(const Encoder& encoder) const {
  Json json;
  json["grid_exponent"] = kGridExponent;
  json["blocks"] = Json::array();
  for (const FeatureBlock& block : blocks_) {
    Json block_json;
    block_json["name"] = block.name;
    block_json["labelled"] = block.labelled;
    block_json["weight"] = json_number(block.weight);
    if (block.combination != Combination::kSum) {  // which is what a block without the key has
      block_json["combination"] = combination_name(block.combination);
    }
    block_json["maps"] = Json::array();
    for (const WeightedMap& member : block.maps) {
      block_json["maps"].push_back(map_json(encoder, member));
    }
    json["blocks"].push_back(std::move(block_json));
  }
  return json.dump();
}

FeatureSet FeatureSet::from_json(const Encoder& encoder, std::string_view text) {
  const Json json =
      parse_strict_json(text, ErrorCode::kInvalidRelease, "the feature specification");
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease, "the feature specification");
  if (reader.integer("grid_exponent") != kGridExponent) {
    reader.fail(fmt::format("has a grid exponent that is not {}, the only one of this version",
                            kGridExponent));
  }
  std::vector<FeatureBlock> blocks;
  for (const Json& block_json : reader.array("blocks")) {
    JsonObjectReader block_reader(block_json, ErrorCode::kInvalidRelease,
                                  "a block of the feature specification");
    FeatureBlock block;
    block.name = block_reader.text("name");
    block.labelled = block_reader.boolean("labelled");
    block.weight = block_reader.number("weight");
    if (block_reader.find("combination") != nullptr) {
      const std::string combination = block_reader.text("combination");
      if (combination != combination_name(Combination::kProduct)) {
        block_reader.fail(
            fmt::format("has the combination '{}'; the only one that is written is "
                        "'{}'",
                        combination, combination_name(Combination::kProduct)));
      }
      block.combination = Combination::kProduct;
    }
    for (const Json& map : block_reader.array("maps")) {
      block.maps.push_back(read_map(encoder, map, fmt::format("block '{}'", block.name)));
    }
    block_reader.finish();
    blocks.push_back(std::move(block));
  }
  reader.finish();
  return FeatureSet(encoder, std::move(blocks));
}

}  // namespace mehler
