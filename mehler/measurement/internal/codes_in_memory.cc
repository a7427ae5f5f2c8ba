#include "mehler/measurement/internal/codes_in_memory.h"

#include <cstring>
#include <map>
#include <mutex>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/worker_pool.h"
#include "mehler/counts/count_rows.h"
#include "mehler/measurement/internal/image_rows.h"
#include "mehler/measurement/internal/private_record_queue.h"

namespace mehler {
namespace {

/// Makes room for more bytes and says where.
std::size_t lengthen(WipedVector<std::uint8_t>& bytes, std::size_t more) {
  const std::size_t place = bytes.size();
  if (place + more > bytes.capacity()) {
    bytes.reserve(place + more + (place + more) / 4);  // not twice as much, as a vector would
  }
  bytes.resize(place + more);
  return place;
}

template <typename Code>
void append_codes(WipedVector<std::uint8_t>& bytes, std::span<const std::uint32_t> leaves) {
  std::size_t place = lengthen(bytes, leaves.size() * sizeof(Code));
  for (const std::uint32_t leaf : leaves) {
    const auto code = static_cast<Code>(leaf);
    std::memcpy(bytes.data() + place, &code, sizeof(Code));
    place += sizeof(Code);
  }
}

template <typename Code>
void for_codes(const WipedVector<std::uint8_t>& bytes, const auto& work) {
  for (std::size_t place = 0; place < bytes.size(); place += sizeof(Code)) {
    Code code = 0;
    std::memcpy(&code, bytes.data() + place, sizeof(Code));
    work(static_cast<std::uint32_t>(code));
  }
}

/// The images of the rows that are kept.
void append_images(const WipedVector<std::uint8_t>& from, std::size_t rows,
                   std::span<const std::uint8_t> kept, WipedVector<std::uint8_t>& to) {
  const std::size_t bytes = rows == 0 ? 0 : from.size() / rows;
  for (std::size_t row = 0; bytes > 0 && row < rows; ++row) {
    if (kept.empty() || kept[row] != 0) {
      const std::size_t place = lengthen(to, bytes);
      std::memcpy(to.data() + place, from.data() + row * bytes, bytes);
    }
  }
}

}  // namespace

CodesInMemory::CodeColumn::CodeColumn(std::size_t leaf_count)
    : leaves(leaf_count),
      width(leaf_count <= 256      ? 1
            : leaf_count <= 65'536 ? 2
                                   : 4) {}

void CodesInMemory::CodeColumn::append(std::span<const std::uint32_t> new_leaves) {
  if (width == 1) {
    append_codes<std::uint8_t>(bytes, new_leaves);
  } else if (width == 2) {
    append_codes<std::uint16_t>(bytes, new_leaves);
  } else {
    append_codes<std::uint32_t>(bytes, new_leaves);
  }
}

void CodesInMemory::CodeColumn::for_each(const auto& work) const {
  if (width == 1) {
    for_codes<std::uint8_t>(bytes, work);
  } else if (width == 2) {
    for_codes<std::uint16_t>(bytes, work);
  } else {
    for_codes<std::uint32_t>(bytes, work);
  }
}

std::uint32_t CodesInMemory::CodeColumn::at(std::size_t row) const {
  const std::uint8_t* place = &bytes[row * width];
  if (width == 1) {
    return *place;
  }
  if (width == 2) {
    std::uint16_t code = 0;
    std::memcpy(&code, place, sizeof(code));
    return code;
  }
  std::uint32_t code = 0;
  std::memcpy(&code, place, sizeof(code));
  return code;
}

CodesInMemory::CodesInMemory(const Encoder& encoder)
    : grids_(value_grids(encoder)), pixels_(grids_->size()) {
  for (const ValueGrid& grid : *grids_) {
    columns_.emplace_back(grid.leaves());
  }
}

std::size_t CodesInMemory::bytes_of_record() const {
  std::size_t bytes = 0;
  for (const CodeColumn& column : columns_) {
    bytes += column.width + sizeof(Cells::value_type);
  }
  for (const ValueGrid& grid : *grids_) {
    bytes += grid.column().is_image() ? grid.column().shape->size() : 0;
  }
  return bytes;
}

std::unique_ptr<const CodesInMemory> CodesInMemory::read(const PrivateTable& table,
                                                         const Encoder& encoder,
                                                         std::size_t max_bytes,
                                                         const Context& context,
                                                         std::size_t kept_bytes) {
  std::unique_ptr<CodesInMemory> codes(new CodesInMemory(encoder));
  codes->kept_bytes_ = kept_bytes;
  const std::size_t most_rows = max_bytes / codes->bytes_of_record();
  std::mutex mutex;
  const bool read_all = for_private_records(
      table, encoder, context,
      [&](std::size_t, const EncodedBatch& batch, std::span<const std::uint8_t> kept) {
        std::vector<WipedVector<std::uint32_t>> leaves(codes->columns_.size());
        for (std::size_t c = 0; c < leaves.size(); ++c) {
          leaves[c].reserve(batch.rows);
          for (std::size_t row = 0; row < batch.rows; ++row) {
            if (kept.empty() || kept[row] != 0) {
              leaves[c].push_back((*codes->grids_)[c].leaf_of(batch.columns[c], row));
            }
          }
        }
        const std::lock_guard lock(mutex);
        codes->rows_ += leaves.front().size();
        if (codes->rows_ > most_rows) {
          return false;
        }
        for (std::size_t c = 0; c < leaves.size(); ++c) {
          codes->columns_[c].append(leaves[c]);
          append_images(batch.columns[c].pixels, batch.rows, kept, codes->pixels_[c]);
        }
        return true;
      });
  return read_all ? std::move(codes) : nullptr;
}

LeafCounts CodesInMemory::count_leaves(const CodeColumn& column) const {
  LeafCounts counts;
  if (rows_ < column.leaves) {
    counts.listed.reserve(rows_);
    column.for_each([&](std::uint32_t leaf) { counts.listed.push_back(leaf); });
  } else {
    counts.dense.resize(column.leaves);
    column.for_each([&](std::uint32_t leaf) { ++counts.dense[leaf]; });
  }
  return counts;
}

CodesInMemory::Cells CodesInMemory::cells_of_rows(const CountedColumn& counted) const {
  MEHLER_ASSERT(counted.cells->size() <= kMaxJointCells);
  const CodeColumn& column = columns_.at(counted.column);
  const auto cell_of = [&](std::uint32_t leaf) {
    return static_cast<std::uint16_t>(counted.cells->cell_of(leaf));
  };
  Cells cells;
  cells.reserve(rows_);
  if (rows_ < column.leaves) {
    column.for_each([&](std::uint32_t leaf) { cells.push_back(cell_of(leaf)); });
    return cells;
  }
  std::vector<std::uint16_t> of_leaves;
  for (std::uint32_t leaf = 0; leaf < column.leaves; ++leaf) {
    of_leaves.push_back(cell_of(leaf));
  }
  column.for_each([&](std::uint32_t leaf) { cells.push_back(of_leaves[leaf]); });
  return cells;
}

void CodesInMemory::count_tables(PartialCounts& counts, const Context& context) const {
  WorkerPool pool(context.threads);
  std::map<const ColumnPartition*, Cells> cells;
  std::vector<const CountedColumn*> counted;
  for (const Marginal& table : counts.request_.tables) {
    for (const CountedColumn& column : table.columns) {
      if (cells.try_emplace(column.cells.get()).second) {
        counted.push_back(&column);
      }
    }
  }
  pool.run(counted.size(), [&](std::size_t i) {
    context.throw_if_cancelled();
    cells.at(counted[i]->cells.get()) = cells_of_rows(*counted[i]);
  });
  pool.run(counts.tables_.size(), [&](std::size_t t) {
    context.throw_if_cancelled();
    std::vector<const std::uint16_t*> of_columns;
    for (const CountedColumn& column : counts.request_.tables[t].columns) {
      of_columns.push_back(cells.at(column.cells.get()).data());
    }
    count_rows<std::uint16_t>(of_columns, counts.request_.tables[t].shape(), rows_,
                              counts.tables_[t].data());
  });
}

void CodesInMemory::add_sums(PartialCounts& counts, const Context& context) const {
  WorkerPool pool(context.threads);
  const std::size_t parts = context.threads;
  for (std::size_t s = 0; s < counts.sums_.size(); ++s) {
    const VectorSum& sum = counts.request_.sums[s];
    if (sum.image) {
      keep_for(sum, context);
    }
    pool.run(parts, [&](std::size_t part) {
      const auto [first, last] = rows_of_part(part, parts);
      VectorAccumulator added(sum);
      if (sum.image) {
        add_images(sum, added, first, last, context);
      } else {
        add_records(added, first, last, context);
      }
      const std::lock_guard lock(
          (*counts.locks_)[counts.columns_.size() + counts.tables_.size() + s]);
      added.add_to(counts.sums_[s]);
    });
  }
}

std::pair<std::size_t, std::size_t> CodesInMemory::rows_of_part(std::size_t part,
                                                                std::size_t parts) const {
  const std::size_t tiles = ceil_divide(rows_, kImageTile);
  return {std::min<std::size_t>(tiles * part / parts * kImageTile, rows_),
          std::min<std::size_t>(tiles * (part + 1) / parts * kImageTile, rows_)};
}

void CodesInMemory::add_records(VectorAccumulator& to, std::size_t first, std::size_t last,
                                const Context& context) const {
  WipedVector<std::uint32_t> leaves(columns_.size());
  for (std::size_t row = first; row < last; ++row) {
    if (row % 1024 == 0) {
      context.throw_if_cancelled();
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      leaves[c] = columns_[c].at(row);
    }
    to.add(leaves);
  }
}

std::uint32_t CodesInMemory::class_of(const VectorSum& sum, std::size_t row) const {
  return sum.classes ? static_cast<std::uint32_t>(
                           sum.classes->cells->cell_of(columns_[sum.classes->column].at(row)))
                     : 0;
}

void CodesInMemory::for_images(const VectorSum& sum, const KeptScores* kept, std::size_t first,
                               std::size_t last, const Context& context, const auto& work) const {
  const ImageScores& scores = *sum.image->scores;
  if (kept == nullptr) {
    const WipedVector<std::uint8_t>& pixels = pixels_.at(scores.column());
    const std::size_t bytes = scores.shape().size();
    return for_image_tiles(
        scores, first, last, [&](std::size_t row) { return &pixels[row * bytes]; },
        [&](std::size_t row) { return class_of(sum, row); },
        [&](std::span<const float> of_rows, std::span<const std::uint32_t> classes,
            std::size_t begin, std::size_t end) {
          context.throw_if_cancelled();
          work(of_rows, classes, begin, end);
        });
  }
  for_class_tiles(
      sum, first, last, context,
      [&](std::span<const std::uint32_t> classes, std::size_t begin, std::size_t end) {
        work(std::span(kept->values).subspan(begin * scores.size(), (end - begin) * scores.size()),
             classes, begin, end);
      });
}

void CodesInMemory::for_class_tiles(const VectorSum& sum, std::size_t first, std::size_t last,
                                    const Context& context, const auto& work) const {
  WipedVector<std::uint32_t> classes;
  for (std::size_t begin = first; begin < last; begin += kImageTile) {
    context.throw_if_cancelled();
    const std::size_t end = std::min<std::size_t>(begin + kImageTile, last);
    classes.clear();
    for (std::size_t row = begin; row < end; ++row) {
      classes.push_back(class_of(sum, row));
    }
    work(std::span<const std::uint32_t>(classes), begin, end);
  }
}

void CodesInMemory::add_images(const VectorSum& sum, VectorAccumulator& to, std::size_t first,
                               std::size_t last, const Context& context) const {
  if (const auto vectors = kept_vectors(sum)) {
    const std::size_t stride = rounded_stride(sum.vector_dimension());
    for_class_tiles(
        sum, first, last, context,
        [&](std::span<const std::uint32_t> classes, std::size_t begin, std::size_t end) {
          to.add_rounded(std::span(vectors->values).subspan(begin * stride, (end - begin) * stride),
                         classes);
        });
    return;
  }
  const auto scores = kept_scores(sum);
  for_images(sum, scores.get(), first, last, context,
             [&](std::span<const float> of_rows, std::span<const std::uint32_t> classes,
                 std::size_t, std::size_t) { to.add_images(of_rows, classes); });
}

std::shared_ptr<const CodesInMemory::KeptScores> CodesInMemory::kept_scores(
    const VectorSum& sum) const {
  const std::lock_guard lock(kept_mutex_);
  return kept_scores_ && *kept_scores_->of == *sum.image->scores ? kept_scores_ : nullptr;
}

std::shared_ptr<const CodesInMemory::KeptVectors> CodesInMemory::kept_vectors(
    const VectorSum& sum) const {
  const std::lock_guard lock(kept_mutex_);
  return sum.kind == SumKind::kRoundedGradient && kept_vectors_ &&
                 hold_the_same(kept_vectors_->of, sum.image)
             ? kept_vectors_
             : nullptr;
}

void CodesInMemory::keep_for(const VectorSum& sum, const Context& context) const {
  if (kept_vectors(sum) || kept_scores(sum)) {
    return;
  }
  const bool is_gradient = sum.kind == SumKind::kRoundedGradient;
  const std::size_t size =
      is_gradient ? rounded_stride(sum.vector_dimension()) : sum.image->scores->size();
  if (rows_ > kept_bytes_ / (size * (is_gradient ? sizeof(std::int16_t) : sizeof(float)))) {
    return;
  }
  {
    const std::lock_guard lock(kept_mutex_);
    kept_scores_.reset();
    kept_vectors_.reset();
  }
  auto scores = std::make_shared<KeptScores>();
  auto vectors = std::make_shared<KeptVectors>();
  if (is_gradient) {
    vectors->of = sum.image;
    vectors->values.resize(rows_ * size);
  } else {
    scores->of = sum.image->scores;
    scores->values.resize(rows_ * size);
  }
  WorkerPool pool(context.threads);
  const std::size_t parts = context.threads;
  pool.run(parts, [&](std::size_t part) {
    const auto [first, last] = rows_of_part(part, parts);
    for_images(sum, nullptr, first, last, context,
               [&](std::span<const float> of_rows, std::span<const std::uint32_t> classes,
                   std::size_t begin, std::size_t) {
                 if (is_gradient) {
                   round_vectors(
                       *sum.image, of_rows, classes,
                       std::span(vectors->values).subspan(begin * size, classes.size() * size));
                 } else {
                   std::copy(of_rows.begin(), of_rows.end(), &scores->values[begin * size]);
                 }
               });
  });
  const std::lock_guard lock(kept_mutex_);
  if (is_gradient) {
    kept_vectors_ = std::move(vectors);
  } else {
    kept_scores_ = std::move(scores);
  }
}

PartialCounts CodesInMemory::count(const CountRequest& request, const Context& context) const {
  PartialCounts counts(grids_, request);
  counts.rows_ = rows_;
  for (std::size_t i = 0; i < request.columns.size(); ++i) {
    counts.columns_[i] = count_leaves(columns_.at(request.columns[i]));
  }
  if (!request.tables.empty()) {
    count_tables(counts, context);
  }
  if (!request.sums.empty()) {
    add_sums(counts, context);
  }
  return counts;
}

}  // namespace mehler
