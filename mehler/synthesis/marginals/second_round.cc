#include "mehler/synthesis/marginals/second_round.h"

#include <algorithm>

#include "mehler/counts/contrasts.h"

namespace mehler {
namespace {

/// What gets less than this share of the round hardly tells anything; a triple is not worth its
/// place in the fit.
constexpr double kLeastPairShare = 1e-8;
constexpr double kLeastTripleShare = 1e-4;

}  // namespace

void SecondRound::add(std::span<const std::size_t> columns, std::span<const double> expected,
                      double tau, double cell_variance, double importance) {
  blocks_.push_back(CountBlock::marginal(encoder_, columns, cells_, "round 2"));
  norms_.push_back(squared_contrast_norm(blocks_.back().marginal()->shape()));
  MeasurementCandidate table;
  table.price = rounds_.cost(blocks_.back()) * norms_.back();
  table.importance = importance;
  for (const double count : expected) {
    const double prior = tau * count;
    table.variances.push_back(cell_variance > 0.0 ? prior * cell_variance / (prior + cell_variance)
                                                  : prior);
  }
  tables_.push_back(std::move(table));
}

void SecondRound::measure(std::span<const double> fallback_shares, const Context& context) {
  std::vector<double> shares = fill_with_precision(tables_, rounds_.left());
  const bool is_any = std::any_of(shares.begin(), shares.end(), [](double s) { return s > 0.0; });
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (!is_any) {
      shares[i] = i < fallback_shares.size() ? fallback_shares[i] : 0.0;
      continue;
    }
    const double least =
        blocks_[i].marginal()->columns.size() == 3 ? kLeastTripleShare : kLeastPairShare;
    shares[i] = shares[i] * tables_[i].price < least * rounds_.left() ? 0.0 : shares[i] * norms_[i];
  }
  rounds_.measure("counts, round 2", std::move(blocks_), std::move(shares), rounds_.left(),
                  context);
}

}  // namespace mehler
