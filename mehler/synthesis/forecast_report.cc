#include "mehler/synthesis/forecast_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "mehler/accounting/privacy_statement.h"
#include "mehler/core/error.h"
#include "mehler/core/strict_json.h"
#include "mehler/report/text.h"

namespace mehler {
namespace {

// Shares of the records in wrong cells.
constexpr double kExact = 0.02;
constexpr double kGood = 0.1;
constexpr double kRough = 0.3;
/// Marginals that are listed, those with the most noise first.
constexpr std::size_t kListed = 5;

constexpr const char* kTogether[] = {"columns", "pairs of columns", "triples of columns"};

std::string noise_words(const std::optional<double>& noise) {
  return noise ? fmt::format("{} ({})", percent_words(*noise), level_of(*noise)) : "not counted";
}

std::string joined(const std::vector<std::string>& columns) {
  return fmt::format("{}", fmt::join(columns, " x "));
}

/// What would make counts of so many columns good, where they are not.
std::string remedy(const Forecast& forecast, std::size_t columns) {
  const std::optional<double> noise = forecast.mean_noise(columns);
  if (!noise || *noise <= kGood) {
    return "";
  }
  const double factor = Forecast::factor_to_reach(kGood, *noise);
  return wrap(
      fmt::format(
          "At epsilon {} {} are {}: {} times the records{} would make them good.",
          forecast.budget.epsilon, kTogether[columns - 1], level_of(*noise), rounded_up(factor, 2),
          forecast.budget.epsilon < 1e4
              ? fmt::format(", or epsilon {},", rounded_up(forecast.epsilon_with(factor), 2))
              : ""),
      0);
}

/// The marginals that noise hides most.
std::string hidden_most(const Forecast& forecast) {
  std::vector<const ForecastMarginal*> worst;
  for (const ForecastMarginal& marginal : forecast.marginals) {
    if (marginal.noise > kGood) {
      worst.push_back(&marginal);
    }
  }
  if (worst.empty()) {
    return "";
  }
  std::stable_sort(worst.begin(), worst.end(), [](const auto* a, const auto* b) {
    return a->columns.size() != b->columns.size() ? a->columns.size() < b->columns.size()
                                                  : a->noise > b->noise;
  });
  std::vector<std::vector<std::string>> lines = {{"counts of", "cells", "noise"}};
  for (std::size_t i = 0; i < std::min(worst.size(), kListed); ++i) {
    lines.push_back(
        {joined(worst[i]->columns), group_digits(worst[i]->cells), noise_words(worst[i]->noise)});
  }
  const std::size_t more = worst.size() - std::min(worst.size(), kListed);
  return fmt::format("\nHidden most at epsilon {}\n{}{}", forecast.budget.epsilon,
                     align_columns(lines, 2),
                     more > 0 ? fmt::format("  and {} more\n", group_digits(more)) : "");
}

}  // namespace

std::string level_of(double noise) {
  return noise <= kExact   ? "exact"
         : noise <= kGood  ? "good"
         : noise <= kRough ? "rough"
                           : "mostly noise";
}

std::string text_of(const std::vector<Forecast>& forecasts) {
  MEHLER_ASSERT(!forecasts.empty());
  const Forecast& first = forecasts.front();
  std::string text = fmt::format("What a release would be worth: method {}, {} records, delta {}\n",
                                 first.method, group_digits(first.rows), first.budget.delta);
  const bool any_triples = std::any_of(forecasts.begin(), forecasts.end(), [](const Forecast& one) {
    return one.mean_noise(3).has_value();
  });
  std::vector<std::vector<std::string>> lines = {{"epsilon"}};
  for (std::size_t columns = 1; columns <= (any_triples ? 3 : 2); ++columns) {
    lines[0].push_back(kTogether[columns - 1]);
  }
  std::string remedies;
  for (const Forecast& forecast : forecasts) {
    std::vector<std::string> line = {fmt::format("{}", forecast.budget.epsilon)};
    for (std::size_t columns = 1; columns <= (any_triples ? 3 : 2); ++columns) {
      line.push_back(noise_words(forecast.mean_noise(columns)));
      remedies += columns < 3 ? remedy(forecast, columns) : "";
    }
    lines.push_back(std::move(line));
  }
  text += align_columns(lines, 2);
  constexpr const char* kMeaning =
      "The noise, as the share of the records that it puts into wrong cells of a table of counts, "
      "on average: up to 2% exact, 10% good, 30% rough. Numbers stand in 4 ranges each; a release "
      "has up to 16, where the noise allows it. It is the noise on records drawn evenly from what "
      "the schema allows; on real ones it is about the same. No table was read, and nothing was "
      "spent.";
  text += "\n" + wrap(kMeaning, 0);
  if (first.share < 1.0) {
    text += wrap(fmt::format("Counts of columns have {} of the budget here. How good the images "
                             "become, for which the rest is spent, is not forecast.",
                             percent_words(first.share)),
                 0);
  }
  return text + remedies + hidden_most(first);
}

std::string json_of(const std::vector<Forecast>& forecasts) {
  Json json = Json::array();
  for (const Forecast& forecast : forecasts) {
    Json one{{"epsilon", forecast.budget.epsilon},
             {"delta", forecast.budget.delta},
             {"method", forecast.method},
             {"records", forecast.rows}};
    if (forecast.share < 1.0) {
      one["share"] = forecast.share;
    }
    one["noise"] = Json::object();
    for (std::size_t columns = 1; columns <= 3; ++columns) {
      if (const auto noise = forecast.mean_noise(columns)) {
        one["noise"][kTogether[columns - 1]] = Json{{"mean", *noise}, {"level", level_of(*noise)}};
      }
    }
    one["counts"] = Json::array();
    for (const ForecastMarginal& marginal : forecast.marginals) {
      one["counts"].push_back(Json{
          {"columns", marginal.columns}, {"cells", marginal.cells}, {"noise", marginal.noise}});
    }
    json.push_back(std::move(one));
  }
  return json.dump(2) + "\n";
}

}  // namespace mehler
