#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/core/worker_pool.h"
#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/public_records.h"
#include "mehler/record_networks/output_heads.h"

namespace mehler {

/// Records as vectors, all columns but the label one after the other, for a kernel of whole
/// records: numbers and pixels in [-1, 1], categories one-hot; of a number that may be missing 0
/// where it is, and whether it is beside it. Generated records have probabilities in the place of
/// zeros and ones.
class RecordVectors {
 public:
  explicit RecordVectors(const Encoder& encoder);

  std::size_t dimension() const { return dimension_; }

  /// The vectors of some records, [rows.size()][dimension].
  Matrix of(const EncodedBatch& records, std::span<const std::size_t> rows) const;

  /// The vectors of generated records, [rows][dimension].
  Matrix of(const SoftBatch& batch, WorkerPool& pool) const;

  /// The gradient by generated records, given that by their vectors.
  SoftBatch gradient_of(const SoftBatch& batch, const Matrix& slopes, WorkerPool& pool) const;

 private:
  struct Part {
    std::size_t column = 0;
    std::size_t first = 0;
    std::size_t width = 0;
    enum class Kind { kNumber, kNumberOrMissing, kCategory, kImage } kind = Kind::kNumber;
  };

  std::vector<Part> parts_;
  std::size_t dimension_ = 0;
};

/// The median distance between the vectors of two records, of at most 1,000 that are drawn from the
/// seed: a length scale for a kernel of whole records. 0 where more than half of the pairs are
/// equal. Throws Error(kInvalidArgument) for fewer than two records.
///
/// Privacy: a statistic of the records; hence public ones only.
double median_record_distance(const RecordVectors& vectors, const PublicRecords& records,
                              std::uint64_t seed);

/// `count` of the numbers 0 .. total - 1 in random order, each at most once.
std::vector<std::size_t> shuffled(std::size_t total, std::size_t count, std::uint64_t seed);

}  // namespace mehler
