#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mehler/accounting/charge.h"
#include "mehler/accounting/gaussian_privacy.h"
#include "mehler/table/schema.h"

namespace mehler {

/// A column whose bounds or categories are bought: the number of its cells, or 0 for texts, whose
/// number is private.
struct DomainSize {
  std::string column;
  std::size_t cells = 0;
};

/// What counting one column costs, and which counts stand out of the noise.
struct DomainPrice {
  GaussianSums counts;
  /// Of texts: that one which a single person has stands out.
  std::optional<RareDisclosure> rare;
  /// Noisy counts above it stand out.
  double threshold = 0.0;
};

/// Shares a part of the budget between columns: `share` of its delta between those of texts, and
/// `share` of the mu^2 that the rest of delta leaves between all, evenly.
///
/// Thresholds. Cells are public: those of a column in which nothing lies stand out with a
/// probability of 10^-6 together. Texts are private, and that one is there at all tells that
/// somebody has it: texts that only one person has stand out with a probability of at most the
/// delta that is charged (docs/design/0015-bought-domains.md).
std::vector<DomainPrice> prices_of(std::span<const DomainSize> columns, const Schema& schema,
                                   double share, const PrivacyBudget& budget);

}  // namespace mehler
