#include "mehler/release/spent_together.h"

#include <algorithm>

#include "mehler/core/error.h"

namespace mehler {

PrivacyBudget spent_together(std::span<const Release> releases) {
  if (releases.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "there is no release whose cost could be added up");
  }
  const Schema& first = releases.front().schema();
  PrivacyStatement all;
  for (const Release& release : releases) {
    if (release.schema().relation() != first.relation() ||
        release.schema().privacy_unit() != first.privacy_unit()) {
      throw Error(ErrorCode::kInvalidArgument,
                  "the releases protect different things (another relation, another privacy unit), "
                  "so that what they spent cannot be added up; add up those that protect the same");
    }
    const PrivacyStatement& statement = release.statement();
    all.budget.delta = std::max(all.budget.delta, statement.budget.delta);
    all.charges.insert(all.charges.end(), statement.charges.begin(), statement.charges.end());
  }
  return {all.epsilon_spent(), all.budget.delta};
}

}  // namespace mehler
