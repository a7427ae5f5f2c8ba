#include "mehler/privacy/gaussian_mechanism.h"

#include <fmt/format.h>

#include <cmath>

#include "mehler/core/error.h"
#include "mehler/privacy/rounded_gaussian.h"
#include "mehler/release/release.h"

namespace mehler {
namespace {

/// Noise is drawn as multiples of the grid step; its scale must neither vanish on the grid nor
/// leave 64 bits.
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

}  // namespace

GaussianMechanism::GaussianMechanism(Accountant& accountant, double mu_squared,
                                     const FeatureSet& features, const Schema& schema) {
  std::vector<double> shares;
  double sum_of_shares = 0.0;
  for (const FeatureBlock& block : features.blocks()) {
    const double sensitivity = protected_sensitivity(block, schema);
    const auto dimension = static_cast<double>(features.block_rows(block) * block.dimension());
    shares.push_back(sensitivity * std::sqrt(block.weight * dimension));
    sum_of_shares += shares.back();
    blocks_.push_back({block.name, sensitivity, 0.0});
  }
  double spent = 0.0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    // Rounded up a little, so that the blocks together never exceed what is charged.
    const double mu = std::sqrt(mu_squared * shares[i] / sum_of_shares);
    blocks_[i].sigma = blocks_[i].sensitivity / mu * (1.0 + 1e-14);
    spent += blocks_[i].mu_squared();
    for (const FeatureSegment& segment : features.blocks()[i].segments()) {
      require_drawable(blocks_[i].sigma / segment.weight, features.blocks()[i].grid_exponent());
    }
  }
  accountant.spend("noisy sums of features", spent);
}

}  // namespace mehler
