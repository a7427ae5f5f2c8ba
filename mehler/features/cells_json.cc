#include "mehler/features/cells_json.h"

#include <fmt/format.h>

#include <limits>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"

namespace mehler {
namespace {

std::vector<std::uint32_t> read_leaves(const Json& json, const JsonObjectReader& reader) {
  std::vector<std::uint32_t> leaves;
  for (const Json& leaf : json) {
    if (!leaf.is_number_unsigned() ||
        leaf.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max()) {
      reader.fail("has cells or ranges that are not whole numbers from 0 on");
    }
    leaves.push_back(leaf.get<std::uint32_t>());
  }
  return leaves;
}

}  // namespace

std::size_t find_used_column(const Encoder& encoder, const std::string& name,
                             const JsonObjectReader& reader) {
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    if (encoder.columns()[i].name == name) {
      return i;
    }
  }
  reader.fail(fmt::format("names the column '{}', which the schema does not use", shown(name)));
}

std::size_t CellsList::place(const FeatureMap& map) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].column == map.column() &&
        (entries_[i].cells == map.cells() || *entries_[i].cells == *map.cells())) {
      return i;
    }
  }
  entries_.push_back({map.column(), map.cells()});
  return entries_.size() - 1;
}

Json CellsList::to_json(const Encoder& encoder) const {
  Json json = Json::array();
  for (const Entry& entry : entries_) {
    Json cells;
    cells["column"] = encoder.columns()[entry.column].name;
    if (entry.cells->column().is_number()) {
      cells["starts"] = entry.cells->starts();
    } else {
      cells["rare"] = entry.cells->rare();
    }
    json.push_back(std::move(cells));
  }
  return json;
}

CellsList CellsList::from_json(const Encoder& encoder, const Json& json) {
  CellsList list;
  for (const Json& entry : json) {
    JsonObjectReader reader(entry, ErrorCode::kInvalidRelease,
                            "an entry of the feature specification's cells");
    const std::size_t index = find_used_column(encoder, reader.text("column"), reader);
    const Column& column = encoder.columns()[index];
    list.entries_.push_back(
        {index,
         std::make_shared<const ColumnPartition>(
             column.is_number()
                 ? ColumnPartition::ranges(column, read_leaves(reader.array("starts"), reader))
                 : ColumnPartition::grouped(column, read_leaves(reader.array("rare"), reader)))});
    reader.finish();
  }
  return list;
}

FeatureMap CellsList::contrast(std::int64_t place, const JsonObjectReader& reader) const {
  if (place < 0 || static_cast<std::uint64_t>(place) >= entries_.size() ||
      entries_[static_cast<std::size_t>(place)].cells->size() < 2) {
    reader.fail("has contrasts of cells that are not listed, or of a single cell");
  }
  const Entry& entry = entries_[static_cast<std::size_t>(place)];
  return FeatureMap::contrast(entry.column, entry.cells);
}

Json ranges_json(const RangeHalves& splits) {
  Json json = Json::array();
  for (const auto& [first, second] : splits.ranges) {
    json.push_back(first);
    json.push_back(second);
  }
  return json;
}

FeatureMap read_differences(const Encoder& encoder, std::size_t column, const Json& ranges,
                            const JsonObjectReader& reader) {
  const std::vector<std::uint32_t> leaves = read_leaves(ranges, reader);
  if (leaves.size() % 2 != 0 || !encoder.columns()[column].is_number()) {
    reader.fail("has ranges without an end, or of a column that is not of numbers");
  }
  RangeHalves splits{ValueGrid(encoder.columns()[column]), {}};
  for (std::size_t i = 0; i < leaves.size(); i += 2) {
    splits.ranges.emplace_back(leaves[i], leaves[i + 1]);
  }
  return FeatureMap::differences(column, std::make_shared<const RangeHalves>(std::move(splits)));
}

}  // namespace mehler
