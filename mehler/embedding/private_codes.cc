#include "mehler/embedding/private_codes.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <cstring>
#include <mutex>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/worker_pool.h"
#include "mehler/embedding/noise.h"
#include "mehler/embedding/private_record_queue.h"
#include "mehler/features/contrasts.h"

namespace mehler {
namespace {

template <typename T>
void wipe(std::vector<T>& values) {
  OPENSSL_cleanse(values.data(), values.size() * sizeof(T));
}

template <typename Code>
void append_codes(std::vector<std::uint8_t>& bytes, std::span<const std::uint32_t> leaves) {
  std::size_t place = bytes.size();
  bytes.resize(place + leaves.size() * sizeof(Code));
  for (const std::uint32_t leaf : leaves) {
    const auto code = static_cast<Code>(leaf);
    std::memcpy(bytes.data() + place, &code, sizeof(Code));
    place += sizeof(Code);
  }
}

template <typename Code>
void for_codes(const std::vector<std::uint8_t>& bytes, const auto& work) {
  for (std::size_t row = 0; row * sizeof(Code) < bytes.size(); ++row) {
    Code code = 0;
    std::memcpy(&code, bytes.data() + row * sizeof(Code), sizeof(Code));
    work(row, static_cast<std::uint32_t>(code));
  }
}

/// Calls work(row, leaf) for all rows of a column of codes.
void for_leaves(const std::vector<std::uint8_t>& bytes, std::size_t width, const auto& work) {
  if (width == 1) {
    for_codes<std::uint8_t>(bytes, work);
  } else if (width == 2) {
    for_codes<std::uint16_t>(bytes, work);
  } else {
    for_codes<std::uint32_t>(bytes, work);
  }
}

}  // namespace

PrivateCodes::CodeColumn::CodeColumn(const Column& column) : leaves(column) {
  const std::size_t count = leaves.leaves();
  width = count <= 256 ? 1 : count <= 65'536 ? 2 : 4;
}

void PrivateCodes::CodeColumn::append(std::span<const std::uint32_t> new_leaves) {
  if (width == 1) {
    append_codes<std::uint8_t>(bytes, new_leaves);
  } else if (width == 2) {
    append_codes<std::uint16_t>(bytes, new_leaves);
  } else {
    append_codes<std::uint32_t>(bytes, new_leaves);
  }
}

PrivateCodes::PrivateCodes(PrivateTable&& table, const Encoder& encoder, std::size_t max_bytes,
                           const Context& context)
    : schema_(encoder.schema()) {
  std::size_t row_bytes = 0;
  for (const Column& column : encoder.columns()) {
    columns_.emplace_back(column);
    row_bytes += columns_.back().width + sizeof(std::uint16_t);
  }
  std::mutex mutex;
  for_private_records(
      std::move(table), encoder, context,
      [&](std::size_t, const EncodedBatch& batch, std::span<const std::uint8_t> kept) {
        std::vector<std::vector<std::uint32_t>> leaves(columns_.size());
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
        if (rows_ > max_bytes / row_bytes) {
          throw Error(ErrorCode::kInvalidTable,
                      fmt::format("the table's records take {} bytes each, and together more than "
                                  "the memory limit of {:.4g} MB; raise the limit, or use a random "
                                  "part of the records",
                                  row_bytes, static_cast<double>(max_bytes) / 1e6));
        }
        for (std::size_t c = 0; c < columns_.size(); ++c) {
          columns_[c].append(leaves[c]);
          wipe(leaves[c]);
        }
      });
  require_rows(rows_);
}

PrivateCodes::~PrivateCodes() {
  for (CodeColumn& column : columns_) {
    wipe(column.bytes);
  }
  for (auto& [key, cells] : cells_) {
    wipe(cells);
  }
  for (auto& [key, counts] : joint_counts_) {
    wipe(counts);
  }
}

std::optional<std::uint64_t> PrivateCodes::public_rows() const {
  return schema_.relation() == NeighbourRelation::kReplaceOne ? std::optional(rows_) : std::nullopt;
}

void PrivateCodes::prepare_cells(std::span<const FeatureBlock> blocks) {
  for (const FeatureBlock& block : blocks) {
    if (!block.is_contrast() || block.maps.size() < 2) {
      continue;
    }
    CountsKey key;
    for (const WeightedMap& member : block.maps) {
      const std::shared_ptr<const ColumnCells>& cells = member.map.cells();
      MEHLER_ASSERT(cells->size() <= kMaxJointCells);
      key.push_back(cells);
      std::vector<std::uint16_t>& of_rows = cells_[cells];
      if (of_rows.empty()) {
        const CodeColumn& column = columns_.at(member.map.column());
        const std::vector<std::uint32_t> lookup = cells->cells_of_leaves();
        of_rows.resize(rows_);
        for_leaves(column.bytes, column.width, [&](std::size_t row, std::uint32_t leaf) {
          of_rows[row] = static_cast<std::uint16_t>(lookup[leaf]);
        });
      }
    }
    joint_counts_[key];  // filled by measure(), whose threads must not change the map
  }
}

PrivateCodes::Counts PrivateCodes::count_cells(const FeatureBlock& block) const {
  const std::vector<std::size_t> shape = block.shape();
  std::size_t size = 1;
  for (const std::size_t cells : shape) {
    size *= cells;
  }
  Counts counts(size, 0);
  if (shape.size() == 1) {
    const FeatureMap& map = block.maps[0].map;
    const CodeColumn& column = columns_.at(map.column());
    const std::vector<std::uint32_t> lookup = map.cells()->cells_of_leaves();
    for_leaves(column.bytes, column.width,
               [&](std::size_t, std::uint32_t leaf) { ++counts[lookup[leaf]]; });
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

PrivateCodes::Counts PrivateCodes::differences(const FeatureMap& map) const {
  const ValueSplits& splits = *map.splits();
  const CodeColumn& column = columns_.at(map.column());
  // What each leaf adds, and where: one lookup a record.
  std::vector<std::int32_t> lookup(column.leaves.leaves(), 0);
  for (std::size_t i = 0; i < splits.ranges.size(); ++i) {
    const auto signed_place = static_cast<std::int32_t>(i + 1);
    const auto& range = splits.ranges[i];
    for (std::uint32_t leaf = range.first; leaf < range.second; ++leaf) {
      lookup[leaf] = leaf < ValueSplits::middle(range) ? signed_place : -signed_place;
    }
  }
  Counts sums(splits.ranges.size() + 1, 0);
  for_leaves(column.bytes, column.width, [&](std::size_t, std::uint32_t leaf) {
    const std::int32_t place = lookup[leaf];
    sums[static_cast<std::size_t>(place < 0 ? -place : place)] += place < 0 ? -1 : 1;
  });
  sums.erase(sums.begin());  // values in no range
  return sums;
}

PrivateCodes::Counts PrivateCodes::exact_sums(const FeatureBlock& block) const {
  const FeatureMap& map = block.maps.front().map;
  if (map.kind() == FeatureMap::Kind::kConstant) {
    return {static_cast<std::int64_t>(rows_)};
  }
  if (map.kind() == FeatureMap::Kind::kDifferences) {
    return differences(map);
  }
  MEHLER_ASSERT(block.is_contrast());
  if (block.maps.size() == 1) {
    return contrasts_of_counts(count_cells(block), block.shape());
  }
  CountsKey key;
  for (const WeightedMap& member : block.maps) {
    key.push_back(member.map.cells());
  }
  return contrasts_of_counts(joint_counts_.at(key), block.shape());
}

std::vector<NoisyBlock> PrivateCodes::measure(std::span<const FeatureBlock> blocks,
                                              GaussianMechanism&& mechanism,
                                              const Context& context) {
  const GaussianMechanism paid = std::move(mechanism);
  MEHLER_ASSERT(paid.blocks().size() == blocks.size());
  prepare_cells(blocks);
  std::vector<NoisyBlock> result(blocks.size());
  WorkerPool pool(context.threads);
  pool.run(blocks.size(), [&](std::size_t i) {
    context.throw_if_cancelled();
    const FeatureBlock& block = blocks[i];
    if (block.is_contrast() && block.maps.size() > 1) {
      CountsKey key;
      for (const WeightedMap& member : block.maps) {
        key.push_back(member.map.cells());
      }
      // Each block of a round is of columns of its own, so no two threads meet here.
      Counts& counts = joint_counts_.at(key);
      if (counts.empty()) {
        counts = count_cells(block);
      }
    }
    Counts sums = exact_sums(block);
    scale_to_grid(sums, block.grid_exponent());
    result[i] = with_noise(block, 1, std::move(sums), paid.blocks()[i].sigma);
  });
  return result;
}

}  // namespace mehler
