#include "mehler/privacy/gaussian_mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/core/error.h"
#include "mehler/privacy/rounded_gaussian.h"
#include "mehler/release/release.h"

namespace mehler {

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

namespace {

constexpr const char* kFeatureSums = "noisy sums of features";

}  // namespace

GaussianMechanism::GaussianMechanism(std::span<const FeatureBlock> features, const Schema& schema,
                                     SensitivityRule rule)
    : features_(features.begin(), features.end()), schema_(schema) {
  for (const FeatureBlock& block : features_) {
    blocks_.push_back({block.name, protected_sensitivity(block, schema, rule), 0.0});
  }
}

void GaussianMechanism::require_schema(const Schema& schema) const {
  if (!(schema_ == schema)) {
    throw Error(ErrorCode::kInvalidArgument,
                "the noise was paid for under another schema than the records have; make the "
                "mechanism with the schema of the records");
  }
}

void GaussianMechanism::share(double mu_squared, const FeatureSet& features,
                              const auto& takes_part) {
  std::vector<double> shares;
  double sum_of_shares = 0.0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const FeatureBlock& block = features.blocks()[i];
    const auto dimension = static_cast<double>(features.block_rows(block) * block.dimension());
    shares.push_back(
        takes_part(block) ? blocks_[i].sensitivity * std::sqrt(block.weight * dimension) : 0.0);
    sum_of_shares += shares.back();
  }
  // Rounded up a little, so that the blocks together never exceed what is charged: the sum of n
  // shares, and that of n mu^2, have a relative error of n/2 roundings each.
  const double slack =
      1e-14 + static_cast<double>(blocks_.size()) * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (shares[i] > 0.0) {
      const double mu = std::sqrt(mu_squared * shares[i] / sum_of_shares);
      blocks_[i].sigma = blocks_[i].sensitivity / mu * (1.0 + slack);
    }
  }
}

void GaussianMechanism::charge(Accountant& accountant, const std::string& what) {
  double spent = 0.0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    spent += blocks_[i].mu_squared();
    for (const FeatureSegment& segment : features_[i].segments()) {
      require_drawable(blocks_[i].sigma / segment.weight, features_[i].grid_exponent());
    }
  }
  accountant.spend(what, spent);
}

GaussianMechanism::GaussianMechanism(Accountant& accountant, double mu_squared,
                                     const FeatureSet& features, const Schema& schema,
                                     SensitivityRule rule)
    : GaussianMechanism(features.blocks(), schema, rule) {
  share(mu_squared, features, [](const FeatureBlock&) { return true; });
  charge(accountant, kFeatureSums);
}

GaussianMechanism GaussianMechanism::with_precisions(Accountant& accountant,
                                                     const std::string& what,
                                                     std::span<const FeatureBlock> blocks,
                                                     const Schema& schema,
                                                     std::span<const double> precisions) {
  MEHLER_ASSERT(blocks.size() == precisions.size());
  GaussianMechanism result(blocks, schema, SensitivityRule::kCertified);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    MEHLER_ASSERT(precisions[i] > 0.0);
    result.blocks_[i].sigma = 1.0 / std::sqrt(precisions[i]);
  }
  result.charge(accountant, what);
  return result;
}

GaussianMechanism GaussianMechanism::published(Accountant& accountant, double product_share,
                                               const FeatureSet& features, const Schema& schema,
                                               SensitivityRule rule) {
  if (!(product_share > 0.0 && product_share < 1.0)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the products' share of epsilon must lie strictly between 0 and 1, but "
                            "is {}; the paper takes 0.2 or 0.5",
                            product_share));
  }
  GaussianMechanism result(features.blocks(), schema, rule);
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
    result.share(mu * mu, features, is_no_product);
  }
  if (has_products) {
    // Renyi composition of Gaussians gives epsilon = mu^2/2 + mu sqrt(2 ln(1/delta)).
    const double root = std::sqrt(-2.0 * std::log(share * budget.delta));
    const double mu = std::sqrt(root * root + 2.0 * share * budget.epsilon) - root;
    result.share(mu * mu, features, is_product);
  }
  result.charge(accountant, kFeatureSums);
  return result;
}

}  // namespace mehler
