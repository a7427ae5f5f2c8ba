#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/options.h"
#include "mehler/generator/record_sampler.h"
#include "mehler/release/release.h"
#include "mehler/table/arrow_c_interface.h"

namespace mehler {

class AtomicFile;

/// What is asked of fitting a model to a release, whatever the method. The same release, options
/// and seed give the same model for any number of threads.
struct FitRequest {
  OptionValues options = {};
  std::uint64_t seed = 1;
  /// Where a method that takes long keeps what it has reached, after every part; removed by whoever
  /// has kept the model. Empty for nowhere.
  std::string checkpoint = {};
  /// Go on from the checkpoint instead of starting anew.
  bool resume = false;
  /// Called when there is a checkpoint to go on from.
  std::function<void()> on_checkpoint = {};
};

/// A model of a table: draws synthetic records of a release's schema. Each kind of model is a class
/// of its own; model_file.cc lists those that a file can hold. Immutable and thread-safe.
///
/// Privacy: made from a release alone, so it and everything it draws are covered by the release's
/// guarantee, which it carries along.
class Generator : public RecordSampler {
 public:
  /// Version of the model files that this library writes, and the newest it reads.
  static constexpr std::uint32_t kVersion = 1;

  /// What it was made from.
  virtual const Release& release() const = 0;
  const Encoder& encoder() const final { return release().encoder(); }

  /// As an Arrow C stream to pull from, for whatever reads one (pandas, Polars, DuckDB, Arrow):
  /// record batches of some thousands, categories as dictionaries. A thread draws ahead by two
  /// batches. The caller owns the stream; the generator must outlive it. Throws
  /// Error(kInvalidArgument) for zero rows; what else sample() throws, the stream returns as
  /// errors. `types`, where it is given, is the release's schema with other types of columns
  /// (type_in_table.h).
  ArrowArrayStream sample_stream(const SampleOptions& options, const Context& context = {},
                                 std::optional<Schema> types = std::nullopt) const;

  /// Whether the fit settled; a table that had not is further from the release.
  virtual bool has_settled() const { return true; }

  /// The bytes of a model file.
  virtual std::string to_bytes() const = 0;
  /// Writes and commits a file that was opened before.
  void write(AtomicFile& file) const;
  /// Writes a model file: whole, or not at all.
  void save(const std::filesystem::path& path) const;

  /// A model of whatever kind the file names. Verifies the release inside. Throws
  /// Error(kInvalidRelease), naming `shown_name`, for bytes that are no valid model.
  static std::unique_ptr<Generator> from_bytes(std::string_view bytes, std::string_view shown_name);
  static std::unique_ptr<Generator> from_file(const std::filesystem::path& path);
};

}  // namespace mehler
