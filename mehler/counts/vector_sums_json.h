#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "mehler/core/strict_json.h"
#include "mehler/counts/count_block.h"
#include "mehler/counts/partitions_json.h"

namespace mehler {

/// The tables of scores and the vectors that sums are of, each written once (docs/format.md,
/// "scores", "vectors", "images" and "image_vectors").
class VectorList {
 public:
  /// The block's keys of a sum; new vectors are put into the list.
  void write(const VectorSum& sum, PartitionList& cells, Json& block);
  /// The lists that are not empty, into a specification.
  void write_lists(const Encoder& encoder, PartitionList& cells, Json& json) const;

  /// The lists of a specification; all may be absent. Throws Error(kInvalidRelease).
  static VectorList from_json(const Encoder& encoder, const PartitionList& cells,
                              JsonObjectReader& reader);
  /// The sum that a block's keys describe. Throws Error(kInvalidRelease).
  VectorSum read(const PartitionList& cells, JsonObjectReader& reader) const;

 private:
  std::size_t place(const std::shared_ptr<const RecordVector>& vector);
  std::size_t place(const std::shared_ptr<const ImageVector>& vector);
  void read_vectors(const PartitionList& cells, JsonObjectReader& reader);
  void read_images(const Encoder& encoder, JsonObjectReader& reader);

  std::vector<std::shared_ptr<const ScoreTables>> scores_;
  std::vector<std::shared_ptr<const RecordVector>> vectors_;
  std::vector<std::shared_ptr<const ImageScores>> images_;
  std::vector<std::shared_ptr<const ImageVector>> image_vectors_;
};

/// What a block of a sum says under "counts".
inline constexpr const char* kVectorSum = "vectors";

}  // namespace mehler
