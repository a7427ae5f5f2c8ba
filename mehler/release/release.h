#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mehler/accounting/privacy_statement.h"
#include "mehler/core/atomic_file.h"
#include "mehler/counts/count_set.h"
#include "mehler/encoding/encoder.h"
#include "mehler/features/feature_set.h"
#include "mehler/release/checked_file.h"

namespace mehler {

/// The noisy numbers of one block: sums of features, or counts.
struct NoisyBlock {
  std::size_t rows = 0;                 ///< classes of a labelled block, else 1
  std::size_t columns = 0;              ///< the block's dimension
  std::vector<std::int64_t> grid_sums;  ///< [rows][columns], in multiples of 2^-grid_exponent
  int grid_exponent = kGridExponent;

  /// The noisy sum itself.
  double at(std::size_t row, std::size_t column) const;
};

/// Sums of features, with noise.
struct NoisySums {
  FeatureSet features;
  std::vector<NoisyBlock> blocks;  ///< in the order of features.blocks()

  /// The block of counts (one constant feature); nothing where the only count is public.
  std::optional<std::size_t> count_block() const;
};

/// Counts of records, with noise.
struct NoisyCounts {
  CountSet counts;
  std::vector<NoisyBlock> blocks;  ///< in the order of counts.blocks()
};

/// What a release holds.
using Payload = std::variant<NoisySums, NoisyCounts>;

/// The sensitivity that a block is charged for, and that a release states: what all records of one
/// privacy unit, or one record without a unit, can change. Records of one person add up by the
/// triangle inequality.
double protected_sensitivity(const FeatureBlock& block, const Schema& schema,
                             SensitivityRule rule = SensitivityRule::kCertified);
double protected_sensitivity(const CountBlock& block, const Schema& schema);

/// Everything that leaves the private side: the method, the schema, what was measured with its
/// noise, and the privacy statement. Safe to publish; whatever is computed from it is
/// post-processing and costs no privacy.
///
/// A Release is consistent by construction: the shapes fit, and the stated epsilon has been
/// re-derived from the specification of what was measured and the noise.
class Release {
 public:
  /// Format version that this library writes, and the newest it reads.
  static constexpr std::uint32_t kVersion = 2;
  static constexpr std::size_t kMaxMethodName = 40;

  /// Throws Error(kInvalidRelease) if the parts do not fit together; see verify().
  Release(std::string method, const Schema& schema, Payload payload, PrivacyStatement statement);

  /// The name of the method that made it, and that a model is fitted to it by.
  const std::string& method() const { return method_; }

  const Schema& schema() const { return encoder_.schema(); }
  /// The encoder of the schema, for turning synthetic numbers back into records.
  const Encoder& encoder() const { return encoder_; }
  const PrivacyStatement& statement() const { return statement_; }
  /// The guarantee in one paragraph for people.
  std::string in_words() const { return statement_.in_words(schema()); }

  const Payload& payload() const { return payload_; }
  /// What it holds, for those who need this kind. Throws Error(kInvalidRelease) if it holds
  /// another.
  const NoisySums& sums() const;
  const NoisyCounts& counts() const;
  bool has_counts() const { return std::holds_alternative<NoisyCounts>(payload_); }

  /// Numbers that it holds, over all blocks.
  std::size_t dimension() const;
  /// The number of records as far as it is public: exact under replace-one, else the noisy count.
  double record_count() const;
  /// Its standard deviation: 0 where the number is public.
  double record_count_error() const;

  /// The bytes of a release file, and back. `shown_name` is for messages.
  std::string to_bytes() const;
  static Release from_bytes(std::string_view bytes, std::string_view shown_name);

  static Release from_file(const std::filesystem::path& path);
  /// For readers of files that hold the guarantee in words. Throws Error(kInvalidRelease) if these
  /// are not in_words(): people read them and not the numbers.
  void require_own_words(std::string_view in_words) const;
  /// Writes and commits a file that was opened before.
  void write(AtomicFile& file) const;
  /// Writes a release file: whole, or not at all.
  void save(const std::filesystem::path& path) const;

 private:
  static Release from_checked_file(const CheckedFile& file);

  /// Recomputes every block's sensitivity from what was measured and the relation, mu from the
  /// noise, and epsilon from mu; throws Error(kInvalidRelease) if a stated value differs.
  void verify() const;
  void verify_method() const;
  void verify_blocks() const;
  void verify_record_count() const;
  void verify_epsilon() const;

  std::string method_;
  Encoder encoder_;
  Payload payload_;
  PrivacyStatement statement_;
};

}  // namespace mehler
