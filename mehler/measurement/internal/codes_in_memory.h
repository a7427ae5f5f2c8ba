#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "mehler/core/wiping.h"
#include "mehler/counts/vector_accumulator.h"
#include "mehler/measurement/count_source.h"

namespace mehler {

/// The records of a private table as leaf codes: read once, counted as often as asked for.
///
/// Memory: for every record and column a code of 1, 2 or 4 bytes, and 2 more for its cell while
/// tables of several columns are counted; of images their bytes. Besides, what is computed from
/// images is kept for the next sum of the same kind, as far as it may be.
///
/// Privacy: private; all memory that held codes is wiped before it is given back (what the table's
/// reader holds of the records is its own).
class CodesInMemory : public CountSource {
 public:
  /// The most cells of a column in a table of several columns.
  static constexpr std::size_t kMaxJointCells = 65'536;

  /// Reads the table once. Null if the codes and cells take more than `max_bytes`. `kept_bytes`:
  /// what may be kept of images between sums, which is computed again if it takes more.
  static std::unique_ptr<const CodesInMemory> read(const PrivateTable& table,
                                                   const Encoder& encoder, std::size_t max_bytes,
                                                   const Context& context,
                                                   std::size_t kept_bytes = 0);

  PartialCounts count(const CountRequest& request, const Context& context) const override;

 private:
  /// The leaves of one column, in as many bytes as they need.
  struct CodeColumn {
    explicit CodeColumn(std::size_t leaf_count);
    void append(std::span<const std::uint32_t> new_leaves);
    /// Calls work(leaf) for all rows.
    void for_each(const auto& work) const;
    std::uint32_t at(std::size_t row) const;

    std::size_t leaves = 0;
    std::size_t width = 1;  ///< bytes of a code: 1, 2 or 4
    WipedVector<std::uint8_t> bytes;
  };
  using Cells = WipedVector<std::uint16_t>;
  /// The scores of all images, [rows][numbers], and the rounded vectors of all images,
  /// [rows][rounded_stride].
  struct KeptScores {
    std::shared_ptr<const ImageScores> of;
    WipedVector<float> values;
  };
  struct KeptVectors {
    std::shared_ptr<const ImageVector> of;
    WipedVector<std::int16_t> values;
  };

  explicit CodesInMemory(const Encoder& encoder);

  std::size_t bytes_of_record() const;
  LeafCounts count_leaves(const CodeColumn& column) const;
  Cells cells_of_rows(const CountedColumn& counted) const;
  void count_tables(PartialCounts& counts, const Context& context) const;
  void add_sums(PartialCounts& counts, const Context& context) const;
  /// The rows [first, last) that one of some threads works on: whole tiles of images.
  std::pair<std::size_t, std::size_t> rows_of_part(std::size_t part, std::size_t parts) const;
  /// What the rows in [first, last) add to a sum.
  void add_records(VectorAccumulator& to, std::size_t first, std::size_t last,
                   const Context& context) const;
  void add_images(const VectorSum& sum, VectorAccumulator& to, std::size_t first, std::size_t last,
                  const Context& context) const;
  /// Calls work(scores, classes, begin, end) as for_image_tiles() does, by what is kept if it is.
  void for_images(const VectorSum& sum, const KeptScores* kept, std::size_t first, std::size_t last,
                  const Context& context, const auto& work) const;
  /// Calls work(classes, begin, end) for some rows at a time.
  void for_class_tiles(const VectorSum& sum, std::size_t first, std::size_t last,
                       const Context& context, const auto& work) const;
  std::uint32_t class_of(const VectorSum& sum, std::size_t row) const;
  /// Computes what a sum of images will be asked for again, if that may be kept. Only one of both
  /// is kept.
  void keep_for(const VectorSum& sum, const Context& context) const;
  std::shared_ptr<const KeptScores> kept_scores(const VectorSum& sum) const;
  std::shared_ptr<const KeptVectors> kept_vectors(const VectorSum& sum) const;

  std::shared_ptr<const ValueGrids> grids_;
  std::uint64_t rows_ = 0;
  std::vector<CodeColumn> columns_;
  std::vector<WipedVector<std::uint8_t>> pixels_;  ///< of each column; empty for other than images
  std::size_t kept_bytes_ = 0;
  mutable std::mutex kept_mutex_;
  mutable std::shared_ptr<const KeptScores> kept_scores_;
  mutable std::shared_ptr<const KeptVectors> kept_vectors_;
};

}  // namespace mehler
