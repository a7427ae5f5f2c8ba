#include "mehler/synthesis/dp_hp/release_dp_hp.h"

#include "mehler/features/embedding_features.h"
#include "mehler/measurement/embedding.h"
#include "mehler/measurement/measured_release.h"
#include "mehler/measurement/schema_origin.h"
#include "mehler/synthesis/dp_hp/mean_embedding.h"

namespace mehler {

Release release_dp_hp(PrivateTable&& table, const DpHpOptions& options, Accountant& accountant,
                      const Context& context) {
  return release_mean_embedding(
      "dp-hp", std::move(table), options.features, options.rules,
      [&](const FeatureSet& features, const Schema& schema) {
        return SumMechanism::published(accountant, options.product_share, features, schema,
                                       options.rules.sensitivity);
      },
      accountant, context);
}

Release release_mean_embedding(const std::string& method, PrivateTable&& table,
                               const EmbeddingOptions& options, const NoiseRules& rules,
                               const PublishedNoise& published_noise, Accountant& accountant,
                               const Context& context) {
  const Schema schema = table.schema();
  const Encoder encoder(schema);
  const std::vector<Charge> earlier_charges = accountant.charges();
  const FeatureSet features = mean_embedding_features(encoder, options, schema_origin(accountant));
  SumMechanism mechanism = rules.accounting == AccountingRule::kPublished
                               ? published_noise(features, schema)
                               : SumMechanism(accountant, accountant.left_mu_squared(), features,
                                              schema, rules.sensitivity);
  PrivacyStatement statement;
  statement.budget = accountant.budget();
  statement.charges = {mechanism.charges().begin(), mechanism.charges().end()};
  statement.charges.insert(statement.charges.end(), earlier_charges.begin(), earlier_charges.end());
  statement.rules = rules;
  bool measured = false;
  return once_measured(
      [&] { return measured; },
      [&] {
        Embedding sums = embed(std::move(table), encoder, features, context);
        measured = true;
        say_measured(context);
        NoisyEmbedding noisy = privatize(std::move(sums), std::move(mechanism));
        statement.public_rows = noisy.public_rows;
        return read_back(Release(method, schema, NoisySums{features, std::move(noisy.blocks)},
                                 std::move(statement)));
      });
}

}  // namespace mehler
