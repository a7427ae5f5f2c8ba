#include "mehler/privacy/accountant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "mehler/privacy/gaussian_mechanism.h"
#include "mehler/privacy/private_table.h"
#include "tests/support/errors.h"

namespace mehler {
namespace {

TEST(Accountant, RefusesMoreThanIsLeftAndBooksNothing) {
  Accountant accountant({1.0, 1e-6});
  const double total = accountant.total_mu_squared();
  accountant.spend("first", 0.75 * total);
  message_of(ErrorCode::kBudgetExceeded, [&] { accountant.spend("second", 0.5 * total); });
  EXPECT_EQ(accountant.ledger().size(), 1u);
  accountant.spend("third", accountant.left_mu_squared());
  EXPECT_EQ(accountant.left_mu_squared(), 0.0);
  message_of(ErrorCode::kBudgetExceeded, [&] { accountant.spend("fourth", 1e-300); });
}

TEST(Accountant, RefusesSpendsThatAreNone) {
  Accountant accountant({1.0, 1e-6});
  for (const double bad : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    message_of(ErrorCode::kBudgetExceeded, [&] { accountant.spend("bad", bad); });
  }
  EXPECT_EQ(accountant.left_mu_squared(), accountant.total_mu_squared());
}

Schema two_columns(const std::string& head) {
  return Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [
      {"name": "id", "kind": "identifier"}, {"name": "x", "kind": "numeric", "bounds": [0, 1]},
      {"name": "c", "kind": "boolean"}]})");
}

TEST(GaussianMechanism, SpendsTheBudgetAndSharesItByTheRule) {
  const Schema schema = two_columns("");
  const FeatureSet features = FeatureSet::mean_embedding(Encoder(schema), {});
  Accountant accountant({1.0, 1e-6});
  const GaussianMechanism mechanism(accountant, accountant.left_mu_squared(), features, schema);
  double spent = 0.0;
  for (const BlockStatement& block : mechanism.blocks()) {
    spent += block.mu_squared();
  }
  EXPECT_LE(spent, accountant.total_mu_squared());
  EXPECT_NEAR(spent / accountant.total_mu_squared(), 1.0, 1e-12);
  // p_i proportional to Delta_i sqrt(d_i): 1 sqrt(1) against sqrt(2) sqrt(23).
  EXPECT_NEAR(mechanism.blocks()[0].mu_squared() / mechanism.blocks()[1].mu_squared(),
              1.0 / (mechanism.blocks()[1].sensitivity * std::sqrt(23.0)), 1e-12);
  EXPECT_NEAR(epsilon_of_gaussian(std::sqrt(spent), 1e-6), 1.0, 1e-9);
  message_of(ErrorCode::kBudgetExceeded,
             [&] { GaussianMechanism(accountant, 1e-3, features, schema); });
}

TEST(GaussianMechanism, ScalesWithTheRowsOfAPrivacyUnit) {
  const Schema one = two_columns("");
  const Schema three = two_columns(R"("privacy_unit": {"column": "id", "max_rows": 3}, )");
  const FeatureSet features = FeatureSet::mean_embedding(Encoder(one), {});
  Accountant first({1.0, 1e-6});
  Accountant second({1.0, 1e-6});
  const GaussianMechanism single(first, first.left_mu_squared(), features, one);
  const GaussianMechanism grouped(second, second.left_mu_squared(), features, three);
  EXPECT_DOUBLE_EQ(grouped.blocks()[1].sigma, 3.0 * single.blocks()[1].sigma);
}

TEST(GaussianMechanism, RefusesNoiseThatTheGridCannotHold) {
  const Schema schema = two_columns("");
  EmbeddingOptions options;
  options.column_weights["c"] = 1e-12;
  const FeatureSet features = FeatureSet::mean_embedding(Encoder(schema), options);
  Accountant accountant({1.0, 1e-6});
  expect_mentions(
      message_of(
          ErrorCode::kInvalidArgument,
          [&] { GaussianMechanism(accountant, accountant.left_mu_squared(), features, schema); }),
      {"weights"});
  EXPECT_TRUE(accountant.ledger().empty());
}

TEST(GaussianMechanism, CannotBeMadeWithoutAnAccountantNorUsedTwice) {
  static_assert(!std::is_default_constructible_v<GaussianMechanism>);
  static_assert(!std::is_copy_constructible_v<GaussianMechanism>);
  static_assert(!std::is_copy_constructible_v<PrivateTable>);
}

}  // namespace
}  // namespace mehler
