// What is counted, as JSON, a part of the release file (docs/format.md).

#include <fmt/format.h>

#include "mehler/core/name_suggestions.h"
#include "mehler/core/overloaded.h"
#include "mehler/core/strict_json.h"
#include "mehler/counts/count_set.h"
#include "mehler/counts/partitions_json.h"
#include "mehler/counts/vector_sums_json.h"

namespace mehler {
namespace {

constexpr std::size_t kMaxStepName = 40;
constexpr const char* kRecords = "records";
constexpr const char* kMarginal = "marginal";
constexpr const char* kHalves = "halves";
constexpr const char* kCells = "cells";

Json block_json(const Encoder& encoder, const CountBlock& block, PartitionList& cells,
                VectorList& vectors) {
  Json json;
  json["name"] = block.name;
  if (!block.step.empty()) {
    json["step"] = block.step;
  }
  const auto write_columns = [&](const char* counts, const std::vector<CountedColumn>& columns) {
    json["counts"] = counts;
    json["cells"] = Json::array();
    for (const CountedColumn& counted : columns) {
      json["cells"].push_back(cells.place(counted));
    }
  };
  std::visit(Overloaded{[&](const RecordCount&) { json["counts"] = kRecords; },
                        [&](const Marginal& table) { write_columns(kMarginal, table.columns); },
                        [&](const CellCounts& table) { write_columns(kCells, table.columns); },
                        [&](const HalvedRanges& ranges) {
                          json["counts"] = kHalves;
                          json["column"] = encoder.columns()[ranges.column].name;
                          json["ranges"] = ranges_json(*ranges.halves);
                        },
                        [&](const VectorSum& sum) { vectors.write(sum, cells, json); }},
             block.counted);
  return json;
}

std::string read_step(JsonObjectReader& reader) {
  const std::optional<std::string> step = reader.optional_text("step");
  if (step && (step->empty() || step->size() > kMaxStepName)) {
    reader.fail(fmt::format("has a step whose name is not of 1 to {} letters", kMaxStepName));
  }
  return step.value_or("");
}

CountBlock read_block(const Encoder& encoder, const PartitionList& cells, const VectorList& vectors,
                      const Json& json) {
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease, "a block of counts");
  CountBlock block;
  block.name = reader.text("name");
  block.step = read_step(reader);
  const std::string counts = reader.text("counts");
  if (counts == kMarginal || counts == kCells) {
    std::vector<CountedColumn> columns;
    for (const Json& place : reader.array("cells")) {
      columns.push_back(cells.at(place, reader));
    }
    if (counts == kMarginal) {
      block.counted = Marginal{std::move(columns)};
    } else {
      block.counted = CellCounts{std::move(columns)};
    }
  } else if (counts == kHalves) {
    block.counted = read_ranges(encoder, reader);
  } else if (counts == kVectorSum) {
    block.counted = vectors.read(cells, reader);
  } else if (counts != kRecords) {
    reader.fail(fmt::format("counts '{}', which this version does not know", shown(counts)));
  }
  reader.finish();
  return block;
}

}  // namespace

std::string CountSet::to_json(const Encoder& encoder) const {
  PartitionList cells;
  VectorList vectors;
  Json blocks = Json::array();
  for (const CountBlock& block : blocks_) {
    blocks.push_back(block_json(encoder, block, cells, vectors));
  }
  Json lists = Json::object();
  vectors.write_lists(encoder, cells, lists);
  Json json;
  json["cells"] = cells.to_json(encoder);
  json.update(lists);
  json["blocks"] = std::move(blocks);
  return json.dump();
}

CountSet CountSet::from_json(const Encoder& encoder, std::string_view text) {
  constexpr const char* kWhat = "the specification of counts";
  const Json json = parse_strict_json(text, ErrorCode::kInvalidRelease, kWhat);
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease, kWhat);
  const PartitionList cells = PartitionList::from_json(encoder, reader.array("cells"));
  const VectorList vectors = VectorList::from_json(encoder, cells, reader);
  std::vector<CountBlock> blocks;
  for (const Json& block : reader.array("blocks")) {
    blocks.push_back(read_block(encoder, cells, vectors, block));
  }
  reader.finish();
  return CountSet(encoder, std::move(blocks));
}

}  // namespace mehler
