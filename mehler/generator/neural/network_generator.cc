#include "mehler/generator/neural/network_generator.h"

#include "mehler/core/error.h"

namespace mehler {

NetworkGenerator::NetworkGenerator(Release release, TrainedNetwork trained)
    : release_(std::move(release)), sampler_(release_.encoder(), std::move(trained)) {
  release_.sums();  // throws unless the release holds sums
  if (!sampler_.fits()) {
    throw Error(ErrorCode::kInvalidRelease,
                "the model's network does not fit the schema of its release");
  }
}

void NetworkGenerator::check_conditions(const std::vector<SampleCondition>& where) const {
  sampler_.check_conditions(where);
}

void NetworkGenerator::draw(const SampleOptions& options, const Context& context,
                            const RecordSink& sink) const {
  sampler_.draw(options, context, sink);
}

}  // namespace mehler
