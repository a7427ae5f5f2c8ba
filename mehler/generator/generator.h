#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/generator/network.h"
#include "mehler/generator/output_heads.h"
#include "mehler/release/release.h"

namespace mehler {

/// Records that a sample must be like: a column of categories has this value. An empty value asks
/// for a missing one.
struct SampleCondition {
  std::string column;
  std::string value;
};

struct SampleOptions {
  std::uint64_t rows = 0;
  std::uint64_t seed = 1;
  /// All must hold. Exact for the label; by rejection for other columns.
  std::vector<SampleCondition> where;
};

/// A trained model of a table: draws synthetic records of the release's schema.
///
/// Privacy: made from a release alone, so it and everything it draws are covered by the release's
/// guarantee, which it carries along.
class Generator {
 public:
  /// Format version that this library writes, and the newest it reads.
  static constexpr std::uint32_t kVersion = 1;

  /// `class_probabilities`: of the label's codes, or {1} without a label. The network has
  /// noise_inputs + classes inputs and the outputs that OutputHeads of the release's encoder wants.
  Generator(Release release, Network network, std::size_t noise_inputs,
            std::vector<double> class_probabilities);

  const Release& release() const { return release_; }

  /// Network inputs for rows of given classes: noise, then the one-hot class.
  static Matrix make_inputs(const std::vector<std::size_t>& classes, std::size_t class_count,
                            std::size_t noise_inputs, SeededRandom& random, WorkerPool& pool);

  /// Draws records and hands them over some thousands at a time; nothing grows with the number of
  /// rows. The same for a seed, whatever the threads. Throws Error(kInvalidArgument) for zero rows,
  /// an unknown column or value, or a condition that fewer than one record in 20,000 meets.
  void sample(const SampleOptions& options, const Context& context,
              const std::function<void(const Table&)>& sink) const;

  /// The bytes of a model file, and back. Reading verifies the release inside.
  std::string to_bytes() const;
  static Generator from_bytes(std::string_view bytes, std::string_view shown_name);
  static Generator from_file(const std::filesystem::path& path);
  void write(AtomicFile& file) const;

 private:
  struct Filter {
    std::size_t column;
    std::int32_t code;
  };

  /// Fixes the label in `probabilities` and gives the conditions that are left.
  std::vector<Filter> resolve(const std::vector<SampleCondition>& where,
                              std::vector<double>& probabilities) const;

  /// The records of one chunk that meet the filters.
  EncodedBatch draw_chunk(std::uint64_t chunk, std::uint64_t seed,
                          const std::vector<double>& probabilities,
                          const std::vector<Filter>& filters) const;

  Release release_;
  Network network_;
  std::size_t noise_inputs_;
  std::vector<double> class_probabilities_;
  OutputHeads heads_;
};

}  // namespace mehler
