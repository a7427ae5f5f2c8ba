#include "mehler/measurement/internal/domain_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mehler {
namespace {

/// The probability that an empty cell of a column stands out by chance.
constexpr double kFalseCells = 1e-6;

/// What one person can change: the counts of a column, in the 2-norm, and the most records.
struct Exposure {
  double sensitivity;
  double records;
};

Exposure exposure_of(const Schema& schema) {
  if (schema.relation() == NeighbourRelation::kReplaceOne) {
    return {std::nextafter(std::sqrt(2.0), 2.0), 1.0};
  }
  const double records =
      schema.privacy_unit() ? static_cast<double>(schema.privacy_unit()->max_rows) : 1.0;
  return {records, records};
}

/// An x that a standard Gaussian exceeds with at most this probability.
double upper_quantile(double probability) {
  double low = 0.0;
  double high = 40.0;
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(middle / std::sqrt(2.0)) > probability ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::vector<DomainPrice> prices_of(std::span<const DomainSize> columns, const Schema& schema,
                                   double share, const PrivacyBudget& budget) {
  const Exposure exposure = exposure_of(schema);
  const auto texts = static_cast<double>(std::count_if(
      columns.begin(), columns.end(), [](const DomainSize& size) { return size.cells == 0; }));
  const double delta = texts > 0.0 ? share * budget.delta / texts : 0.0;
  const double mu = calibrate_mu({budget.epsilon, budget.delta - texts * delta});
  const double mu_squared = share * mu * mu / static_cast<double>(columns.size());
  const double sigma = exposure.sensitivity / std::sqrt(mu_squared);
  std::vector<DomainPrice> prices;
  for (const DomainSize& size : columns) {
    DomainPrice price;
    if (size.cells > 0) {
      price.counts.name = fmt::format("bounds of '{}'", size.column);
      price.threshold =
          sigma * std::sqrt(2.0 * std::log(static_cast<double>(size.cells) / (2.0 * kFalseCells)));
    } else {
      price.counts.name = fmt::format("categories of '{}'", size.column);
      price.rare = RareDisclosure{price.counts.name + " that one person alone has", delta};
      price.threshold = exposure.records + sigma * upper_quantile(delta / exposure.records);
    }
    price.counts.sensitivity = exposure.sensitivity;
    price.counts.sigma = sigma;
    prices.push_back(std::move(price));
  }
  return prices;
}

}  // namespace mehler
