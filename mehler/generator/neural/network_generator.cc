#include "mehler/generator/neural/network_generator.h"

#include "mehler/core/error.h"
#include "mehler/release/payload.h"

namespace mehler {

NetworkGenerator::NetworkGenerator(Release release, TrainedNetwork trained)
    : release_(std::move(release)), sampler_(release_.encoder(), std::move(trained)) {
  const bool is_told_classes =
      std::holds_alternative<TrainedWeights>(release_.payload()) ||
      sampler_.trained().networks.class_inputs() == release_.sums().features.classes();
  if (!sampler_.fits() || !is_told_classes) {
    throw Error(ErrorCode::kInvalidRelease,
                "the model's network does not fit the schema of its release");
  }
}

NetworkGenerator NetworkGenerator::of_weights(const Release& release) {
  const TrainedWeights& weights = release.weights();
  if (!weights.training) {
    throw Error(ErrorCode::kInvalidRelease,
                "it holds weights, but neither says how they were trained nor is charged for it");
  }
  return NetworkGenerator(
      release, {GeneratorNetworks::from_json(weights.networks, release.encoder(), weights.values),
                weights.class_shares()});
}

void NetworkGenerator::check_conditions(const std::vector<SampleCondition>& where) const {
  sampler_.check_conditions(where);
}

void NetworkGenerator::draw(const SampleOptions& options, const Context& context,
                            const RecordSink& sink) const {
  sampler_.draw(options, context, sink);
}

}  // namespace mehler
