#include "mehler/synthesis/dp_hp/release_dp_hp.h"

#include "mehler/measurement/embedding.h"
#include "mehler/measurement/measured_release.h"
#include "mehler/synthesis/dp_hp/embedding_features.h"

namespace mehler {

Release release_dp_hp(PrivateTable&& table, const DpHpOptions& options, Accountant& accountant,
                      const Context& context) {
  const Schema schema = table.schema();
  const Encoder encoder(schema);
  const FeatureSet features = mean_embedding_features(encoder, options.features);
  const std::vector<Charge> earlier_charges = accountant.charges();
  SumMechanism mechanism =
      options.rules.accounting == AccountingRule::kPublished
          ? SumMechanism::published(accountant, options.product_share, features, schema,
                                    options.rules.sensitivity)
          : SumMechanism(accountant, accountant.left_mu_squared(), features, schema,
                         options.rules.sensitivity);
  PrivacyStatement statement;
  statement.budget = accountant.budget();
  statement.charges = {mechanism.charges().begin(), mechanism.charges().end()};
  statement.charges.insert(statement.charges.end(), earlier_charges.begin(), earlier_charges.end());
  statement.rules = options.rules;
  bool measured = false;
  return once_measured(
      [&] { return measured; },
      [&] {
        Embedding sums = embed(std::move(table), encoder, features, context);
        measured = true;
        NoisyEmbedding noisy = privatize(std::move(sums), std::move(mechanism));
        statement.public_rows = noisy.public_rows;
        return read_back(Release("dp-hp", schema, NoisySums{features, std::move(noisy.blocks)},
                                 std::move(statement)));
      });
}

}  // namespace mehler
