// The feature specification as JSON, a part of the release file (docs/format.md).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mehler/core/name_suggestions.h"
#include "mehler/core/strict_json.h"
#include "mehler/features/feature_set.h"

namespace mehler {
namespace {

const char* combination_name(Combination combination) {
  return combination == Combination::kProduct ? "product" : "sum";
}

Json bound_json(const CertifiedBound& bound) {
  return {
      {"bound", bound.value}, {"grid_step", bound.grid_step}, {"grid_maximum", bound.grid_maximum}};
}

/// How the suprema that the sensitivity needs were proven: the norm's, and under replace-one that
/// of differences.
Json certificate_json(const Encoder& encoder, const FeatureMap& map) {
  Json json;
  json["squared_norm"] = bound_json(map.norm_certificate());
  if (encoder.schema().relation() == NeighbourRelation::kReplaceOne) {
    json["squared_difference"] = bound_json(certify_squared_difference(map.hermite()));
  }
  return json;
}

Json input_names(const Encoder& encoder, const FeatureMap& map) {
  Json names = Json::array();
  for (const MapInput& input : map.inputs()) {
    names.push_back(encoder.columns()[input.column].name);
  }
  return names;
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
    case FeatureMap::Kind::kMissing:
      json["map"] = "missing";
      json["column"] = encoder.columns()[member.map.column()].name;
      break;
    case FeatureMap::Kind::kFourier:
    case FeatureMap::Kind::kFourierOfPixels:
      json["map"] = "fourier";
      if (member.map.kind() == FeatureMap::Kind::kFourierOfPixels) {
        json["column"] = encoder.columns()[member.map.column()].name;
      } else {
        json["columns"] = input_names(encoder, member.map);
      }
      json["frequencies"] = member.map.random_fourier().frequencies();
      json["length_scale"] = member.map.random_fourier().length_scale();
      json["seed"] = member.map.random_fourier().seed();
      break;
    case FeatureMap::Kind::kPixels:
    case FeatureMap::Kind::kHermite:
      json["map"] = member.map.kind() == FeatureMap::Kind::kPixels ? "pixels" : "hermite";
      if (member.map.is_of_one_column()) {
        json["column"] = encoder.columns()[member.map.column()].name;
        if (member.map.inputs()[0].element) {
          json["element"] = *member.map.inputs()[0].element;
        }
      } else {
        json["columns"] = input_names(encoder, member.map);
        json["coefficients"] = Json::array();
        for (const MapInput& input : member.map.inputs()) {
          json["coefficients"].push_back(json_number(input.coefficient));
        }
      }
      json["order"] = member.map.hermite().order();
      json["length_scale"] = member.map.hermite().length_scale();
      json["rho"] = member.map.hermite().rho();
      json["certificate"] = certificate_json(encoder, member.map);
      break;
  }
  json["weight"] = json_number(member.weight);
  return json;
}

/// The columns of a map of several: all numbers.
std::vector<std::size_t> find_columns(const Encoder& encoder, JsonObjectReader& reader) {
  std::vector<std::size_t> columns;
  for (const Json& name : reader.array("columns")) {
    if (!name.is_string()) {
      reader.fail("has a column whose name is not a text");
    }
    columns.push_back(encoder.index_of(name.get<std::string>()));
    if (!encoder.columns()[columns.back()].is_number()) {
      reader.fail("takes a column that is not of numbers");
    }
  }
  if (columns.empty()) {
    reader.fail("has no columns");
  }
  return columns;
}

std::size_t read_count(JsonObjectReader& reader, const char* key, std::size_t largest) {
  const std::int64_t count = reader.integer(key);
  if (count < 1 || static_cast<std::uint64_t>(count) > largest) {
    reader.fail(fmt::format("has the {} {}, which is outside [1, {}]", key, count, largest));
  }
  return static_cast<std::size_t>(count);
}

/// `room`: how many features there can still be. `elements`: of how many numbers they are.
HermiteFeatures read_hermite(JsonObjectReader& reader, std::size_t& room,
                             std::size_t elements = 1) {
  const std::size_t order = read_count(reader, "order", HermiteFeatures::kMaxOrder);
  if (order >= room / elements) {
    reader.fail("has more features than there are numbers in the release");
  }
  room -= (order + 1) * elements;
  const double length_scale = reader.number("length_scale");
  return HermiteFeatures(order, length_scale, reader.number("rho"));
}

FeatureMap read_direction(const Encoder& encoder, JsonObjectReader& reader, std::size_t& room) {
  std::vector<MapInput> inputs;
  bool may_miss = false;
  const Json& coefficients = reader.array("coefficients");
  const std::vector<std::size_t> columns = find_columns(encoder, reader);
  if (coefficients.size() != columns.size()) {
    reader.fail("has another number of coefficients than of columns");
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!coefficients[i].is_number()) {
      reader.fail("has a coefficient that is not a number");
    }
    inputs.push_back({columns[i], coefficients[i].get<double>()});
    may_miss = may_miss || encoder.columns()[columns[i]].missing;
  }
  return FeatureMap::hermite(std::move(inputs), read_hermite(reader, room), may_miss);
}

FeatureMap read_fourier(const Encoder& encoder, JsonObjectReader& reader) {
  std::optional<std::size_t> image;
  std::vector<std::size_t> columns;
  if (reader.find("columns") != nullptr) {
    columns = find_columns(encoder, reader);
  } else {
    image = encoder.index_of(reader.text("column"));
    if (!encoder.columns()[*image].is_image()) {
      reader.fail("has Fourier features of one column that is not of images");
    }
  }
  const std::size_t inputs = image ? encoder.columns()[*image].shape->size() : columns.size();
  const std::size_t frequencies =
      read_count(reader, "frequencies", RandomFourierFeatures::kMaxFrequencies);
  const double length_scale = reader.number("length_scale");
  const std::int64_t seed = reader.integer("seed");
  if (seed < 0) {
    reader.fail(fmt::format("has the seed {}, which is below 0", seed));
  }
  RandomFourierFeatures features(inputs, frequencies, length_scale,
                                 static_cast<std::uint64_t>(seed));
  return image ? FeatureMap::fourier_of_pixels(*image, std::move(features))
               : FeatureMap::fourier(columns, std::move(features));
}

FeatureMap read_map_of_column(const Encoder& encoder, const std::string& kind,
                              JsonObjectReader& reader, std::size_t& room) {
  const std::size_t index = encoder.index_of(reader.text("column"));
  const Column& column = encoder.columns()[index];
  if (kind == "one-hot" && column.is_category()) {
    return FeatureMap::one_hot(index, column.code_count());
  }
  if (kind == "missing" && column.is_number() && column.missing) {
    return FeatureMap::missing(index);
  }
  if (kind == "hermite" && column.is_number()) {
    return FeatureMap::hermite(index, read_hermite(reader, room), column.missing);
  }
  if (kind == "pixels" && column.is_image()) {
    const std::size_t elements = column.shape->size();
    return FeatureMap::pixels(index, elements, read_hermite(reader, room, elements));
  }
  if (kind == "hermite" && column.is_image()) {
    const std::int64_t element = reader.integer("element");
    if (element < 0 || static_cast<std::uint64_t>(element) >= column.shape->size()) {
      reader.fail(
          fmt::format("takes the byte {} of images of {} bytes", element, column.shape->size()));
    }
    return FeatureMap::pixel(index, static_cast<std::size_t>(element), read_hermite(reader, room));
  }
  reader.fail(
      fmt::format("has a map '{}' that is unknown or does not fit its column", shown(kind)));
}

bool agrees(const Json& stated, const Json& derived) {
  if (derived.is_object()) {
    return stated.is_object() && stated.size() == derived.size() &&
           std::all_of(derived.items().begin(), derived.items().end(), [&](const auto& item) {
             return stated.contains(item.key()) && agrees(stated[item.key()], item.value());
           });
  }
  const auto wanted = derived.get<double>();
  return stated.is_number() &&
         std::fabs(stated.get<double>() - wanted) <= 1e-9 * std::fabs(wanted) + 1e-300;
}

WeightedMap read_map(const Encoder& encoder, const Json& json, const std::string& what,
                     std::size_t& room) {
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease, what);
  const Json* certificate = reader.find("certificate");
  const std::string kind = reader.text("map");
  const double weight = reader.number("weight");
  FeatureMap map = FeatureMap::constant();
  if (kind == "fourier") {
    map = read_fourier(encoder, reader);
  } else if (kind == "hermite" && reader.find("columns") != nullptr) {
    map = read_direction(encoder, reader, room);
  } else if (kind != "constant") {
    map = read_map_of_column(encoder, kind, reader, room);
  }
  reader.finish();
  // The certificate is for people who check it by hand; what is derived here counts.
  const bool is_hermite =
      map.kind() == FeatureMap::Kind::kHermite || map.kind() == FeatureMap::Kind::kPixels;
  if (certificate != nullptr &&
      (!is_hermite || !agrees(*certificate, certificate_json(encoder, map)))) {
    reader.fail("has a certificate of its bounds that is not the one its features have");
  }
  return {std::move(map), weight};
}

}  // namespace

std::string FeatureSet::to_json(const Encoder& encoder) const {
  Json json;
  json["grid_exponent"] = kGridExponent;
  Json blocks = Json::array();
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
    blocks.push_back(std::move(block_json));
  }
  json["blocks"] = std::move(blocks);
  return json.dump();
}

FeatureSet FeatureSet::from_json(const Encoder& encoder, std::string_view text,
                                 std::size_t max_features) {
  std::size_t room = max_features;
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
                        shown(combination), combination_name(Combination::kProduct)));
      }
      block.combination = Combination::kProduct;
    }
    for (const Json& map : block_reader.array("maps")) {
      block.maps.push_back(
          read_map(encoder, map, fmt::format("block '{}'", shown(block.name)), room));
    }
    block_reader.finish();
    blocks.push_back(std::move(block));
  }
  reader.finish();
  return FeatureSet(encoder, std::move(blocks));
}

}  // namespace mehler
