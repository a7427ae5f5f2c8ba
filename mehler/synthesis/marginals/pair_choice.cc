#include "mehler/synthesis/marginals/pair_choice.h"

#include <algorithm>
#include <cmath>

#include "mehler/counts/contrasts.h"

namespace mehler {
namespace {

constexpr double kLargestError = 4.0;        ///< total variation of a pair by noise alone
constexpr double kSmallError = 0.1;          ///< with which any number of pairs is worth its time
constexpr std::size_t kPairsPerColumn = 10;  ///< else, and at least kFewPairs

}  // namespace

double PairChoice::share(const ColumnPair& pair,
                         std::span<const std::shared_ptr<const ColumnPartition>> cells) const {
  return (is_of_target(pair) ? target_weight : 1.0) *
         std::sqrt(static_cast<double>(cells[pair.first]->size()) *
                   static_cast<double>(cells[pair.second]->size()));
}

std::vector<ColumnPair> choose_pairs(
    const PairChoice& choice, std::span<const std::shared_ptr<const ColumnPartition>> cells) {
  std::vector<ColumnPair> pairs;
  for (std::size_t i = 0; i < choice.columns.size(); ++i) {
    for (std::size_t j = i + 1; j < choice.columns.size(); ++j) {
      pairs.emplace_back(choice.columns[i], choice.columns[j]);
    }
  }
  const auto distance = [&](const ColumnPair& pair) {
    return choice.is_of_target(pair) ? 0 : pair.second - pair.first;
  };
  std::stable_sort(pairs.begin(), pairs.end(), [&](const ColumnPair& a, const ColumnPair& b) {
    return distance(a) < distance(b);
  });
  // With precisions share * budget / sum, a pair's error is
  // 0.4 cells sqrt(norm sum / (share budget)) / rows.
  double sum = 0.0;
  double errors = 0.0;
  std::size_t kept = 0;
  const double scale = kHalfMeanAbsolute / (choice.rows * std::sqrt(choice.mu_squared));
  for (const ColumnPair& pair : pairs) {
    const std::size_t shape[] = {cells[pair.first]->size(), cells[pair.second]->size()};
    const double norm = squared_contrast_norm(shape);
    const double share = choice.share(pair, cells);
    sum += share * norm;
    errors += static_cast<double>(shape[0] * shape[1]) * std::sqrt(norm / share);
    ++kept;
    const double mean_error = scale * errors * std::sqrt(sum) / static_cast<double>(kept);
    const bool needed = distance(pair) == (choice.target ? 0U : 1U);
    const bool many = kept > std::max(kFewPairs, kPairsPerColumn * choice.columns.size()) &&
                      mean_error > kSmallError;
    if (!needed && (many || mean_error > kLargestError)) {
      --kept;
      break;
    }
  }
  pairs.resize(kept);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace mehler
