#pragma once

#include <cstddef>
#include <cstdint>

#include "mehler/table/schema.h"
#include "mehler/table/table.h"

namespace mehler {

/// The schema of the simulated patients: every kind of column, missing values, a target.
Schema people_schema();

// clang-format off
/// Simulated patients of a made-up clinic, drawn from a known joint distribution, one column after
/// the other:
///
///   patient_id    "P100000", "P100001", ... (identifier)
///   region        north, east, south, west with .35, .25, .25, .15
///   age           18 + 77 u^1.4, a whole number of years
///   education     none < school < vocational < degree; a degree is likelier below 60 and in the north
///   income        exp(9.9 + .25 education + .012 (min(age, 60) - 18) + .45 z), at most 200,000, two decimals
///   hours         0 from 67 on; else 38 + 7 z, within [0, 80]; missing with probability .08
///   smoker        true with probability .34 - .07 education
///   pressure      104 + .45 age + 6 smoker + 11 z mmHg, one decimal, within [70, 230]; missing with .05 (.02 below
///                 the age of 50)
///   first_visit   a day of 2015 to 2024, later for the young
///   diagnosis     healthy, watch, treat: ordered logit in age, smoker, pressure and education (target)
///
/// Nothing in it is about anybody.
Table simulate_people(std::size_t rows, std::uint64_t seed);
// clang-format on

}  // namespace mehler
