#include "mehler/report/budget_shares.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/overloaded.h"
#include "mehler/release/payload.h"
#include "mehler/report/release_lines.h"
#include "mehler/report/release_words.h"

namespace mehler {
namespace {

constexpr std::size_t kMostParts = 8;
constexpr std::size_t kMostBesides = 8;

/// What a charge of pure privacy adds to epsilon; 0 for others.
double pure_epsilon(const Charge& charge) {
  return std::visit(Overloaded{[](const LaplaceSums& sums) { return sums.epsilon(); },
                               [](const PureMechanism& pure) { return pure.epsilon; },
                               [](const Selection& selection) { return selection.epsilon; },
                               [](const auto&) { return 0.0; }},
                    charge);
}

double mu_squared_of(const Charge& charge) { return gaussian_mu_squared({&charge, 1}); }

/// Blocks of counts by what they count, other charges by what they are for.
std::string part_name(const Release& release, std::size_t i) {
  const Charge& charge = release.statement().charges[i];
  if (release.has_counts() && i < release.counts().blocks.size()) {
    return counted_part_name(release.counts().counts.blocks()[i]);
  }
  return std::holds_alternative<Selection>(charge) ? "choices" : name_of(charge);
}

/// The smallest parts beyond the limit as one, the others from the largest to the smallest.
void gather_smallest(std::vector<BudgetShares::Part>& parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  if (parts.size() > kMostParts) {
    BudgetShares::Part rest{fmt::format("{} others", parts.size() - kMostParts + 1), 0.0};
    for (std::size_t i = kMostParts - 1; i < parts.size(); ++i) {
      rest.share += parts[i].share;
    }
    parts.resize(kMostParts - 1);
    parts.push_back(rest);
  }
}

}  // namespace

BudgetShares budget_shares(const Release& release) {
  const std::vector<Charge>& charges = release.statement().charges;
  const bool is_pure = std::all_of(charges.begin(), charges.end(), [](const Charge& charge) {
    return pure_epsilon(charge) > 0.0 || std::holds_alternative<RareDisclosure>(charge);
  });
  BudgetShares result;
  const bool has_shares = is_pure || is_gaussian(charges);
  double all = 0.0;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double spent = !has_shares ? 0.0
                         : is_pure   ? pure_epsilon(charges[i])
                                     : mu_squared_of(charges[i]);
    if (spent == 0.0) {
      if (result.besides.size() < kMostBesides) {
        result.besides.push_back("Also charged: " + charge_words(charges[i]));
      }
      continue;
    }
    all += spent;
    const std::string name = part_name(release, i);
    const auto known = std::find_if(result.parts.begin(), result.parts.end(),
                                    [&](const auto& part) { return part.name == name; });
    if (known == result.parts.end()) {
      result.parts.push_back({name, spent});
    } else {
      known->share += spent;
    }
  }
  for (BudgetShares::Part& part : result.parts) {
    part.share /= all;
  }
  gather_smallest(result.parts);
  result.words = fmt::format("What the budget was spent on, as shares of {}.",
                             is_pure ? "epsilon" : "mu squared, in which Gaussian noise adds up");
  return result;
}

}  // namespace mehler
