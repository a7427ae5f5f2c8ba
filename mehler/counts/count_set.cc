#include "mehler/counts/count_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/counts/contrasts.h"

namespace mehler {
namespace {

void require_cells(const Encoder& encoder, const CellCounts& cells, const std::string& name) {
  std::set<std::size_t> columns;
  bool ascending = true;
  for (const CountedColumn& counted : cells.columns) {
    MEHLER_ASSERT(counted.cells && counted.column < encoder.columns().size());
    ascending = ascending && (columns.empty() || *columns.rbegin() < counted.column);
    columns.insert(counted.column);
  }
  if (columns.empty() || !ascending || columns.size() > kMaxCellColumns) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("block '{}' counts the cells of 1 to {} different columns in their "
                            "order, but has others",
                            shown(name), kMaxCellColumns));
  }
}

void require_marginal(const Encoder& encoder, const Marginal& marginal, const std::string& name) {
  std::set<std::size_t> columns;
  for (const CountedColumn& counted : marginal.columns) {
    MEHLER_ASSERT(counted.cells && counted.column < encoder.columns().size());
    columns.insert(counted.column);
  }
  if (columns.empty() || columns.size() != marginal.columns.size() ||
      columns.size() > kMaxMarginalColumns || contrast_count(marginal.shape()) == 0) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("block '{}' counts the cells of 1 to {} different columns, each of two "
                            "cells or more, but has others",
                            shown(name), kMaxMarginalColumns));
  }
}

/// Adds what a block's counts take to `bytes`; throws if that is more than the limit.
void require_memory(const CountBlock& block, std::size_t& bytes) {
  const std::size_t own = bytes_of(std::span(&block, 1));
  if (own > CountSet::kMaxBytes - bytes) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the counts of block '{}' would take {:.4g} MB besides {:.4g} MB of "
                            "the blocks before it, and all blocks together may take {} MB; group "
                            "rare categories in the schema, or ignore columns",
                            shown(block.name), static_cast<double>(own) / 1e6,
                            static_cast<double>(bytes) / 1e6, CountSet::kMaxBytes / 1'000'000));
  }
  bytes += own;
}

}  // namespace

CountSet::CountSet(const Encoder& encoder, std::vector<CountBlock> blocks)
    : blocks_(std::move(blocks)) {
  if (blocks_.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "there is nothing to count: there is no block");
  }
  std::set<std::string> names;
  std::size_t bytes = 0;
  for (const CountBlock& block : blocks_) {
    if (!names.insert(block.name).second) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("two blocks of counts have the name '{}'", shown(block.name)));
    }
    if (const Marginal* marginal = block.marginal()) {
      require_marginal(encoder, *marginal, block.name);
    } else if (const auto* ranges = std::get_if<HalvedRanges>(&block.counted)) {
      MEHLER_ASSERT(ranges->halves && ranges->column < encoder.columns().size());
      ranges->halves->validate();
    } else if (const CellCounts* cells = block.cell_counts()) {
      require_cells(encoder, *cells, block.name);
    } else if (const VectorSum* sum = block.vector_sum()) {
      sum->validate(fmt::format("block '{}'", shown(block.name)));
    }
    require_memory(block, bytes);
  }
}

std::size_t CountSet::dimension() const { return bytes_of(blocks_) / sizeof(std::int64_t); }

std::size_t bytes_of(std::span<const CountBlock> blocks) {
  std::size_t bytes = 0;
  for (const CountBlock& block : blocks) {
    bytes += multiply_saturating(block.dimension(), sizeof(std::int64_t));
  }
  return bytes;
}

void require_varying_column(const Encoder& encoder) {
  if (std::all_of(encoder.columns().begin(), encoder.columns().end(), [](const Column& column) {
        return ColumnPartition::even(column, 2).size() < 2;
      })) {
    throw Error(ErrorCode::kInvalidArgument,
                "every column of the schema has a single possible value, so there is nothing to "
                "measure; declare more values, or add columns");
  }
}

}  // namespace mehler
