#pragma once

#include <string>
#include <vector>

#include "mehler/synthesis/forecast.h"

namespace mehler {

/// How much of something noise hides, in a word: "exact", "good", "rough", "mostly noise".
std::string level_of(double noise);

/// Forecasts of one schema with several budgets, for people and as JSON for programs.
std::string text_of(const std::vector<Forecast>& forecasts);
std::string json_of(const std::vector<Forecast>& forecasts);

}  // namespace mehler
