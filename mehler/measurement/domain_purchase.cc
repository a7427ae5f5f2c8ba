#include "mehler/measurement/domain_purchase.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mehler/core/error.h"
#include "mehler/core/strict_json.h"
#include "mehler/measurement/internal/domain_counts.h"
#include "mehler/measurement/internal/domain_price.h"
#include "mehler/measurement/measured_release.h"
#include "mehler/privacy/gaussian_mechanism.h"
#include "mehler/privacy/rounded_gaussian.h"
#include "mehler/privacy/secure_random.h"
#include "mehler/table/assumed_domains.h"

namespace mehler {
namespace {

/// Noise is drawn in multiples of 2^-16.
constexpr int kDomainGrid = 16;
/// Of a column: the most categories that are kept, the most frequent ones by their noisy counts.
constexpr std::size_t kMostCategories = 1000;

/// In multiples of the grid, rounded up.
std::int64_t on_grid(double value) {
  return static_cast<std::int64_t>(std::ceil(std::ldexp(value, kDomainGrid)));
}

/// Draws the noise that was paid for.
class CountNoise {
 public:
  explicit CountNoise(const DomainPrice& price)
      : threshold_(on_grid(price.threshold) + 1),
        noise_(random_, std::ldexp(price.counts.sigma, kDomainGrid)) {}

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

bool find_bounds(const ExactDomain& domain, const DomainPrice& price, Column& column) {
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

bool find_categories(const ExactDomain& domain, const DomainPrice& price, Column& column) {
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
std::vector<DomainPrice> pay(const std::vector<ExactDomain>& domains, const Schema& schema,
                             double share, Accountant& accountant) {
  std::vector<DomainSize> sizes;
  for (const ExactDomain& domain : domains) {
    const bool is_text = domain.column().is_category();
    sizes.push_back({domain.column().name, is_text ? 0 : domain.cells().size()});
  }
  std::vector<DomainPrice> prices = prices_of(sizes, schema, share, accountant.budget());
  std::vector<Charge> charges;
  for (const DomainPrice& price : prices) {
    require_drawable(price.counts.sigma, kDomainGrid);
    charges.emplace_back(price.counts);
    if (price.rare) {
      charges.emplace_back(*price.rare);
    }
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
  const std::vector<DomainPrice> prices = pay(domains, schema, budget.share, accountant);
  say_measured(context);
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
  } catch (const Error& error) {
    throw after_measurement(Error(
        ErrorCode::kInvalidTable,
        fmt::format("the noise hides bounds and categories that the schema cannot do without; "
                    "declare them, or give a larger epsilon or more records ({})",
                    error.what())));
  }
}

}  // namespace mehler
