#include "mehler/synthesis/forecast.h"

#include <gtest/gtest.h>

#include "mehler/core/strict_json.h"
#include "mehler/demo/people.h"
#include "mehler/evaluation/release/release_agreement.h"
#include "mehler/synthesis/forecast_report.h"
#include "mehler/table/table_stream.h"
#include "tests/support/counted_table.h"
#include "tests/support/errors.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace forecast_test {

constexpr PrivacyBudget kOne{1.0, 1e-6};

TEST(Forecast, IsTheNoiseThatAReleaseHas) {
  constexpr std::uint64_t kRows = 4'000;
  const Schema schema = schema_of_categories({5, 3, 8, 2});
  const Forecast planned = forecast(schema, kRows, kOne);
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(kRows); ++i) {
    rows.push_back({i % 5, (i / 5) % 3, (i / 15) % 8, (i / 120) % 2});
  }
  const Table table = table_of(schema, rows);
  ArrowArrayStream records = arrow_stream_of({table});
  Accountant accountant(kOne);
  ReleaseRequest request;
  request.options.add("rounds", "1");
  const Release made = release(PrivateTable(&records, schema), accountant, request);
  const ReleaseAgreement found = compare_with_release(made, {part_of({table})}, Context{});
  ASSERT_EQ(found.counts[0].columns, 1u);
  ASSERT_EQ(found.counts[1].columns, 2u);
  EXPECT_NEAR(*planned.mean_noise(1) / found.counts[0].noise, 1.0, 0.05);
  EXPECT_NEAR(*planned.mean_noise(2) / found.counts[1].noise, 1.0, 0.05);
}

TEST(Forecast, FallsWithRecordsAndEpsilon) {
  const Schema schema = people_schema();
  const double usual = *forecast(schema, 5'000, kOne).mean_noise(2);
  EXPECT_LT(*forecast(schema, 50'000, kOne).mean_noise(2), 0.3 * usual);
  EXPECT_LT(*forecast(schema, 5'000, {5.0, 1e-6}).mean_noise(2), 0.5 * usual);
  EXPECT_GT(*forecast(schema, 5'000, {0.3, 1e-6}).mean_noise(2), 1.5 * usual);
  EXPECT_LE(*forecast(schema, 10, {0.01, 1e-6}).mean_noise(2), 1.0);
}

TEST(Forecast, CountsAPersonsRecordsAsOne) {
  const Schema people = people_schema();
  const Schema unit(people.columns(), people.target(), people.relation(),
                    PrivacyUnit{"patient_id", 4});
  EXPECT_NEAR(
      *forecast(unit, 40'000, kOne).mean_noise(1) / *forecast(people, 10'000, kOne).mean_noise(1),
      1.0, 0.1);
}

TEST(Forecast, KnowsTheEpsilonThatWouldDo) {
  const Forecast planned = forecast(people_schema(), 5'000, {0.1, 1e-6});
  const double factor = Forecast::factor_to_reach(0.1, 0.4);
  EXPECT_EQ(factor, 4.0);
  EXPECT_NEAR(calibrate_mu({planned.epsilon_with(factor), 1e-6}) / calibrate_mu(planned.budget),
              factor, 1e-6);
}

TEST(Forecast, RefusesWhatItCannotTell) {
  const Schema schema = people_schema();
  message_of(ErrorCode::kInvalidArgument, [&] { (void)forecast(schema, 0, kOne); });
  message_of(ErrorCode::kInvalidArgument, [&] { (void)forecast(schema, 100, {0.0, 1e-6}); });
  ReleaseRequest request;
  request.method = "dp-hp";
  expect_mentions(
      message_of(ErrorCode::kInvalidArgument, [&] { (void)forecast(schema, 100, kOne, request); }),
      {"dp-hp", "counts"});
}

TEST(ForecastReport, SaysTheSameInWordsAndAsJson) {
  std::vector<Forecast> forecasts;
  for (const double epsilon : {0.05, 1.0}) {
    forecasts.push_back(forecast(people_schema(), 2'000, {epsilon, 1e-6}));
  }
  const std::string text = text_of(forecasts);
  expect_mentions(text, {"2,000 records", "mostly noise", "times the records, or epsilon",
                         "Hidden most at epsilon 0.05", "nothing was spent"});
  const Json json = Json::parse(json_of(forecasts));
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["noise"]["pairs of columns"]["level"], "mostly noise");
  EXPECT_EQ(json[1]["counts"].size(), forecasts[1].marginals.size());
}

}  // namespace forecast_test
}  // namespace mehler
