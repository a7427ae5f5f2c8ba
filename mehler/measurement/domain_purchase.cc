#include "mehler/measurement/domain_purchase.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mehler/core/error.h"
#include "mehler/core/strict_json.h"
#include "mehler/measurement/internal/domain_counts.h"
#include "mehler/measurement/measured_release.h"
#include "mehler/privacy/gaussian_mechanism.h"
#include "mehler/privacy/rounded_gaussian.h"
#include "mehler/privacy/secure_random.h"
#include "mehler/table/assumed_domains.h"

namespace mehler {
namespace {

/// Noise is drawn in multiples of 2^-16.
constexpr int kDomainGrid = 16;
/// The probability that an empty cell of a column stands out by chance.
constexpr double kFalseCells = 0.01;
/// Of a column: the most categories that are kept, the most frequent ones by their noisy counts.
constexpr std::size_t kMostCategories = 1000;

/// The largest change, in the 2-norm, of the counts of a column, and the most records of a person.
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

/// The x for which a standard Gaussian is above it with at most this probability.
double upper_quantile(double probability) {
  double low = 0.0;
  double high = 40.0;
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(middle / std::sqrt(2.0)) > probability ? low : high) = middle;
  }
  return high;
}

std::int64_t on_grid(double value) {
  return static_cast<std::int64_t>(std::ceil(std::ldexp(value, kDomainGrid)));
}

/// The right to count one column with noise, and what stands out of it.
struct Price {
  GaussianSums sums;
  double threshold = 0.0;
};

/// Draws the noise that was paid for.
class CountNoise {
 public:
  explicit CountNoise(const Price& price)
      : threshold_(on_grid(price.threshold)),
        noise_(random_, std::ldexp(price.sums.sigma, kDomainGrid)) {}

  /// A count with noise, in multiples of 2^-16.
  std::int64_t noisy(std::int64_t count) {
    constexpr std::int64_t kMost = std::int64_t{1} << (61 - kDomainGrid);
    return std::min(count, kMost) * (std::int64_t{1} << kDomainGrid) + noise_.sample();
  }
  bool stands_out(std::int64_t noisy) const { return noisy > threshold_; }

 private:
  SecureRandom random_;
  std::int64_t threshold_;
  RoundedGaussian<SecureRandom> noise_;
};

bool find_bounds(const ExactDomain& domain, const Price& price, Column& column) {
  CountNoise counts(price);
  std::size_t first = domain.cells().size();
  std::size_t last = 0;
  for (std::size_t cell = 0; cell < domain.cells().size(); ++cell) {
    if (counts.stands_out(counts.noisy(domain.cell_counts()[cell]))) {
      first = std::min(first, cell);
      last = cell;
    }
  }
  if (first == domain.cells().size()) {
    return false;
  }
  column.bounds = domain.cells().bounds_of(first, last);
  return true;
}

/// Whether a schema can list it.
bool can_be_listed(const std::string& text, const Column& column) {
  if (integer_range(column.type) && !plain_integer(text)) {
    return false;
  }
  return is_utf8(text);
}

bool find_categories(const ExactDomain& domain, const Price& price, Column& column) {
  CountNoise counts(price);
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (const auto& [text, count] : domain.texts()) {
    const std::int64_t noisy = counts.noisy(count);
    if (counts.stands_out(noisy)) {
      found.emplace_back(noisy, std::string(text));
    }
  }
  // The order of the map follows the records; nothing may.
  std::sort(found.begin(), found.end(), std::greater<>());
  column.categories.emplace();
  for (const auto& [noisy, text] : found) {
    if (column.categories->size() < kMostCategories && can_be_listed(text, column)) {
      column.categories->push_back(text);
    }
  }
  if (column.categories->empty()) {
    return false;
  }
  const bool by_value = std::all_of(column.categories->begin(), column.categories->end(),
                                    [](const auto& text) { return plain_integer(text); });
  std::sort(column.categories->begin(), column.categories->end(),
            [&](const std::string& a, const std::string& b) {
              return by_value ? *plain_integer(a) < *plain_integer(b) : a < b;
            });
  column.other = column.other.value_or(kBoughtOther);
  return true;
}

/// The prices of all columns, paid.
std::vector<Price> pay(const std::vector<ExactDomain>& domains, const Schema& schema, double share,
                       Accountant& accountant) {
  const Exposure exposure = exposure_of(schema);
  const auto texts = static_cast<double>(
      std::count_if(domains.begin(), domains.end(),
                    [](const ExactDomain& domain) { return domain.column().is_category(); }));
  const double delta = texts > 0.0 ? share * accountant.budget().delta / texts : 0.0;
  std::vector<Charge> charges;
  for (const ExactDomain& domain : domains) {
    if (domain.column().is_category()) {
      charges.emplace_back(RareDisclosure{
          fmt::format("categories of '{}' that one person alone has", domain.column().name),
          delta});
    }
  }
  // What disclosures take of delta lowers the mu that is left.
  const double left_delta = accountant.budget().delta - static_cast<double>(charges.size()) * delta;
  const double mu = calibrate_mu({accountant.budget().epsilon, left_delta});
  const double mu_squared = share * mu * mu / static_cast<double>(domains.size());
  std::vector<Price> prices;
  for (const ExactDomain& domain : domains) {
    const bool is_text = domain.column().is_category();
    const double sigma = exposure.sensitivity / std::sqrt(mu_squared);
    require_drawable(sigma, kDomainGrid);
    Price price;
    price.sums = {
        fmt::format("{} of '{}'", is_text ? "categories" : "bounds", domain.column().name),
        exposure.sensitivity, sigma};
    price.threshold =
        is_text ? exposure.records + sigma * upper_quantile(delta / exposure.records)
                : sigma * std::sqrt(2.0 * std::log(static_cast<double>(domain.cells().size()) /
                                                   (2.0 * kFalseCells)));
    // Noise is rounded to the grid, by half a multiple at most.
    price.threshold += std::ldexp(1.0, -kDomainGrid);
    charges.emplace_back(price.sums);
    prices.push_back(price);
  }
  accountant.spend("bounds and categories", charges);
  return prices;
}

}  // namespace

void DomainBudget::validate() const {
  if (!(share >= kMinShare && share <= kMaxShare)) {  // written so that NaN fails too
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the share of the budget for bounds and categories must lie in [{}, "
                            "{}], but is {}",
                            kMinShare, kMaxShare, share));
  }
}

BoughtDomains buy_domains(PrivateTable&& table, const DomainBudget& budget, Accountant& accountant,
                          const Context& context) {
  budget.validate();
  const PrivateTable source = std::move(table);
  const Schema& schema = source.schema();
  if (!source.can_be_read_again()) {
    throw Error(ErrorCode::kInvalidArgument,
                "bounds and categories are bought in a pass of its own over the table, but this "
                "one can be read only once; give files instead of a pipe, or declare them");
  }
  if (!accountant.ledger().empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "bounds and categories are bought first, but something was charged to the budget "
                "before; use a new accountant");
  }
  const std::vector<ExactDomain> domains = DomainCounts::read(source, context);
  const std::vector<Price> prices = pay(domains, schema, budget.share, accountant);
  std::vector<std::string> not_found;
  std::vector<Column> columns = schema.columns();
  for (std::size_t i = 0; i < domains.size(); ++i) {
    Column& column = *std::find_if(columns.begin(), columns.end(), [&](const Column& any) {
      return any.name == domains[i].column().name;
    });
    const bool found = column.is_number() ? find_bounds(domains[i], prices[i], column)
                                          : find_categories(domains[i], prices[i], column);
    if (!found) {
      not_found.push_back(column.name);
      column.kind = ColumnKind::kIgnored;
    }
  }
  try {
    Schema complete = schema.with_columns(std::move(columns));
    complete.require_declared();
    return {DomainCounts::with_schema(source, std::move(complete)), std::move(not_found)};
  } catch (const Error&) {
    throw after_measurement(
        Error(ErrorCode::kInvalidTable,
              "the noise hides the bounds and categories of every column that was to be used; "
              "declare them, or give a larger epsilon or more records"));
  }
}

}  // namespace mehler
