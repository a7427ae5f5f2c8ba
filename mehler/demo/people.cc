#include "mehler/demo/people.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/table/calendar.h"

namespace mehler {
namespace {

const std::vector<std::string> kRegions = {"north", "east", "south", "west"};
const std::vector<std::string> kEducation = {"none", "school", "vocational", "degree"};
const std::vector<std::string> kDiagnoses = {"healthy", "watch", "treat"};

/// One draw from the probabilities, which sum to 1.
std::size_t choose(SeededRandom& random, const std::vector<double>& probabilities) {
  double left = random.uniform();
  for (std::size_t i = 0; i + 1 < probabilities.size(); ++i) {
    if (left < probabilities[i]) {
      return i;
    }
    left -= probabilities[i];
  }
  return probabilities.size() - 1;
}

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

double round_to(double value, double power) { return std::round(value * power) / power; }

Column number(std::string name, ColumnKind kind, double low, double high) {
  Column column;
  column.name = std::move(name);
  column.kind = kind;
  column.bounds = Interval{low, high};
  return column;
}

Column category(std::string name, ColumnKind kind, std::vector<std::string> categories) {
  Column column;
  column.name = std::move(name);
  column.kind = kind;
  column.categories = std::move(categories);
  return column;
}

}  // namespace

Schema people_schema() {
  std::vector<Column> columns;
  Column id;
  id.name = "patient_id";
  id.kind = ColumnKind::kIdentifier;
  columns.push_back(id);
  columns.push_back(category("region", ColumnKind::kCategorical, kRegions));
  columns.push_back(number("age", ColumnKind::kInteger, 18, 95));
  columns.push_back(category("education", ColumnKind::kOrdinal, kEducation));
  columns.push_back(number("income", ColumnKind::kNumeric, 0, 200'000));
  columns.back().decimals = 2;
  columns.push_back(number("hours", ColumnKind::kInteger, 0, 80));
  columns.back().missing = true;
  Column smoker;
  smoker.name = "smoker";
  smoker.kind = ColumnKind::kBoolean;
  columns.push_back(smoker);
  columns.push_back(number("pressure", ColumnKind::kNumeric, 70, 230));
  columns.back().decimals = 1;
  columns.back().missing = true;
  columns.push_back(number("first_visit", ColumnKind::kDate,
                           static_cast<double>(*parse_date("2015-01-01")),
                           static_cast<double>(*parse_date("2024-12-31"))));
  columns.push_back(category("diagnosis", ColumnKind::kCategorical, kDiagnoses));
  return Schema(std::move(columns), "diagnosis");
}

Table simulate_people(std::size_t rows, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<std::string> ids, regions, educations, diagnoses;
  std::vector<std::int64_t> ages, hours, smokers, visits;
  std::vector<double> incomes, pressures;
  std::vector<bool> hours_missing, pressure_missing;
  const std::int64_t first_day = *parse_date("2015-01-01");
  const std::int64_t last_day = *parse_date("2024-12-31");
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t region = choose(random, {0.35, 0.25, 0.25, 0.15});
    const double age = std::floor(18.0 + 77.999 * std::pow(random.uniform(), 1.4));
    const double degree = 0.16 + (age < 60 ? 0.12 : 0.0) + (region == 0 ? 0.08 : 0.0);
    const std::size_t education = choose(random, {0.08, 0.52 - degree, 0.40, degree});
    const auto level = static_cast<double>(education);
    const double income =
        std::min(200'000.0, std::exp(9.9 + 0.25 * level + 0.012 * (std::min(age, 60.0) - 18.0) +
                                     0.45 * random.normal()));
    const double worked =
        age >= 67 ? 0.0 : std::clamp(std::round(38.0 + 7.0 * random.normal()), 0.0, 80.0);
    const bool smoker = random.flip(0.34 - 0.07 * level);
    const double pressure =
        std::clamp(104.0 + 0.45 * age + (smoker ? 6.0 : 0.0) + 11.0 * random.normal(), 70.0, 230.0);
    const double recency = std::pow(random.uniform(), 0.6 + age / 90.0);
    const double risk = 0.06 * (age - 55.0) + 0.9 * (smoker ? 1.0 : 0.0) +
                        0.045 * (pressure - 130.0) - 0.25 * level;
    const double treat = logistic(risk - 2.2);
    const double watch = logistic(risk - 0.4) - treat;

    ids.push_back("P" + std::to_string(100'000 + row));
    regions.push_back(kRegions[region]);
    ages.push_back(static_cast<std::int64_t>(age));
    educations.push_back(kEducation[education]);
    incomes.push_back(round_to(income, 100.0));
    hours.push_back(static_cast<std::int64_t>(worked));
    hours_missing.push_back(random.flip(0.08));
    smokers.push_back(smoker ? 1 : 0);
    pressures.push_back(round_to(pressure, 10.0));
    pressure_missing.push_back(random.flip(age < 50 ? 0.02 : 0.05));
    visits.push_back(first_day + static_cast<std::int64_t>(std::round(
                                     (1.0 - recency) * static_cast<double>(last_day - first_day))));
    diagnoses.push_back(kDiagnoses[choose(random, {1.0 - watch - treat, watch, treat})]);
  }
  Table table;
  // The identifier is text; tables have no column of that kind, so it is written as a category.
  table.columns.push_back({"patient_id", ColumnKind::kCategorical, std::move(ids), {}});
  table.columns.push_back({"region", ColumnKind::kCategorical, std::move(regions), {}});
  table.columns.push_back({"age", ColumnKind::kInteger, std::move(ages), {}});
  table.columns.push_back({"education", ColumnKind::kOrdinal, std::move(educations), {}});
  table.columns.push_back({"income", ColumnKind::kNumeric, std::move(incomes), {}});
  table.columns.push_back(
      {"hours", ColumnKind::kInteger, std::move(hours), std::move(hours_missing)});
  table.columns.push_back({"smoker", ColumnKind::kBoolean, std::move(smokers), {}});
  table.columns.push_back(
      {"pressure", ColumnKind::kNumeric, std::move(pressures), std::move(pressure_missing)});
  table.columns.push_back({"first_visit", ColumnKind::kDate, std::move(visits), {}});
  table.columns.push_back({"diagnosis", ColumnKind::kCategorical, std::move(diagnoses), {}});
  return table;
}

}  // namespace mehler
