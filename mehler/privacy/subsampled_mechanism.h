#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mehler/accounting/training_plan.h"
#include "mehler/privacy/accountant.h"
#include "mehler/table/schema.h"

namespace mehler {

/// Throws Error(kInvalidArgument), which names who draws them and the remedy, where records that
/// are sampled are not accounted for: where one is exchanged for another, and where a person has
/// several.
void require_sampled_records(const Schema& schema, const std::string& who);

/// The smallest noise multiplier with which a plan keeps what is left of a budget beside everything
/// that was bought of it; the plan's own is not read. Throws Error(kBudgetExceeded) if no noise is
/// enough, Error(kInvalidArgument) for a plan that is none. Cost: a second or two.
double affordable_noise_multiplier(const Accountant& accountant, const TrainingPlan& plan);

/// The right to take the steps of a private training, paid for in advance.
///
/// Privacy: cannot be made without an Accountant, which is charged for all steps at once and before
/// there is one; so a training that is stopped has still cost all of it. It keeps the plan and the
/// schema that it was paid for, hands out as many steps as were paid for, of each critic, and
/// refuses the next. It cannot be copied, so that a step is taken once.
class SubsampledMechanism {
 public:
  /// `classes`: of a plan with one critic per class, how many there are; else 1. A record is in one
  /// class, so that all critics together cost what one costs. Throws Error(kInvalidArgument) for a
  /// plan that is none, noise that cannot be drawn, or a schema whose records may not be sampled;
  /// Error(kBudgetExceeded).
  SubsampledMechanism(Accountant& accountant, const std::string& what, const TrainingPlan& plan,
                      std::size_t classes, const Schema& schema);
  SubsampledMechanism(SubsampledMechanism&&) = default;
  SubsampledMechanism(const SubsampledMechanism&) = delete;
  SubsampledMechanism& operator=(const SubsampledMechanism&) = delete;

  const TrainingPlan& plan() const { return plan_; }
  /// What was paid for.
  const Charge& charge() const { return charge_; }
  std::uint64_t steps_left(std::size_t critic) const { return steps_left_.at(critic); }

  /// Takes a step of a critic. Throws Error(kBudgetExceeded) if none is left.
  void take_step(std::size_t critic);

  /// Throws Error(kInvalidArgument) if it was paid for under another schema, which may protect
  /// less.
  void require_schema(const Schema& schema) const;

 private:
  TrainingPlan plan_;
  Charge charge_;
  std::vector<std::uint64_t> steps_left_;  ///< of each critic
  Schema schema_;
};

/// Sums of clipped gradients are multiples of 2^-kGradientGridExponent of the clip norm, and so is
/// their noise.
inline constexpr int kGradientGridExponent = 38;

}  // namespace mehler
