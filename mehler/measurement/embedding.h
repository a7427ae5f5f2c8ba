#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/wiping.h"
#include "mehler/encoding/encoder.h"
#include "mehler/features/feature_set.h"
#include "mehler/privacy/gaussian_mechanism.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/payload.h"

namespace mehler {

/// Sums with noise: safe to publish.
struct NoisyEmbedding {
  std::vector<NoisyBlock> blocks;
  /// The number of records, where the relation makes it public.
  std::optional<std::uint64_t> public_rows;
};

/// Exact sums of features over private records, in multiples of 2^-grid_exponent() of
/// their block.
///
/// The same records give the same integers for any number of threads, size of batches, order of
/// rows and split into parts. (With a privacy unit of whom more than max_rows records come, which
/// of them are kept depends on the order.)
///
/// Privacy: private. Nothing reads the sums but privatize(), which consumes them. They are wiped
/// when they are destroyed.
class Embedding {
 public:
  Embedding(Embedding&&) = default;
  Embedding& operator=(Embedding&&) = default;
  Embedding(const Embedding&) = delete;
  Embedding& operator=(const Embedding&) = delete;

  /// Adds the sums of other records. Both must have the same features: else
  /// Error(kInvalidArgument). Not for tables with a privacy unit, whose records could be in both.
  void merge(Embedding&& other);

 private:
  friend Embedding embed(PrivateTable&& table, const Encoder& encoder, const FeatureSet& features,
                         const Context& context);
  friend NoisyEmbedding privatize(Embedding&& embedding, SumMechanism&& mechanism);
  friend struct EmbeddingTestPeer;  // tests/ only

  explicit Embedding(const Encoder& encoder, const FeatureSet& features);

  Schema schema_;
  FeatureSet features_;
  std::vector<WipedVector<std::int64_t>> sums_;  ///< per block, [rows][dimension]
  std::uint64_t rows_ = 0;
};

/// Reads the table once and sums the features of its records. The table is consumed.
/// Throws Error(kInvalidTable) if it does not fit the schema, or has no rows under replace-one, or
/// more than 2^28 with product blocks (2^42 without), whose sums are not exact;
/// Error(kCancelled) on request.
Embedding embed(PrivateTable&& table, const Encoder& encoder, const FeatureSet& features,
                const Context& context);

/// Adds the noise that was paid for. Consumes the exact sums and the mechanism. Throws
/// Error(kInvalidArgument), and draws no noise, unless the mechanism was paid for these features
/// under this schema.
///
/// Privacy: noise is drawn from SecureRandom as exactly rounded Gaussians on the grid of the sums
/// (rounded_gaussian.h), with a standard deviation of sigma / weight for each map of a block.
NoisyEmbedding privatize(Embedding&& embedding, SumMechanism&& mechanism);

}  // namespace mehler
