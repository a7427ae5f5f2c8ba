#include "mehler/release/spent_together.h"

#include <fmt/format.h>

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
  // Rare disclosures add up; as much again is left for all else.
  all.budget.delta = std::max(all.budget.delta, 2.0 * all.disclosure_delta());
  if (!(all.budget.delta < 1.0)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("rare disclosures of the releases take a delta of {} together, which "
                            "leaves nothing that a guarantee could be stated for",
                            all.disclosure_delta()));
  }
  return {all.epsilon_spent(), all.budget.delta};
}

}  // namespace mehler
