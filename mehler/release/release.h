#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "mehler/accounting/privacy_statement.h"
#include "mehler/table/schema.h"

namespace mehler {

class AtomicFile;
struct CheckedFile;
class Encoder;
struct NoisyCounts;
struct NoisySums;
struct TrainedWeights;

/// What a release holds (payload.h).
using Payload = std::variant<NoisySums, NoisyCounts, TrainedWeights>;

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

  /// Throws Error(kInvalidRelease) if the parts do not fit together: recomputes every block's
  /// sensitivity from what was measured and the relation, and epsilon from the charges, and
  /// compares them with what is stated.
  Release(std::string method, const Schema& schema, Payload payload, PrivacyStatement statement);

  /// The name of the method that made it; the same method fits a model to it.
  const std::string& method() const;

  const Schema& schema() const;
  /// The encoder of the schema, for turning synthetic numbers back into records.
  const Encoder& encoder() const;
  const PrivacyStatement& statement() const;
  /// The guarantee in one paragraph for people.
  std::string in_words() const;

  const Payload& payload() const;
  /// The payload, for callers that need this kind of it. Throw Error(kInvalidRelease) if it is of
  /// another kind.
  const NoisySums& sums() const;
  const NoisyCounts& counts() const;
  const TrainedWeights& weights() const;
  bool has_counts() const;

  /// How many numbers it holds.
  std::size_t dimension() const;
  /// The number of records as far as it is public: exact under replace-one, else the noisy count.
  double record_count() const;
  /// Its standard deviation: 0 where the number is public.
  double record_count_error() const;
  /// The records of a synthetic table unless somebody says otherwise: record_count() as a whole
  /// number, at least 1.
  std::uint64_t usual_rows() const;

  /// The bytes of a release file, and back. `shown_name` is for messages.
  std::string to_bytes() const;
  static Release from_bytes(std::string_view bytes, std::string_view shown_name);

  static Release from_file(const std::filesystem::path& path);
  /// For readers of files that hold the guarantee in words. Throws Error(kInvalidRelease) if they
  /// differ from in_words(): people read the words and not the numbers.
  void require_own_words(std::string_view in_words) const;
  /// Writes and commits a file that was opened before.
  void write(AtomicFile& file) const;
  /// Writes a release file: whole, or not at all.
  void save(const std::filesystem::path& path) const;

 private:
  struct Parts;

  static Release from_checked_file(const CheckedFile& file);

  std::shared_ptr<const Parts> parts_;  ///< immutable: copies share them
};

}  // namespace mehler
