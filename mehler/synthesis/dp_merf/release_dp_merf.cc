#include "mehler/synthesis/dp_merf/release_dp_merf.h"

#include "mehler/synthesis/dp_hp/mean_embedding.h"

namespace mehler {

Release release_dp_merf(PrivateTable&& table, const DpMerfOptions& options, Accountant& accountant,
                        const Context& context) {
  return release_mean_embedding(
      "dp-merf", std::move(table), EmbeddingOptions::of_fourier(options.fourier), options.rules,
      [&](const FeatureSet& features, const Schema& schema) {
        return SumMechanism::published_alike(accountant, features, schema,
                                             options.rules.sensitivity);
      },
      accountant, context);
}

}  // namespace mehler
