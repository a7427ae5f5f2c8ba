#include "mehler/synthesis/dp_gan/trained_release.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/core/options.h"
#include "mehler/encoding/columns_to_learn.h"
#include "mehler/measurement/measured_release.h"
#include "mehler/measurement/schema_origin.h"
#include "mehler/release/payload.h"
#include "mehler/table/assumed_domains.h"

namespace mehler {
namespace {

/// Standard deviation of the counts' noise, unless that is more than a small share of the budget.
constexpr double kCountSigma = 50.0;
constexpr double kMostOfBudget = 0.02;

CountMechanism pay_for_counts(const Encoder& encoder, bool by_class, Accountant& accountant) {
  const std::vector<CountBlock> blocks = {TrainedWeights::counted(encoder, by_class)};
  const double sensitivity = protected_sensitivity(blocks[0], encoder.schema());
  const double mu_squared = std::min(sensitivity * sensitivity / (kCountSigma * kCountSigma),
                                     kMostOfBudget * accountant.left_mu_squared());
  const std::vector<double> precisions = {mu_squared / (sensitivity * sensitivity)};
  return CountMechanism(accountant, by_class ? "counts of classes" : "number of records", blocks,
                        encoder.schema(), precisions);
}

/// All steps, with the noise of the plan or the least that the budget allows.
SubsampledMechanism pay_for_training(const TrainingPlan& wanted, std::size_t critics,
                                     const Schema& schema, Accountant& accountant) {
  TrainingPlan plan = wanted;
  if (plan.noise_multiplier == 0.0) {
    plan.noise_multiplier = affordable_noise_multiplier(accountant, plan);
  }
  try {
    return SubsampledMechanism(accountant, "training", plan, critics, schema);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kBudgetExceeded || wanted.noise_multiplier == 0.0) {
      throw;
    }
    throw Error(
        error.code(),
        fmt::format("{}. The noise is fixed by {}: give an epsilon that holds it, or leave "
                    "the option out",
                    error.what(), option_words(plan.published ? "protocol" : "noise-multiplier")));
  }
}

}  // namespace

void require_trainable(const Schema& schema, const PrivateTraining& training, SchemaOrigin origin) {
  require_sampled_records(schema, "method " + training.method);
  const Encoder encoder(with_assumed_domains(schema));
  if (training.inputs.label == RecordInputs::Label::kTold) {
    require_classes(encoder, "method " + training.method,
                    ", or choose method dp-gan, which needs none", origin);
  }
  require_columns_to_learn(encoder, origin);
  TrainingPlan plan = training.plan;
  plan.noise_multiplier = plan.noise_multiplier == 0.0 ? 1.0 : plan.noise_multiplier;
  plan.validate();
}

Release release_trained(PrivateTable&& table, const PrivateTraining& training,
                        Accountant& accountant, const Context& context) {
  const Schema schema = table.schema();
  const std::vector<Charge> earlier_charges = accountant.charges();
  require_trainable(schema, training, schema_origin(accountant));
  const Encoder encoder(schema);
  TrainedWeights weights;
  weights.counts_classes = encoder.label().has_value();
  const bool by_class = training.plan.critics == TrainingCritics::kOnePerClass;
  CountMechanism counts = pay_for_counts(encoder, weights.counts_classes, accountant);
  SubsampledMechanism paid =
      pay_for_training(training.plan, by_class ? label_classes(encoder) : 1, schema, accountant);
  PrivacyStatement statement;
  statement.budget = accountant.budget();
  statement.charges = {counts.charges()[0], paid.charge()};
  statement.charges.insert(statement.charges.end(), earlier_charges.begin(), earlier_charges.end());
  if (training.plan.published) {
    statement.rules.accounting = AccountingRule::kPublished;
  }
  bool measured = false;
  return once_measured(
      [&] { return measured; },
      [&] {
        PrivateBatches records(std::move(table), encoder, training.inputs, context);
        measured = true;
        say_measured(context);
        weights.count = records.count(std::move(counts));
        weights.training = paid.plan();
        const GeneratorNetworks trained = training.train(records, paid, weights);
        weights.networks = trained.to_json();
        weights.values = trained.values();
        return read_back(
            Release(training.method, schema, std::move(weights), std::move(statement)));
      });
}

}  // namespace mehler
