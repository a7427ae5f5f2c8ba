#pragma once

#include <string>
#include <vector>

#include "mehler/core/strict_json.h"
#include "mehler/release/release.h"

namespace mehler {

/// What a release's budget was spent on, as shares of what adds up. Some charges have no share:
/// they are listed in words.
struct BudgetShares {
  struct Part {
    std::string name;
    double share = 0.0;
  };
  std::vector<Part> parts;  ///< the smallest ones as one
  std::string words;        ///< what the shares are of
  std::vector<std::string> besides;
};

BudgetShares budget_shares(const Release& release);

}  // namespace mehler
