#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mehler/release/gaussian_privacy.h"
#include "mehler/table/schema.h"

namespace mehler {

/// What was measured of one block of sums, and with how much noise.
struct BlockStatement {
  std::string name;
  /// The largest change, in the 2-norm, of the block's sums between neighbouring tables.
  double sensitivity = 0.0;
  /// Standard deviation of the Gaussian noise on every sum.
  double sigma = 0.0;

  /// What the block spends: (sensitivity / sigma)^2.
  double mu_squared() const { return (sensitivity / sigma) * (sensitivity / sigma); }
};

/// The guarantee that a release carries, with everything that is needed to recompute it.
struct PrivacyStatement {
  PrivacyBudget budget;
  NeighbourRelation relation = NeighbourRelation::kAddRemoveOne;
  std::optional<PrivacyUnit> privacy_unit;
  SchemaProvenance provenance = SchemaProvenance::kDeclared;
  /// The number of records; only under replace-one, which makes it public.
  std::optional<std::uint64_t> public_rows;
  std::vector<BlockStatement> blocks;

  /// The privacy spent: sqrt(sum of the blocks' mu_squared).
  double mu() const;

  /// The guarantee in one paragraph for people.
  std::string in_words() const;
};

}  // namespace mehler
