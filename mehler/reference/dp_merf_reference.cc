#include "mehler/features/embedding_features.h"
#include "mehler/reference/exact_embedding.h"
#include "mehler/reference/kinds.h"

namespace mehler {
namespace {

std::vector<Option> dp_merf_list() {
  std::vector<Option> options = FourierOptions::list();
  options.push_back({"protocol", "P",
                     "own (the default), or published: the authors' loss and network, for "
                     "comparisons",
                     "training"});
  const std::vector<Option> training = TrainingOptions::list_without_products();
  options.insert(options.end(), training.begin(), training.end());
  return options;
}

/// The options of training, of the network that its protocol has.
TrainingOptions dp_merf_training(const Encoder& encoder, const OptionValues& values,
                                 std::uint64_t seed) {
  TrainingOptions options =
      TrainingOptions::parse(values.only(TrainingOptions::list_without_products()), seed);
  if (values.choice("protocol", 0, {"own", "published"}) == 1) {
    options.train_as_dp_merf(encoder);
  }
  return options;
}

}  // namespace

ReferenceKind dp_merf_reference() {
  return {.name = "dp-merf",
          .summary =
              "method dp-merf with an infinite epsilon: the same network and training, on exact "
              "sums of random Fourier features and codes",
          .options = dp_merf_list(),
          .check =
              [](const Encoder& encoder, const OptionValues& values) {
                values.require_known(dp_merf_list(), "reference dp-merf");
                mean_embedding_features(
                    encoder, EmbeddingOptions::of_fourier(FourierOptions::parse(values)));
                dp_merf_training(encoder, values, 1).validate(encoder.schema());
              },
          .train =
              [](const Encoder& encoder, const PublicRecords& records,
                 const ReferenceRequest& request, const Context& context) {
                return train_at_infinity(
                    encoder, records,
                    EmbeddingOptions::of_fourier(FourierOptions::parse(request.options)),
                    dp_merf_training(encoder, request.options, request.seed), context);
              }};
}

}  // namespace mehler
