#include "mehler/generator/fitted_table/fit_size.h"

#include <gtest/gtest.h>

#include "tests/support/counted_table.h"

namespace mehler {
namespace fit_size_test {

TEST(FitSize, SmallTablesAreFittedWithAllTheirRecordsAsTheOptionsSay) {
  for (const std::size_t records : {std::size_t{1}, std::size_t{100'000}, FitSize::kAllRows}) {
    for (const double rows_as_good : {0.0, 1e3, 1e12}) {
      const FitSize size = fit_size(records, rows_as_good);
      EXPECT_EQ(size.rows, records);
      const TableFitOptions options = size.applied_to({});
      EXPECT_EQ(options.average_sweeps, TableFitOptions{}.average_sweeps);
      EXPECT_EQ(options.extra_rounds, TableFitOptions{}.extra_rounds);
    }
  }
}

TEST(FitSize, WorkGrowsWithThePrecisionAndStopsGrowing) {
  int before = 0;
  for (double rows_as_good = 1.0; rows_as_good < 1e15; rows_as_good *= 1.5) {
    const FitSize size = fit_size(FitSize::kAllRows + 1, rows_as_good);
    EXPECT_EQ(size.rows, FitSize::kRows);
    EXPECT_GE(size.average_sweeps, before);
    EXPECT_GE(size.average_sweeps, FitSize::kFewestSweeps);
    EXPECT_LE(size.average_sweeps, FitSize::kMostSweeps);
    before = size.average_sweeps;
    const FitSize of_more = fit_size(100'000'000, rows_as_good);
    EXPECT_EQ(of_more.rows, size.rows);
    EXPECT_EQ(of_more.average_sweeps, size.average_sweeps);
  }
  EXPECT_EQ(before, FitSize::kMostSweeps);
  // Between the limits as many rows are averaged as the noise deserves.
  const double rows_as_good = 12.0 * FitSize::kRows / FitSize::kForEach;
  EXPECT_EQ(fit_size(1'000'000, rows_as_good).average_sweeps, 12);
}

TEST(FitSize, ExtraRoundsStayWithinTheLimit) {
  for (const double rows_as_good : {0.0, 4e5, 1e12}) {
    const TableFitOptions options = fit_size(1'000'000, rows_as_good).applied_to({});
    EXPECT_GE(options.extra_rounds, 0);
    EXPECT_LE((options.extra_rounds + 1) * options.average_sweeps, FitSize::kSweepsInAll);
  }
  TableFitOptions none;
  none.extra_rounds = 0;
  EXPECT_EQ(fit_size(1'000'000, 0.0).applied_to(none).extra_rounds, 0);
}

TEST(FitSize, RowsAreAsGoodAsNoiseWhereChanceHasItsVariance) {
  const Encoder encoder(schema_of_categories({4, 2, 3}));
  const std::vector<std::size_t> pair = {0, 1};
  const CountBlock block = CountBlock::marginal(encoder, pair, own_cells(encoder), "test");
  const auto rows_of = [&](double sigma) {
    MarginalMeasurements measurements(encoder);
    measurements.set_public_rows(8000.0);
    EXPECT_EQ(rows_as_good_as_noise(measurements), 0.0);  // no pairs
    add_exact_counts(block, std::vector<std::int64_t>(8, 1000), sigma, measurements);
    const double rows = rows_as_good_as_noise(measurements);
    // Of r records a cell of 1,000 in 8,000 has the variance 1,000 x 8,000 / r.
    const double variance = measurements.joint_tables()[0].cell_variance();
    EXPECT_NEAR(1000.0 * 8000.0 / rows, variance, 1e-6 * variance);
    return rows;
  };
  EXPECT_NEAR(4.0 * rows_of(80.0), rows_of(40.0), 1e-6);  // twice the noise: a quarter of the rows
}

}  // namespace fit_size_test
}  // namespace mehler
