#include <gtest/gtest.h>

#include "mehler/demo/people.h"
#include "mehler/release/payload.h"
#include "mehler/release/spent_together.h"
#include "mehler/synthesis/forecast.h"
#include "mehler/synthesis/methods.h"
#include "tests/support/errors.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace bought_release_test {

constexpr PrivacyBudget kBudget = {3.0, 1e-6};

/// The schema of the simulated people, with everything that can be bought to be bought.
Schema people_to_be_bought() {
  std::vector<Column> columns = people_schema().columns();
  for (Column& column : columns) {
    if (column.is_number() || column.kind == ColumnKind::kCategorical) {
      column.bounds.reset();
      column.categories.reset();
      column.out_of_range = OutOfRange::kClamp;
      column.bought = true;
    }
  }
  return people_schema().with_columns(std::move(columns));
}

Release release_of_bought(const std::string& method) {
  Accountant accountant(kBudget);
  return release(PrivateTable({part_of({simulate_people(5000, 1)})}, people_to_be_bought(),
                              PrivateTable::Parts::kForManyPasses),
                 accountant, {.method = method});
}

class BoughtRelease : public testing::TestWithParam<std::string> {};

TEST_P(BoughtRelease, StatesWhatItsDomainsCost) {
  const Release made = release_of_bought(GetParam());
  EXPECT_FALSE(made.schema().is_to_be_bought());
  EXPECT_LE(made.statement().epsilon_spent(), kBudget.epsilon * (1.0 + 1e-9));
  EXPECT_GT(made.statement().epsilon_spent(), kBudget.epsilon * (1.0 - 1e-6));
  EXPECT_NEAR(made.statement().disclosure_delta(), 0.1 * kBudget.delta, 1e-15);
  expect_mentions(made.in_words(), {"not marked as bought", "were found with noise"});
  const Release back = Release::from_bytes(made.to_bytes(), "r");
  EXPECT_EQ(back.schema(), made.schema());
  EXPECT_EQ(back.statement().charges.size(), made.statement().charges.size());
}

INSTANTIATE_TEST_SUITE_P(Methods, BoughtRelease,
                         testing::Values("marginals", "dp-hp", "independent"),
                         [](const auto& each) {
                           return each.param == "dp-hp" ? "dp_hp" : each.param;
                         });

TEST(BoughtDomainsOfARelease, CannotBeHadForLess) {
  const Release made = release_of_bought("independent");
  PrivacyStatement statement = made.statement();
  for (Charge& charge : statement.charges) {
    if (auto* rare = std::get_if<RareDisclosure>(&charge)) {
      rare->delta *= 2.0;  // as if the threshold had been lower
    }
  }
  expect_mentions(
      message_of(ErrorCode::kInvalidRelease,
                 [&] { (void)Release(made.method(), made.schema(), made.counts(), statement); }),
      {"epsilon 3"});
}

TEST(BoughtDomainsOfARelease, AddUpWithThoseOfOthers) {
  const std::vector<Release> releases = {release_of_bought("independent"),
                                         release_of_bought("independent")};
  const PrivacyBudget together = spent_together(releases);
  EXPECT_EQ(together.delta, kBudget.delta);
  EXPECT_GT(together.epsilon, kBudget.epsilon);
  EXPECT_LT(together.epsilon, 2.0 * kBudget.epsilon);
}

TEST(BoughtDomainsOfARelease, AreForecastWithTheirShareOfTheBudget) {
  const auto noise = [](double share) {
    ReleaseRequest request;
    request.domains.share = share;
    return *forecast(people_to_be_bought(), 5000, kBudget, request).mean_noise(1);
  };
  EXPECT_GT(noise(0.5), 1.2 * noise(0.001));
}

}  // namespace bought_release_test
}  // namespace mehler
