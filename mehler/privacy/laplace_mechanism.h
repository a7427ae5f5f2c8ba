#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mehler/counts/count_block.h"
#include "mehler/privacy/accountant.h"
#include "mehler/table/schema.h"

namespace mehler {

/// Throws Error(kInvalidArgument) for a scale of Laplace noise that cannot be drawn.
void require_drawable_laplace(double scale);

/// The right to add noise of the discrete Laplace kind to counts of cells, paid for in advance:
/// pure privacy.
///
/// Privacy: as GaussianMechanism: charged before there is one, kept to its blocks and its schema,
/// consumed by PrivateCounter::measure().
class LaplaceMechanism {
 public:
  /// Scales are such that 1 / scale is a multiple of 2^-kRateExponent.
  static constexpr int kRateExponent = 40;

  /// With noise of at least this scale on each block: the smallest that can be drawn exactly.
  /// Charges the accountant under the name `what`; throws Error(kBudgetExceeded) before anything is
  /// released, Error(kInvalidArgument) for a scale that cannot be drawn.
  LaplaceMechanism(Accountant& accountant, const std::string& what,
                   std::span<const CountBlock> blocks, const Schema& schema, double scale);
  LaplaceMechanism(LaplaceMechanism&&) = default;
  LaplaceMechanism(const LaplaceMechanism&) = delete;
  LaplaceMechanism& operator=(const LaplaceMechanism&) = delete;

  const std::vector<CountBlock>& blocks() const { return blocks_; }
  const std::vector<LaplaceSums>& charges() const { return charges_; }
  /// 1 / scale, times 2^kRateExponent.
  std::uint64_t rate() const { return rate_; }

  /// Throws Error(kInvalidArgument) if it was paid for under another schema.
  void require_schema(const Schema& schema) const;

 private:
  std::vector<CountBlock> blocks_;
  std::vector<LaplaceSums> charges_;
  std::uint64_t rate_ = 0;
  Schema schema_;
};

}  // namespace mehler
