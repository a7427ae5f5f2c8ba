#include "mehler/synthesis/marginals/water_filling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace water_filling_test {

double error_of(const std::vector<MeasurementCandidate>& tables,
                const std::vector<double>& precisions) {
  double error = 0.0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (const double variance : tables[i].variances) {
      error += tables[i].importance * std::sqrt(variance / (1.0 + variance * precisions[i]));
    }
  }
  return error;
}

double spent_on(const std::vector<MeasurementCandidate>& tables,
                const std::vector<double>& precisions) {
  double spent = 0.0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    spent += tables[i].price * precisions[i];
  }
  return spent;
}

std::vector<MeasurementCandidate> some_tables() {
  SeededRandom random(6);
  std::vector<MeasurementCandidate> tables;
  for (int i = 0; i < 12; ++i) {
    MeasurementCandidate table;
    for (int cell = 0; cell < 5 + 3 * i; ++cell) {
      table.variances.push_back(std::exp(3.0 * random.normal() + 5.0));
    }
    table.price = 0.2 + random.uniform();
    table.importance = i == 3 ? 4.0 : 1.0;
    tables.push_back(std::move(table));
  }
  return tables;
}

TEST(WaterFilling, SpendsTheBudgetAndNoMoveBetweenTwoTablesHelps) {
  const std::vector<MeasurementCandidate> tables = some_tables();
  for (const double budget : {1e-4, 1e-2, 1.0, 100.0}) {
    const std::vector<double> best = fill_with_precision(tables, budget);
    EXPECT_NEAR(spent_on(tables, best), budget, 1e-9 * budget);
    const double error = error_of(tables, best);
    for (std::size_t from = 0; from < tables.size(); ++from) {
      for (std::size_t to = 0; to < tables.size(); ++to) {
        std::vector<double> moved = best;
        const double amount = 0.1 * moved[from] * tables[from].price;
        moved[from] -= amount / tables[from].price;
        moved[to] += amount / tables[to].price;
        EXPECT_GE(error_of(tables, moved), error * (1.0 - 1e-4)) << budget;
      }
    }
  }
}

TEST(WaterFilling, GivesNothingToWhatIsKnown) {
  std::vector<MeasurementCandidate> tables = some_tables();
  tables[5].variances.assign(10, 0.0);
  EXPECT_EQ(fill_with_precision(tables, 1.0)[5], 0.0);
  for (MeasurementCandidate& table : tables) {
    table.variances.assign(4, 0.0);
  }
  EXPECT_EQ(fill_with_precision(tables, 1.0), std::vector<double>(tables.size(), 0.0));
}

TEST(WaterFilling, StaysFiniteForExtremeVariances) {
  const std::vector<MeasurementCandidate> tables = {
      {{1e-30, 1e30}, 1.0, 1.0}, {{1e-12}, 1e-6, 1.0}, {{1e12}, 1e6, 1e-3}};
  for (const double budget : {1e-12, 1.0, 1e12}) {
    for (const double precision : fill_with_precision(tables, budget)) {
      EXPECT_TRUE(std::isfinite(precision) && precision >= 0.0);
    }
  }
}

}  // namespace water_filling_test
}  // namespace mehler
