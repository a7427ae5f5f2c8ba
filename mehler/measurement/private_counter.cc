#include "mehler/measurement/private_counter.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/worker_pool.h"
#include "mehler/counts/contrasts.h"
#include "mehler/measurement/noise.h"
#include "mehler/measurement/private_record_queue.h"

namespace mehler {
namespace {

template <typename Code>
void append_codes(WipedVector<std::uint8_t>& bytes, std::span<const std::uint32_t> leaves) {
  std::size_t place = bytes.size();
  bytes.resize(place + leaves.size() * sizeof(Code));
  for (const std::uint32_t leaf : leaves) {
    const auto code = static_cast<Code>(leaf);
    std::memcpy(bytes.data() + place, &code, sizeof(Code));
    place += sizeof(Code);
  }
}

template <typename Code>
void for_codes(const WipedVector<std::uint8_t>& bytes, const auto& work) {
  for (std::size_t row = 0; row * sizeof(Code) < bytes.size(); ++row) {
    Code code = 0;
    std::memcpy(&code, bytes.data() + row * sizeof(Code), sizeof(Code));
    work(row, static_cast<std::uint32_t>(code));
  }
}

/// Calls work(row, leaf) for all rows of a column of codes.
void for_leaves(const WipedVector<std::uint8_t>& bytes, std::size_t width, const auto& work) {
  if (width == 1) {
    for_codes<std::uint8_t>(bytes, work);
  } else if (width == 2) {
    for_codes<std::uint16_t>(bytes, work);
  } else {
    for_codes<std::uint32_t>(bytes, work);
  }
}

/// Calls work(row, place_of(leaf)) for all rows. The places of all leaves are looked up beforehand
/// where there are more rows than leaves.
void for_places(const WipedVector<std::uint8_t>& bytes, std::size_t width, std::size_t leaves,
                const auto& place_of, const auto& work) {
  if (bytes.size() / width < leaves) {
    for_leaves(bytes, width,
               [&](std::size_t row, std::uint32_t leaf) { work(row, place_of(leaf)); });
    return;
  }
  std::vector<std::int32_t> places(leaves);
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    places[leaf] = place_of(static_cast<std::uint32_t>(leaf));
  }
  for_leaves(bytes, width, [&](std::size_t row, std::uint32_t leaf) { work(row, places[leaf]); });
}

WipedVector<std::int64_t> contrasts_of(WipedVector<std::int64_t> counts,
                                       const std::vector<std::size_t>& shape) {
  turn_into_contrasts(counts, shape);
  counts.resize(contrast_count(shape));
  return counts;
}

}  // namespace

PrivateCounter::CodeColumn::CodeColumn(const Column& column) : leaves(column) {
  const std::size_t count = leaves.leaves();
  width = count <= 256 ? 1 : count <= 65'536 ? 2 : 4;
}

void PrivateCounter::CodeColumn::append(std::span<const std::uint32_t> new_leaves) {
  if (width == 1) {
    append_codes<std::uint8_t>(bytes, new_leaves);
  } else if (width == 2) {
    append_codes<std::uint16_t>(bytes, new_leaves);
  } else {
    append_codes<std::uint32_t>(bytes, new_leaves);
  }
}

PrivateCounter::PrivateCounter(PrivateTable&& table, const Encoder& encoder, const Context& context)
    : schema_(encoder.schema()) {
  for (const Column& column : encoder.columns()) {
    columns_.emplace_back(column);
  }
  std::mutex mutex;
  for_private_records(
      std::move(table), encoder, context,
      [&](std::size_t, const EncodedBatch& batch, std::span<const std::uint8_t> kept) {
        std::vector<WipedVector<std::uint32_t>> leaves(columns_.size());
        for (std::size_t c = 0; c < columns_.size(); ++c) {
          leaves[c].reserve(batch.rows);
          for (std::size_t row = 0; row < batch.rows; ++row) {
            if (kept.empty() || kept[row] != 0) {
              leaves[c].push_back(columns_[c].leaves.leaf_of(batch.columns[c], row));
            }
          }
        }
        const std::lock_guard lock(mutex);
        rows_ += leaves.front().size();
        for (std::size_t c = 0; c < columns_.size(); ++c) {
          columns_[c].append(leaves[c]);
        }
      });
  require_public_rows(rows_, schema_.relation());
}

std::optional<std::uint64_t> PrivateCounter::public_rows() const {
  return schema_.relation() == NeighbourRelation::kReplaceOne ? std::optional(rows_) : std::nullopt;
}

PrivateCounter::CountsKey PrivateCounter::key_of(const FeatureBlock& block) {
  CountsKey key;
  for (const WeightedMap& member : block.maps) {
    key.push_back(member.map.cells());
  }
  return key;
}

void PrivateCounter::prepare(std::span<const FeatureBlock> blocks) {
  std::set<CountsKey> keys;
  for (const FeatureBlock& block : blocks) {
    if (!block.is_contrast() || block.maps.size() < 2) {
      continue;
    }
    if (!keys.insert(key_of(block)).second) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the counts of block '{}' would be measured twice at once; measure "
                              "them once, with more precision",
                              block.name));
    }
    for (const WeightedMap& member : block.maps) {
      const std::shared_ptr<const ColumnPartition>& cells = member.map.cells();
      MEHLER_ASSERT(cells->size() <= kMaxJointCells);
      WipedVector<std::uint16_t>& of_rows = cells_[cells];
      if (of_rows.empty()) {
        const CodeColumn& column = columns_.at(member.map.column());
        of_rows.resize(rows_);
        for_places(
            column.bytes, column.width, column.leaves.leaves(),
            [&](std::uint32_t leaf) { return static_cast<std::int32_t>(cells->cell_of(leaf)); },
            [&](std::size_t row, std::int32_t cell) {
              of_rows[row] = static_cast<std::uint16_t>(cell);
            });
      }
    }
    joint_counts_[key_of(block)];  // made now, filled by exact_sums()
  }
}

PrivateCounter::Counts PrivateCounter::count_cells(const FeatureBlock& block) const {
  const std::vector<std::size_t> shape = block.shape();
  std::size_t size = 1;
  for (const std::size_t cells : shape) {
    size *= cells;
  }
  Counts counts(size, 0);
  if (shape.size() == 1) {
    const FeatureMap& map = block.maps[0].map;
    const CodeColumn& column = columns_.at(map.column());
    for_places(
        column.bytes, column.width, column.leaves.leaves(),
        [&](std::uint32_t leaf) { return static_cast<std::int32_t>(map.cells()->cell_of(leaf)); },
        [&](std::size_t, std::int32_t cell) { ++counts[static_cast<std::size_t>(cell)]; });
    return counts;
  }
  std::vector<const std::uint16_t*> cells;
  for (const WeightedMap& member : block.maps) {
    cells.push_back(cells_.at(member.map.cells()).data());
  }
  if (shape.size() == 2) {
    for (std::size_t row = 0; row < rows_; ++row) {
      ++counts[cells[0][row] * shape[1] + cells[1][row]];
    }
    return counts;
  }
  for (std::size_t row = 0; row < rows_; ++row) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      place = place * shape[i] + cells[i][row];
    }
    ++counts[place];
  }
  return counts;
}

PrivateCounter::Counts PrivateCounter::differences(const FeatureMap& map) const {
  const RangeHalves& splits = *map.splits();
  const CodeColumn& column = columns_.at(map.column());
  // The place of a range, counted from 1, with the sign of the half; 0 outside of all.
  const auto place_of = [&](std::uint32_t leaf) {
    const std::size_t range = splits.range_of(leaf);
    if (range == RangeHalves::kNone) {
      return 0;
    }
    const auto place = static_cast<std::int32_t>(range + 1);
    return leaf < RangeHalves::middle(splits.ranges[range]) ? place : -place;
  };
  Counts sums(splits.ranges.size() + 1, 0);
  for_places(column.bytes, column.width, column.leaves.leaves(), place_of,
             [&](std::size_t, std::int32_t place) {
               sums[static_cast<std::size_t>(std::abs(place))] += place < 0 ? -1 : 1;
             });
  sums.erase(sums.begin());  // values in no range
  return sums;
}

PrivateCounter::Counts PrivateCounter::exact_sums(const FeatureBlock& block) {
  const FeatureMap& map = block.maps.front().map;
  Counts sums;
  if (map.kind() == FeatureMap::Kind::kConstant) {
    sums = {static_cast<std::int64_t>(rows_)};
  } else if (map.kind() == FeatureMap::Kind::kDifferences) {
    sums = differences(map);
  } else if (block.maps.size() == 1) {
    sums = contrasts_of(count_cells(block), block.shape());
  } else {
    MEHLER_ASSERT(block.is_contrast());
    // prepare() lets no two blocks have the same table of counts, so no two threads meet here.
    Counts& counts = joint_counts_.at(key_of(block));
    if (counts.empty()) {
      counts = count_cells(block);
    }
    sums = contrasts_of(counts, block.shape());
  }
  scale_to_grid(sums, block.grid_exponent());
  return sums;
}

std::vector<NoisyBlock> PrivateCounter::measure(GaussianMechanism&& mechanism,
                                                const Context& context) {
  mechanism.require_schema(schema_);
  prepare(mechanism.features());
  const GaussianMechanism paid = std::move(mechanism);
  const std::vector<FeatureBlock>& blocks = paid.features();
  std::vector<NoisyBlock> result(blocks.size());
  WorkerPool pool(context.threads);
  pool.run(blocks.size(), [&](std::size_t i) {
    context.throw_if_cancelled();
    result[i] = with_noise(blocks[i], 1, exact_sums(blocks[i]), paid.blocks()[i].sigma);
  });
  return result;
}

}  // namespace mehler
