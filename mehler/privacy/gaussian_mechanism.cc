#include "mehler/privacy/gaussian_mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/privacy/paid_schema.h"
#include "mehler/privacy/rounded_gaussian.h"
#include "mehler/release/payload.h"

namespace mehler {

namespace {

/// Renyi composition of Gaussians gives epsilon = mu^2/2 + mu sqrt(2 ln(1/delta)); the mu of that.
double renyi_mu(const PrivacyBudget& budget) {
  const double root = std::sqrt(-2.0 * std::log(budget.delta));
  return std::sqrt(root * root + 2.0 * budget.epsilon) - root;
}

}  // namespace

void require_drawable(double sigma, int grid_exponent) {
  const double grid_sigma = std::ldexp(sigma, grid_exponent);
  if (!(grid_sigma >= kMinRoundedSigma && grid_sigma <= kMaxRoundedSigma)) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "this budget and these weights ask for noise with a standard deviation of {}, but it "
            "can be drawn only within [{}, {}]; choose an epsilon, a delta or weights nearer to 1",
            sigma, std::ldexp(kMinRoundedSigma, -grid_exponent),
            std::ldexp(kMaxRoundedSigma, -grid_exponent)));
  }
}

void GaussianMechanism::require_schema(const Schema& schema) const {
  require_paid_schema(schema_, schema, "the noise");
}

void GaussianMechanism::pay(Accountant& accountant, const std::string& what) const {
  accountant.spend(what, std::vector<Charge>(charges_.begin(), charges_.end()));
}

SumMechanism::SumMechanism(const FeatureSet& features, const Schema& schema, SensitivityRule rule)
    : GaussianMechanism(schema), features_(features) {
  for (const FeatureBlock& block : features_.blocks()) {
    charges_.push_back({block.name, protected_sensitivity(block, schema, rule), 0.0});
  }
}

void SumMechanism::share(double mu_squared, const auto& takes_part) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    const FeatureBlock& block = features_.blocks()[i];
    const auto dimension = static_cast<double>(features_.block_rows(block) * block.dimension());
    shares.push_back(
        takes_part(block) ? charges_[i].sensitivity * std::sqrt(block.weight * dimension) : 0.0);
  }
  share_by(mu_squared, shares);
}

void SumMechanism::share_by(double mu_squared, const std::vector<double>& shares) {
  const double sum_of_shares = std::accumulate(shares.begin(), shares.end(), 0.0);
  // Rounded up a little, so that the blocks together never exceed what is charged: the sum of n
  // shares, and that of n mu^2, have a relative error of n/2 roundings each.
  const double slack =
      1e-14 + static_cast<double>(charges_.size()) * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    if (shares[i] > 0.0) {
      const double mu = std::sqrt(mu_squared * shares[i] / sum_of_shares);
      charges_[i].sigma = charges_[i].sensitivity / mu * (1.0 + slack);
    }
  }
}

void SumMechanism::pay_for_sums(Accountant& accountant) const {
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    const FeatureBlock& block = features_.blocks()[i];
    for (const FeatureSegment& segment : block.segments()) {
      require_drawable(charges_[i].sigma / segment.weight, block.grid_exponent());
    }
  }
  pay(accountant, "noisy sums of features");
}

SumMechanism::SumMechanism(Accountant& accountant, double mu_squared, const FeatureSet& features,
                           const Schema& schema, SensitivityRule rule)
    : SumMechanism(features, schema, rule) {
  share(mu_squared, [](const FeatureBlock&) { return true; });
  pay_for_sums(accountant);
}

SumMechanism SumMechanism::published(Accountant& accountant, double product_share,
                                     const FeatureSet& features, const Schema& schema,
                                     SensitivityRule rule) {
  if (!(product_share > 0.0 && product_share < 1.0)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the products' share of epsilon must lie strictly between 0 and 1, but "
                            "is {}; the paper takes 0.2 or 0.5",
                            product_share));
  }
  SumMechanism result(features, schema, rule);
  const auto is_product = [](const FeatureBlock& block) {
    return block.combination == Combination::kProduct;
  };
  const auto is_no_product = [&](const FeatureBlock& block) { return !is_product(block); };
  const auto& blocks = features.blocks();
  const bool has_products = std::any_of(blocks.begin(), blocks.end(), is_product);
  const bool has_others = std::any_of(blocks.begin(), blocks.end(), is_no_product);
  const double share = !has_products ? 0.0 : !has_others ? 1.0 : product_share;
  const PrivacyBudget& budget = accountant.budget();
  if (has_others) {
    const double mu = calibrate_mu({(1.0 - share) * budget.epsilon, (1.0 - share) * budget.delta});
    result.share(mu * mu, is_no_product);
  }
  if (has_products) {
    const double mu = renyi_mu({share * budget.epsilon, share * budget.delta});
    result.share(mu * mu, is_product);
  }
  result.pay_for_sums(accountant);
  return result;
}

SumMechanism SumMechanism::published_alike(Accountant& accountant, const FeatureSet& features,
                                           const Schema& schema, SensitivityRule rule) {
  SumMechanism result(features, schema, rule);
  const double mu = renyi_mu(accountant.budget());
  result.share_by(mu * mu, std::vector<double>(features.blocks().size(), 1.0));
  result.pay_for_sums(accountant);
  return result;
}

CountMechanism::CountMechanism(Accountant& accountant, const std::string& what,
                               std::span<const CountBlock> blocks, const Schema& schema,
                               std::span<const double> precisions)
    : GaussianMechanism(schema), blocks_(blocks.begin(), blocks.end()) {
  MEHLER_ASSERT(blocks.size() == precisions.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    MEHLER_ASSERT(precisions[i] > 0.0);
    const double sigma = 1.0 / std::sqrt(precisions[i]);
    charges_.push_back({blocks[i].name, protected_sensitivity(blocks[i], schema), sigma});
    for (const double scale : blocks[i].noise_scales()) {
      require_drawable(sigma * scale, blocks[i].grid_exponent());
    }
  }
  pay(accountant, what);
}

}  // namespace mehler
