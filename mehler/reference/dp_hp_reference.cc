#include "mehler/features/embedding_features.h"
#include "mehler/reference/exact_embedding.h"
#include "mehler/reference/kinds.h"

namespace mehler {
namespace {

/// Method dp-hp's, but for what has to do with noise.
std::vector<Option> dp_hp_features() {
  std::vector<Option> options = EmbeddingOptions::list();
  std::erase_if(options, [](const Option& option) {
    return option.name == "weight" || option.name == "product-weight";
  });
  return options;
}

std::vector<Option> dp_hp_list() {
  std::vector<Option> options = dp_hp_features();
  const std::vector<Option> training = TrainingOptions::list();
  options.insert(options.end(), training.begin(), training.end());
  return options;
}

}  // namespace

ReferenceKind dp_hp_reference() {
  return {
      .name = "dp-hp",
      .summary =
          "method dp-hp with an infinite epsilon: the same network and training, on exact sums "
          "of Hermite features; each block counts once where its noise would say how much",
      .options = dp_hp_list(),
      .check =
          [](const Encoder& encoder, const OptionValues& values) {
            values.require_known(dp_hp_list(), "reference dp-hp");
            mean_embedding_features(encoder,
                                    EmbeddingOptions::parse(values.only(dp_hp_features())));
            TrainingOptions::parse(values.only(TrainingOptions::list()), 1)
                .validate(encoder.schema());
          },
      .train =
          [](const Encoder& encoder, const PublicRecords& records, const ReferenceRequest& request,
             const Context& context) {
            return train_at_infinity(
                encoder, records, EmbeddingOptions::parse(request.options.only(dp_hp_features())),
                TrainingOptions::parse(request.options.only(TrainingOptions::list()), request.seed),
                context);
          }};
}

}  // namespace mehler
