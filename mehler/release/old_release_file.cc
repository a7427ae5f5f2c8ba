#include "mehler/release/old_release_file.h"

namespace mehler {
namespace {

/// Version 1 also stated what follows from the rest; its readers compared it.
Json privacy_of(const Json& json) {
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease, "its privacy statement");
  if (reader.text("mechanism") != "gaussian-rounded-to-grid") {
    reader.fail("has an unknown mechanism");
  }
  reader.number("mu");
  Json privacy;
  privacy["epsilon"] = reader.number("epsilon");
  privacy["delta"] = reader.number("delta");
  for (const char* key : {"public_rows", "sensitivity_rule", "accounting_rule"}) {
    if (const Json* value = reader.find(key)) {
      privacy[key] = *value;
    }
  }
  privacy["charges"] = Json::array();
  for (const Json& block : reader.array("blocks")) {
    JsonObjectReader block_reader(block, ErrorCode::kInvalidRelease,
                                  "a block of its privacy statement");
    block_reader.number("mu_squared");
    privacy["charges"].push_back(Json{{"charge", "gaussian-sums"},
                                      {"name", block_reader.text("name")},
                                      {"sensitivity", block_reader.number("sensitivity")},
                                      {"sigma", block_reader.number("sigma")}});
    block_reader.finish();
  }
  privacy["in_words"] = reader.text("in_words");
  reader.finish();
  return privacy;
}

/// Counts were blocks of feature maps: a constant, contrasts of cells, or differences.
Json count_block_of(const Json& json) {
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease, "a block of counts");
  if (reader.boolean("labelled") || reader.number("weight") != 1.0) {
    reader.fail("has classes or a weight");
  }
  reader.find("combination");
  Json block;
  block["name"] = reader.text("name");
  if (const auto step = reader.optional_text("step")) {
    block["step"] = *step;
  }
  for (const Json& map : reader.array("maps")) {
    JsonObjectReader map_reader(map, ErrorCode::kInvalidRelease, "a map of a block of counts");
    const std::string kind = map_reader.text("map");
    map_reader.number("weight");
    if (kind == "contrast") {
      block["counts"] = "marginal";
      map_reader.integer("cells");
      block["cells"].push_back(*map_reader.find("cells"));
    } else if (kind == "differences") {
      block["counts"] = "halves";
      block["column"] = map_reader.text("column");
      block["ranges"] = map_reader.array("ranges");
    } else if (kind == "constant") {
      block["counts"] = "records";
    } else {
      map_reader.fail("is not of counts, as the others are");
    }
    map_reader.finish();
  }
  reader.finish();
  return block;
}

bool is_of_counts(const Json& features) {
  return features.contains("cells");  // which every release of counts had, and no other
}

Json counts_of(const Json& features) {
  JsonObjectReader reader(features, ErrorCode::kInvalidRelease, "its feature specification");
  reader.integer("grid_exponent");
  Json counts;
  counts["cells"] = reader.array("cells");
  counts["blocks"] = Json::array();
  for (const Json& block : reader.array("blocks")) {
    counts["blocks"].push_back(count_block_of(block));
  }
  reader.finish();
  return counts;
}

}  // namespace

Json header_of_version_1(const Json& header) {
  JsonObjectReader reader(header, ErrorCode::kInvalidRelease, "its header");
  if (reader.integer("mehler_release") != 1) {
    reader.fail("states another version than the file");
  }
  reader.array("payload");  // the shapes of blocks, which follow from their features
  const Json& features = reader.object("features");
  const bool counts = is_of_counts(features);
  Json result;
  result["mehler_release"] = 2;
  result["created_by"] = reader.text("created_by");
  // The first files did not name their method, and were of one of two.
  result["method"] = reader.optional_text("method").value_or(counts ? "marginals" : "dp-hp");
  result["privacy"] = privacy_of(reader.object("privacy"));
  result["schema"] = reader.object("schema");
  result[counts ? "counts" : "sums"] = counts ? counts_of(features) : features;
  reader.finish();
  return result;
}

}  // namespace mehler
