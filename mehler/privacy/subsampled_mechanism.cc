#include "mehler/privacy/subsampled_mechanism.h"

#include <fmt/format.h>

#include "mehler/accounting/noise_calibration.h"
#include "mehler/core/error.h"
#include "mehler/privacy/gaussian_mechanism.h"
#include "mehler/privacy/paid_schema.h"

namespace mehler {

void require_sampled_records(const Schema& schema, const std::string& who) {
  if (schema.relation() == NeighbourRelation::kReplaceOne) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{} draws records at random, which is accounted for where one "
                    "record is added or removed, and not under the relation replace-one; "
                    "write \"relation\": \"add-remove-one\" in the schema, or choose another "
                    "method",
                    who));
  }
  if (schema.privacy_unit() && schema.privacy_unit()->max_rows > 1) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{} draws records one by one, which is not accounted for where a "
                    "'{}' may have {} of them; set \"max_rows\" to 1 in the schema's privacy "
                    "unit, or choose another method",
                    who, schema.privacy_unit()->column, schema.privacy_unit()->max_rows));
  }
}

double affordable_noise_multiplier(const Accountant& accountant, const TrainingPlan& plan) {
  TrainingPlan checked = plan;
  checked.noise_multiplier = 1.0;
  checked.validate();
  const bool replaced = plan.critics == TrainingCritics::kShards;
  const double charged = calibrate_noise_multiplier(
      accountant.budget(), checked.rate(), checked.charged_steps(), accountant.charges(),
      replaced ? SampledRecord::kReplaced : SampledRecord::kAdded);
  return charged / checked.charged_multiplier();
}

SubsampledMechanism::SubsampledMechanism(Accountant& accountant, const std::string& what,
                                         const TrainingPlan& plan, std::size_t classes,
                                         const Schema& schema)
    : plan_(plan),
      charge_((plan.validate(), plan.charge(what))),
      steps_left_(classes, plan.steps),
      schema_(schema) {
  MEHLER_ASSERT(classes >= 1 && (classes == 1 || plan.critics == TrainingCritics::kOnePerClass));
  require_sampled_records(schema, fmt::format("'{}'", what));
  // A generated record's gradient can change by twice the clip norm.
  require_drawable(plan.noise_multiplier * (plan.critics == TrainingCritics::kShards ? 2.0 : 1.0),
                   kGradientGridExponent);
  accountant.spend(what, std::vector<Charge>{charge_});
}

void SubsampledMechanism::take_step(std::size_t critic) {
  std::uint64_t& left = steps_left_.at(critic);
  if (left == 0) {
    throw Error(
        ErrorCode::kBudgetExceeded,
        fmt::format("'{}' was paid for {} steps, and all of them have been taken; plan more "
                    "steps before records are read",
                    name_of(charge_), plan_.steps));
  }
  --left;
}

void SubsampledMechanism::require_schema(const Schema& schema) const {
  require_paid_schema(schema_, schema, "the training");
}

}  // namespace mehler
