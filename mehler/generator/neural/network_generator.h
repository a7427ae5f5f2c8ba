#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/generator/generator.h"
#include "mehler/generator/neural/network_sampler.h"

namespace mehler {

struct ModelParts;

/// A network that was trained from a release, or that a release of weights holds: noise and a class
/// in, a record out; or a network for each class.
class NetworkGenerator : public Generator {
 public:
  /// What model files call it.
  static constexpr std::string_view kKind = "network";

  /// Throws Error(kInvalidRelease) if the network is not of the release's schema, or is not told as
  /// many classes as the sums of features of a release have.
  NetworkGenerator(Release release, TrainedNetwork trained);

  /// The networks that a release of weights holds: nothing is trained. Throws
  /// Error(kInvalidRelease) if it describes none that fit its schema.
  static NetworkGenerator of_weights(const Release& release);

  /// Reads what serialize_model() was given by to_bytes().
  static std::unique_ptr<Generator> read(ModelParts parts);

  const Release& release() const override { return release_; }

  /// Conditions as NetworkSampler holds to them.
  void draw(const SampleOptions& options, const Context& context,
            const RecordSink& sink) const override;

  void check_conditions(const std::vector<SampleCondition>& where) const override;

  std::string to_bytes() const override;

 private:
  Release release_;
  NetworkSampler sampler_;  ///< of the release's encoder, which copies of the release share
};

}  // namespace mehler
