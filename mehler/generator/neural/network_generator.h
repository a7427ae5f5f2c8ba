#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"
#include "mehler/generator/generator.h"
#include "mehler/generator/rule_guard.h"
#include "mehler/generator/sample_conditions.h"
#include "mehler/record_networks/generator_networks.h"
#include "mehler/record_networks/output_heads.h"

namespace mehler {

struct ModelParts;

/// A trained network: noise and a class in, a record out; or a network for each class.
class NetworkGenerator : public Generator {
 public:
  /// What model files call it.
  static constexpr std::string_view kKind = "network";

  /// `class_probabilities`: of the label's codes, or {1} without a label. The network is the
  /// design's for the release, these classes and its OutputHeads.
  NetworkGenerator(Release release, NetworkDesign design, Network network,
                   std::vector<double> class_probabilities);

  /// The networks that a release of weights holds: nothing is trained. Throws
  /// Error(kInvalidRelease) if it describes none that fit its schema.
  static NetworkGenerator of_weights(const Release& release);

  /// Reads what serialize_model() was given by to_bytes().
  static std::unique_ptr<Generator> read(ModelParts parts);

  const Release& release() const override { return release_; }

  /// Conditions are for columns of categories: exact for the label, by rejection for the others. A
  /// shorter sample is the beginning of a longer one. Throws Error(kInvalidArgument) also for
  /// conditions that fewer than one record in 20,000 meets.
  void draw(const SampleOptions& options, const Context& context,
            const RecordSink& sink) const override;

  void check_conditions(const std::vector<SampleCondition>& where) const override;

  std::string to_bytes() const override;

 private:
  NetworkGenerator(Release release, GeneratorNetworks networks,
                   std::vector<double> class_probabilities);

  /// Holds the label in `probabilities` and gives the conditions that are left.
  std::vector<ColumnCondition> resolve(const std::vector<SampleCondition>& where,
                                       std::vector<double>& probabilities) const;

  /// The records of one chunk.
  EncodedBatch draw_chunk(std::uint64_t chunk, std::uint64_t seed,
                          const std::vector<double>& probabilities) const;

  Release release_;
  GeneratorNetworks networks_;
  std::vector<double> class_probabilities_;
  std::size_t chunk_rows_;
  OutputHeads heads_;
  RuleGuard guard_;
};

}  // namespace mehler
