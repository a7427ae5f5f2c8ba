#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mehler/core/worker_pool.h"
#include "mehler/encoding/encoded_batch.h"
#include "mehler/release/payload.h"

namespace mehler {

/// Sums over records beside the released ones of a block, [rows][columns] as NoisyBlock has them;
/// and the sums of the squares of what was summed.
struct BlockSums {
  std::vector<double> sums;
  std::vector<double> squares;
};

/// Sums of a release's features over records, feature by feature.
class FeatureSums {
 public:
  /// The release, which is of sums of features, must outlive it.
  explicit FeatureSums(const Release& release);

  /// Cost: one evaluation of every feature a record.
  void add(const EncodedBatch& batch, WorkerPool& pool);

  BlockSums of_block(std::size_t block) const { return sums_[block]; }

 private:
  /// A run of features that are evaluated at once: a map of a sum block, or a whole product block.
  struct Run {
    std::size_t block = 0;
    FeatureSegment segment;
    const FeatureMap* map = nullptr;  ///< nothing for a product block
  };

  void add(const Run& run, const EncodedBatch& batch);
  /// The same for the pixels of images, from the counts of their bytes.
  void add_pixels(const Run& run, const EncodedBatch& batch);

  const NoisySums& released_;
  const std::optional<std::size_t> label_;
  std::vector<Run> runs_;
  std::vector<BlockSums> sums_;
};

}  // namespace mehler
