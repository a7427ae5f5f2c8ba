#include "mehler/evaluation/release/release_agreement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/core/seeded_random.h"
#include "mehler/demo/people.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "tests/support/errors.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace release_agreement_test {

DpHpOptions with_product() {
  DpHpOptions options;
  options.features.product.named = {{"age", "pressure"}};
  return options;
}

Release release_of(const Table& table, double epsilon,
                   const DpHpOptions& options = with_product()) {
  ArrowArrayStream stream = arrow_stream_of({table});
  Accountant accountant({.epsilon = epsilon, .delta = 1e-6});
  return release_dp_hp(PrivateTable(&stream, people_schema()), options, accountant, Context{});
}

TEST(ReleaseAgreement, OfTheReleasedTableItselfIsTheNoise) {
  // Over D independent residuals the root mean square has the standard deviation sqrt(1 / 2D), and
  // the share within 2 sigma sqrt(.044 / D); the noise of the count, which all share, makes it a
  // little more (.038 and .010 measured). The limits are 6 of them: failure probability below 1e-8.
  const Table table = simulate_people(3000, 1);
  const Release release = release_of(table, 1.0);
  const ReleaseAgreement found = compare_with_release(release, {part_of({table})}, Context{});
  const auto count = static_cast<double>(found.all.sums);
  ASSERT_GT(count, 300);
  EXPECT_EQ(found.synthetic_rows, 3000U);
  EXPECT_NEAR(found.factor, 1.0, 8 * release.record_count_error() / 3000);
  EXPECT_NEAR(found.all.root_mean_square, 1.0, 7 * std::sqrt(0.5 / count));
  EXPECT_NEAR(found.all.within_two, 0.9545, 7 * std::sqrt(0.044 / count));
  EXPECT_LT(found.all.root_mean_square_of_draws, found.all.root_mean_square);
  ASSERT_EQ(found.parts.size(), 3U);
  std::size_t sums = 0;
  for (const PartAgreement& block : found.parts) {
    sums += block.agreement.sums;
  }
  EXPECT_EQ(sums, found.all.sums);
  EXPECT_EQ(found.columns.size(), people_schema().columns().size() - 2);  // neither id nor target
}

TEST(ReleaseAgreement, OfATwiceAsLongTableHasHalfTheFactor) {
  const Table table = simulate_people(3000, 2);
  const Release release = release_of(table, 1.0);
  const ReleaseAgreement found =
      compare_with_release(release, {part_of({table}), part_of({table})}, Context{});
  EXPECT_EQ(found.synthetic_rows, 6000U);
  EXPECT_NEAR(found.factor, 0.5, 8 * release.record_count_error() / 6000);
  EXPECT_NEAR(found.all.root_mean_square, 1.0, 7 * std::sqrt(0.5 / 300));
}

TEST(ReleaseAgreement, OfDrawnRecordsIsTheSpreadOfDraws) {
  const Table table = simulate_people(20'000, 3);
  SeededRandom random(4);
  std::vector<std::size_t> drawn(20'000);
  for (std::size_t& row : drawn) {
    row = static_cast<std::size_t>(20'000 * random.uniform());
  }
  const Release release = release_of(table, 20.0);
  const ReleaseAgreement found =
      compare_with_release(release, {part_of({rows_of(table, drawn)})}, Context{});
  EXPECT_GT(found.all.root_mean_square, 3.0);
  // Features of one column go together, so this varies more than independent ones would; the draw
  // is seeded and the noise small beside it.
  EXPECT_NEAR(found.all.root_mean_square_of_draws, 1.0, 0.35);
  EXPECT_GT(found.all.within_two_of_draws, 0.85);
  const ReleaseAgreement threaded = compare_with_release(
      release, {part_of({rows_of(table, drawn)})}, Context{3, nullptr, nullptr});
  EXPECT_EQ(found.all.root_mean_square, threaded.all.root_mean_square);
}

TEST(ReleaseAgreement, SeesAColumnThatIsWrong) {
  const Table table = simulate_people(5000, 5);
  Table wrong = table;
  for (TableColumn& column : wrong.columns) {
    if (column.name == "age") {
      for (std::int64_t& age : std::get<std::vector<std::int64_t>>(column.values)) {
        age = std::min<std::int64_t>(age + 15, 95);
      }
    }
  }
  const ReleaseAgreement found =
      compare_with_release(release_of(table, 5.0), {part_of({wrong})}, Context{});
  // The others have noise alone. A column of two sums has a root mean square above r with the
  // probability exp(-r^2): for r = 6 below 1e-15.
  for (const PartAgreement& column : found.columns) {
    if (column.name == "age") {
      EXPECT_GT(column.agreement.root_mean_square, 20.0);
      EXPECT_GT(column.agreement.root_mean_square_of_draws, 3.0);
    } else {
      EXPECT_LT(column.agreement.root_mean_square, 6.0) << column.name;
    }
  }
}

TEST(ReleaseAgreement, RefusesNoRecordsAndOtherColumns) {
  const Table table = simulate_people(100, 6);
  const Release release = release_of(table, 1.0);
  message_of(ErrorCode::kInvalidTable,
             [&] { compare_with_release(release, {part_of({rows_of(table, {})})}, Context{}); });
  Table other = table;
  other.columns.pop_back();
  message_of(ErrorCode::kInvalidTable,
             [&] { compare_with_release(release, {part_of({other})}, Context{}); });
  const std::atomic<bool> cancelled{true};
  message_of(ErrorCode::kCancelled, [&] {
    compare_with_release(release, {part_of({table})}, Context{1, nullptr, &cancelled});
  });
}

}  // namespace release_agreement_test
}  // namespace mehler
