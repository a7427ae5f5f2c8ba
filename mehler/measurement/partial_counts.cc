#include "mehler/measurement/partial_counts.h"

#include <map>

#include "mehler/core/error.h"
#include "mehler/counts/count_rows.h"
#include "mehler/counts/vector_accumulator.h"
#include "mehler/measurement/internal/image_rows.h"

namespace mehler {
namespace {

std::size_t cells_in(const Marginal& table) {
  std::size_t cells = 1;
  for (const std::size_t size : table.shape()) {
    cells *= size;
  }
  return cells;
}

void add(WipedVector<std::int64_t>& to, const WipedVector<std::int64_t>& from) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] += from[i];
  }
}

void add_images(const VectorSum& sum, const EncodedBatch& batch,
                std::span<const std::uint32_t> rows, VectorAccumulator& to) {
  const ImageScores& scores = *sum.image->scores;
  const WipedVector<std::uint8_t>& pixels = batch.columns.at(scores.column()).pixels;
  for_image_tiles(
      scores, 0, rows.size(),
      [&](std::size_t i) { return &pixels[rows[i] * scores.shape().size()]; },
      [&](std::size_t i) { return sum.class_of(batch, rows[i]); },
      [&](std::span<const float> of_rows, std::span<const std::uint32_t> classes, std::size_t,
          std::size_t) { to.add_images(of_rows, classes); });
}

}  // namespace

std::shared_ptr<const ValueGrids> value_grids(const Encoder& encoder) {
  return std::make_shared<const ValueGrids>(encoder.columns().begin(), encoder.columns().end());
}

PartialCounts::PartialCounts(std::shared_ptr<const ValueGrids> grids, CountRequest request)
    : request_(std::move(request)),
      grids_(std::move(grids)),
      locks_(std::make_unique<std::vector<std::mutex>>(
          request_.columns.size() + request_.tables.size() + request_.sums.size() + 1)) {
  columns_.resize(request_.columns.size());
  for (const Marginal& table : request_.tables) {
    tables_.emplace_back(cells_in(table), 0);
  }
  for (const VectorSum& sum : request_.sums) {
    sums_.emplace_back(sum.dimension(), 0);
  }
}

void PartialCounts::add(const EncodedBatch& batch, std::span<const std::uint8_t> kept) {
  WipedVector<std::uint32_t> rows;
  for (std::size_t row = 0; row < batch.rows; ++row) {
    if (kept.empty() || kept[row] != 0) {
      rows.push_back(static_cast<std::uint32_t>(row));
    }
  }
  {
    const std::lock_guard lock(locks_->back());
    rows_ += rows.size();
  }
  add_to_columns(batch, rows);
  add_to_tables(batch, rows);
  add_to_sums(batch, rows);
}

void PartialCounts::add_to_columns(const EncodedBatch& batch, std::span<const std::uint32_t> rows) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t column = request_.columns[i];
    const std::lock_guard lock((*locks_)[i]);
    WipedVector<std::int64_t>& counts = columns_[i].dense;
    counts.resize((*grids_)[column].leaves());
    for (const std::uint32_t row : rows) {
      ++counts[(*grids_)[column].leaf_of(batch.columns[column], row)];
    }
  }
}

void PartialCounts::add_to_tables(const EncodedBatch& batch, std::span<const std::uint32_t> rows) {
  std::map<const ColumnPartition*, WipedVector<std::uint32_t>> cells;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    std::vector<const std::uint32_t*> of_columns;
    for (const CountedColumn& counted : request_.tables[t].columns) {
      WipedVector<std::uint32_t>& of_rows = cells[counted.cells.get()];
      if (of_rows.empty()) {
        for (const std::uint32_t row : rows) {
          of_rows.push_back(static_cast<std::uint32_t>(counted.cells->cell_of(
              (*grids_)[counted.column].leaf_of(batch.columns[counted.column], row))));
        }
      }
      of_columns.push_back(of_rows.data());
    }
    const std::lock_guard lock((*locks_)[columns_.size() + t]);
    count_rows<std::uint32_t>(of_columns, request_.tables[t].shape(), rows.size(),
                              tables_[t].data());
  }
}

void PartialCounts::add_to_sums(const EncodedBatch& batch, std::span<const std::uint32_t> rows) {
  for (std::size_t s = 0; s < sums_.size(); ++s) {
    const VectorSum& sum = request_.sums[s];
    VectorAccumulator added(sum);
    if (sum.image) {
      add_images(sum, batch, rows, added);
    } else {
      WipedVector<std::uint32_t> leaves(batch.columns.size());
      for (const std::uint32_t row : rows) {
        for (std::size_t c = 0; c < leaves.size(); ++c) {
          leaves[c] = (*grids_)[c].leaf_of(batch.columns[c], row);
        }
        added.add(leaves);
      }
    }
    const std::lock_guard lock((*locks_)[columns_.size() + tables_.size() + s]);
    added.add_to(sums_[s]);
  }
}

void PartialCounts::merge(PartialCounts&& other) {
  if (!(request_ == other.request_) || !(*grids_ == *other.grids_)) {
    throw Error(ErrorCode::kInvalidArgument,
                "two parts of counts can be merged only if they answer one request, of records of "
                "one schema");
  }
  const PartialCounts added = std::move(other);
  rows_ += added.rows_;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    WipedVector<std::int64_t>& counts = columns_[i].dense;
    counts.resize((*grids_)[request_.columns[i]].leaves());
    added.columns_[i].for_each(
        [&](std::uint32_t leaf, std::int64_t count) { counts[leaf] += count; });
  }
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    mehler::add(tables_[t], added.tables_[t]);
  }
  for (std::size_t s = 0; s < sums_.size(); ++s) {
    mehler::add(sums_[s], added.sums_[s]);
  }
}

}  // namespace mehler
