#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/generator/record_sampler.h"
#include "mehler/generator/rule_guard.h"
#include "mehler/generator/sample_conditions.h"
#include "mehler/record_networks/generator_networks.h"
#include "mehler/record_networks/output_heads.h"

namespace mehler {

/// A network, or one for each class, and how often each class is asked for.
struct TrainedNetwork {
  GeneratorNetworks networks;
  /// Of the label's codes, or {1} without a label.
  std::vector<double> class_probabilities;
};

/// A trained network as what draws records: noise and a class in, a record out.
class NetworkSampler : public RecordSampler {
 public:
  /// `encoder` must outlive it. The networks are the design's for the encoder and its OutputHeads,
  /// if fits().
  NetworkSampler(const Encoder& encoder, TrainedNetwork trained);

  /// Whether the sizes of the networks are those that the encoder asks for.
  bool fits() const;

  const Encoder& encoder() const override { return encoder_; }
  const TrainedNetwork& trained() const { return trained_; }

  /// Conditions are for columns of categories: exact for the label, by rejection for the others. A
  /// shorter sample is the beginning of a longer one. Throws Error(kInvalidArgument) also for
  /// conditions that fewer than one record in 20,000 meets.
  void draw(const SampleOptions& options, const Context& context,
            const RecordSink& sink) const override;

  void check_conditions(const std::vector<SampleCondition>& where) const override;

 private:
  /// Holds the label in `probabilities` and gives the conditions that are left.
  std::vector<ColumnCondition> resolve(const std::vector<SampleCondition>& where,
                                       std::vector<double>& probabilities) const;

  /// The records of one chunk.
  EncodedBatch draw_chunk(std::uint64_t chunk, std::uint64_t seed,
                          const std::vector<double>& probabilities) const;

  const Encoder& encoder_;
  TrainedNetwork trained_;
  std::size_t chunk_rows_;
  OutputHeads heads_;
  RuleGuard guard_;
};

}  // namespace mehler
