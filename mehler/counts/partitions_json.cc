#include "mehler/counts/partitions_json.h"

#include <algorithm>
#include <limits>

#include "mehler/core/error.h"

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

std::size_t PartitionList::place(const CountedColumn& counted) {
  const auto found = std::find(entries_.begin(), entries_.end(), counted);
  if (found != entries_.end()) {
    return static_cast<std::size_t>(found - entries_.begin());
  }
  entries_.push_back(counted);
  return entries_.size() - 1;
}

Json PartitionList::to_json(const Encoder& encoder) const {
  Json json = Json::array();
  for (const CountedColumn& entry : entries_) {
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

PartitionList PartitionList::from_json(const Encoder& encoder, const Json& json) {
  PartitionList list;
  for (const Json& entry : json) {
    JsonObjectReader reader(entry, ErrorCode::kInvalidRelease, "an entry of the cells");
    const std::size_t index = encoder.index_of(reader.text("column"));
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

const CountedColumn& PartitionList::at(const Json& place, const JsonObjectReader& reader) const {
  if (!place.is_number_unsigned() || place.get<std::uint64_t>() >= entries_.size()) {
    reader.fail("counts in cells that are not listed");
  }
  return entries_[place.get<std::size_t>()];
}

Json ranges_json(const RangeHalves& halves) {
  Json json = Json::array();
  for (const auto& [first, second] : halves.ranges) {
    json.push_back(first);
    json.push_back(second);
  }
  return json;
}

HalvedRanges read_ranges(const Encoder& encoder, JsonObjectReader& reader) {
  const std::size_t column = encoder.index_of(reader.text("column"));
  const std::vector<std::uint32_t> leaves = read_leaves(reader.array("ranges"), reader);
  if (leaves.size() % 2 != 0 || !encoder.columns()[column].is_number()) {
    reader.fail("has ranges without an end, or of a column that is not of numbers");
  }
  RangeHalves halves{ValueGrid(encoder.columns()[column]), {}};
  for (std::size_t i = 0; i < leaves.size(); i += 2) {
    halves.ranges.emplace_back(leaves[i], leaves[i + 1]);
  }
  return {column, std::make_shared<const RangeHalves>(std::move(halves))};
}

}  // namespace mehler
