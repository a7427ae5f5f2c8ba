#include "mehler/privacy/exact_selection.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/privacy/paid_schema.h"

namespace mehler {
namespace {

double numerator_of(double epsilon) { return std::floor(std::ldexp(epsilon, kSelectionExponent)); }

}  // namespace

void require_choosable(const std::string& what, double epsilon) {
  if (!(numerator_of(epsilon) >= 1.0 && epsilon <= kMaxSelectionEpsilon)) {  // NaN fails too
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the epsilon of '{}' must be at least 2^-{} and at most {:g}, but is "
                            "{}; choose an epsilon or a delta nearer to 1",
                            what, kSelectionExponent, kMaxSelectionEpsilon, epsilon));
  }
}

ExactSelection::ExactSelection(Accountant& accountant, const std::string& what,
                               std::size_t candidates, double epsilon, const Schema& schema)
    : schema_(schema) {
  require_choosable(what, epsilon);
  const double numerator = numerator_of(epsilon);
  numerator_ = static_cast<std::uint64_t>(numerator);
  charge_ = {what, candidates, std::ldexp(numerator, -kSelectionExponent)};
  accountant.spend(what, std::vector<Charge>{charge_});
}

void ExactSelection::require_schema(const Schema& schema) const {
  require_paid_schema(schema_, schema, "the choice");
}

}  // namespace mehler
