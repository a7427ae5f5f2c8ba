#include "mehler/accounting/privacy_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "mehler/accounting/composition.h"

namespace mehler {
namespace {

/// The sum of all epsilons, if there is Laplace noise and nothing but that and choices.
std::optional<double> epsilon_of_pure(const std::vector<Charge>& charges) {
  long double sum = 0.0L;
  bool any_noise = false;
  for (const Charge& charge : charges) {
    if (const auto* laplace = std::get_if<LaplaceSums>(&charge)) {
      sum += static_cast<long double>(laplace->sensitivity) / laplace->scale;
      any_noise = true;
    } else if (const auto* selection = std::get_if<Selection>(&charge)) {
      sum += selection->epsilon;
    } else {
      return std::nullopt;
    }
  }
  return any_noise ? std::optional(static_cast<double>(sum)) : std::nullopt;
}

/// The number that was written. Below the smallest normal number std::stod() throws.
double number_in(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

/// A number that was rounded the wrong way, rounded the other way: `sign` 1 is up.
std::string half_a_unit_off(double value, int digits, double sign) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - digits + 1);
  return fmt::format("{:.{}g}", value + sign * 0.5 * unit * (1.0 + 1e-9), digits);
}

}  // namespace

std::string rounded_up(double value, int digits) {
  std::string nearest = fmt::format("{:.{}g}", value, digits);
  return number_in(nearest) < value ? half_a_unit_off(value, digits, 1.0) : nearest;
}

std::string rounded_down(double value, int digits) {
  std::string nearest = fmt::format("{:.{}g}", value, digits);
  return number_in(nearest) > value ? half_a_unit_off(value, digits, -1.0) : nearest;
}

BlockNoise PrivacyStatement::noise_of(std::size_t block) const {
  if (const auto* laplace = std::get_if<LaplaceSums>(&charges.at(block))) {
    return {laplace->name, laplace->sensitivity, std::sqrt(2.0) * laplace->scale,
            laplace->epsilon()};
  }
  const auto& sums = std::get<GaussianSums>(charges.at(block));
  return {sums.name, sums.sensitivity, sums.sigma, 0.0};
}

std::optional<double> PrivacyStatement::mu() const {
  return is_gaussian(charges) ? std::optional(std::sqrt(gaussian_mu_squared(charges)))
                              : std::nullopt;
}

double PrivacyStatement::epsilon_spent() const {
  const std::optional<double> gaussian = mu();
  return gaussian && disclosure_delta() == 0.0 ? epsilon_of_gaussian(*gaussian, budget.delta)
                                               : ComposedPrivacy(charges).epsilon_at(budget.delta);
}

std::string PrivacyStatement::in_words(const Schema& schema) const {
  std::string change = schema.relation() == NeighbourRelation::kReplaceOne
                           ? "one record is exchanged for another"
                           : "one record is added or removed";
  if (const auto& unit = schema.privacy_unit()) {
    change = fmt::format("all records of one '{}' (at most {} are used) are added or removed",
                         unit->column, unit->max_rows);
  }
  std::string text = fmt::format(
      "({}, {})-differentially private: whatever anyone computes from this release, its "
      "distribution changes by at most a factor e^{} up to a probability of {} when {}.",
      budget.epsilon, budget.delta, budget.epsilon, budget.delta, change);
  text += schema.relation() == NeighbourRelation::kReplaceOne
              ? " The number of records is treated as public."
              : " The number of records is protected too.";
  const bool any_bought = std::any_of(schema.columns().begin(), schema.columns().end(),
                                      [](const Column& column) { return column.bought; });
  const std::string domains = any_bought ? "and bounds and categories that are not marked as bought"
                                         : "bounds and categories";
  switch (schema.provenance()) {
    case SchemaProvenance::kDeclared:
      text += fmt::format(
          " Column names, kinds, {} were declared by the data's owner and are public.", domains);
      break;
    case SchemaProvenance::kKindsGuessed:
      text += fmt::format(
          " Column names, {} were declared by the data's owner and are public; "
          "the kinds of columns were guessed from the first rows of the table, and the guarantee "
          "does not cover them.",
          domains);
      break;
    case SchemaProvenance::kReadFromPublicData:
      text +=
          " Column names, kinds, bounds and categories were read from the table by its owner's "
          "order, who declared them public; the guarantee does not cover them.";
      break;
  }
  if (any_bought) {
    text +=
        " Bounds and categories that are marked as bought were found with noise, which this budget "
        "or that of an earlier release has paid for.";
  }
  if (rules.accounting == AccountingRule::kPublished) {
    text += fmt::format(
        " Noise was scaled by the published accounting; by the exact one the same noise gives "
        "epsilon {}.",
        rounded_up(epsilon_spent(), 4));
  }
  if (const std::optional<double> pure = epsilon_of_pure(charges)) {
    text += fmt::format(" All of it is of pure privacy: delta is 0 with epsilon {}.",
                        rounded_up(*pure, 4));
  }
  return text;
}

}  // namespace mehler
