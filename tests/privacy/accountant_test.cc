#include "mehler/privacy/accountant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "mehler/features/embedding_features.h"
#include "mehler/privacy/gaussian_mechanism.h"
#include "mehler/privacy/private_table.h"
#include "tests/support/errors.h"

namespace mehler {
namespace accountant_test {

/// A charge that costs this much.
std::vector<Charge> sums_of(double mu_squared) {
  return {GaussianSums{"sums", std::sqrt(mu_squared), 1.0}};
}

TEST(Accountant, RefusesMoreThanIsLeftAndBooksNothing) {
  Accountant accountant({1.0, 1e-6});
  const double total = accountant.total_mu_squared();
  accountant.spend("first", sums_of(0.75 * total));
  message_of(ErrorCode::kBudgetExceeded, [&] { accountant.spend("second", sums_of(0.5 * total)); });
  EXPECT_EQ(accountant.ledger().size(), 1u);
  accountant.spend("third", sums_of(accountant.left_mu_squared()));
  EXPECT_EQ(accountant.left_mu_squared(), 0.0);
  message_of(ErrorCode::kBudgetExceeded, [&] { accountant.spend("fourth", sums_of(1e-20)); });
}

TEST(Accountant, RefusesSpendsThatAreNone) {
  Accountant accountant({1.0, 1e-6});
  for (const double bad : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    message_of(ErrorCode::kInvalidArgument, [&] { accountant.spend("bad", sums_of(bad)); });
  }
  message_of(ErrorCode::kInvalidArgument, [&] {
    accountant.spend("negative", std::vector<Charge>{GaussianSums{"sums", -1e-3, -1.0}});
  });
  message_of(ErrorCode::kBudgetExceeded, [&] { accountant.spend("nothing", {}); });
  EXPECT_EQ(accountant.left_mu_squared(), accountant.total_mu_squared());
}

TEST(Accountant, ComposesOtherMechanismsWithGaussianSums) {
  Accountant accountant({2.0, 1e-5});
  const std::vector<Charge> choice = {PureMechanism{"choice", 0.5}};
  const std::vector<Charge> training = {SubsampledGaussian{"training", 1.0, 0.01, 500}};
  accountant.spend("count", sums_of(0.01));
  accountant.spend("choice", choice);
  accountant.spend("training", training);
  EXPECT_EQ(accountant.ledger().size(), 3u);
  // 10,000 steps alone cost an epsilon of 6.19 (composition_test.cc).
  const std::vector<Charge> more = {SubsampledGaussian{"training", 1.0, 0.01, 10'000}};
  expect_mentions(
      message_of(ErrorCode::kBudgetExceeded, [&] { accountant.spend("more training", more); }),
      {"'more training'", "epsilon"});
  EXPECT_EQ(accountant.ledger().size(), 3u);
  message_of(ErrorCode::kInvalidArgument, [&] { (void)accountant.left_mu_squared(); });
  message_of(ErrorCode::kBudgetExceeded, [&] { accountant.spend("everything", sums_of(1.0)); });
}

TEST(Accountant, TakesRareDisclosuresOffDelta) {
  Accountant accountant({1.0, 1e-6});
  const std::vector<Charge> rare = {RareDisclosure{"texts", 4e-7}};
  accountant.spend("texts", rare);
  const double mu = calibrate_mu({1.0, 6e-7});
  EXPECT_NEAR(accountant.left_mu_squared() / (mu * mu), 1.0, 1e-9);
  accountant.spend("count", sums_of(0.25 * mu * mu));
  expect_mentions(
      message_of(ErrorCode::kBudgetExceeded, [&] { accountant.spend("all", sums_of(mu * mu)); }),
      {"'all'", "is left"});
  const std::vector<Charge> too_much = {RareDisclosure{"more texts", 6e-7}};
  expect_mentions(
      message_of(ErrorCode::kBudgetExceeded, [&] { accountant.spend("more texts", too_much); }),
      {"'more texts'", "delta of 6e-07", "1e-06"});
  EXPECT_EQ(accountant.ledger().size(), 2u);
  EXPECT_NEAR(accountant.left_mu_squared() / (0.75 * mu * mu), 1.0, 1e-9);
}

TEST(Accountant, ComposesRareDisclosuresWithOtherMechanisms) {
  Accountant accountant({2.0, 1e-5});
  const std::vector<Charge> choice = {PureMechanism{"choice", 0.5}};
  const std::vector<Charge> rare = {RareDisclosure{"texts", 4e-6}};
  accountant.spend("choice", choice);
  accountant.spend("texts", rare);
  accountant.spend("texts again", rare);
  message_of(ErrorCode::kBudgetExceeded, [&] { accountant.spend("once more", rare); });
}

Schema two_columns(const std::string& head) {
  return Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [
      {"name": "id", "kind": "identifier"}, {"name": "x", "kind": "numeric", "bounds": [0, 1]},
      {"name": "c", "kind": "boolean"}]})");
}

TEST(SumMechanism, SpendsTheBudgetAndSharesItByTheRule) {
  const Schema schema = two_columns("");
  const FeatureSet features = mean_embedding_features(Encoder(schema), {});
  Accountant accountant({1.0, 1e-6});
  const SumMechanism mechanism(accountant, accountant.left_mu_squared(), features, schema);
  double spent = 0.0;
  for (const GaussianSums& block : mechanism.charges()) {
    spent += block.mu_squared();
  }
  EXPECT_LE(spent, accountant.total_mu_squared());
  EXPECT_NEAR(spent / accountant.total_mu_squared(), 1.0, 1e-12);
  // p_i proportional to Delta_i sqrt(d_i): 1 sqrt(1) against sqrt(2) sqrt(23).
  EXPECT_NEAR(mechanism.charges()[0].mu_squared() / mechanism.charges()[1].mu_squared(),
              1.0 / (mechanism.charges()[1].sensitivity * std::sqrt(23.0)), 1e-12);
  EXPECT_NEAR(epsilon_of_gaussian(std::sqrt(spent), 1e-6), 1.0, 1e-9);
  message_of(ErrorCode::kBudgetExceeded, [&] { SumMechanism(accountant, 1e-3, features, schema); });
}

TEST(SumMechanism, ScalesWithTheRowsOfAPrivacyUnit) {
  const Schema one = two_columns("");
  const Schema three = two_columns(R"("privacy_unit": {"column": "id", "max_rows": 3}, )");
  const FeatureSet features = mean_embedding_features(Encoder(one), {});
  Accountant first({1.0, 1e-6});
  Accountant second({1.0, 1e-6});
  const SumMechanism single(first, first.left_mu_squared(), features, one);
  const SumMechanism grouped(second, second.left_mu_squared(), features, three);
  EXPECT_DOUBLE_EQ(grouped.charges()[1].sigma, 3.0 * single.charges()[1].sigma);
}

TEST(SumMechanism, RefusesNoiseThatTheGridCannotHold) {
  const Schema schema = two_columns("");
  EmbeddingOptions options;
  options.column_weights["c"] = 1e-12;
  const FeatureSet features = mean_embedding_features(Encoder(schema), options);
  Accountant accountant({1.0, 1e-6});
  expect_mentions(
      message_of(ErrorCode::kInvalidArgument,
                 [&] { SumMechanism(accountant, accountant.left_mu_squared(), features, schema); }),
      {"weights"});
  EXPECT_TRUE(accountant.ledger().empty());
}

FeatureSet with_products(const Schema& schema, std::size_t products) {
  EmbeddingOptions options;
  options.order = 5;
  options.product.named.assign(products, {"x", "c"});
  return mean_embedding_features(Encoder(schema), options);
}

double spent_by(const SumMechanism& mechanism) {
  double spent = 0.0;
  for (const GaussianSums& block : mechanism.charges()) {
    spent += block.mu_squared();
  }
  return spent;
}

TEST(SumMechanism, SharesTheBudgetBetweenThousandsOfBlocks) {
  const Schema schema = two_columns("");
  for (const std::size_t products : {1u, 7u, 1000u, 10'000u}) {
    const FeatureSet features = with_products(schema, products);
    for (const PrivacyBudget budget : {PrivacyBudget{0.01, 1e-6}, {1.0, 1e-9}, {1e6, 1e-300}}) {
      Accountant accountant(budget);
      const SumMechanism mechanism(accountant, accountant.left_mu_squared(), features, schema);
      const double delta = delta_of_gaussian(std::sqrt(spent_by(mechanism)), budget.epsilon);
      EXPECT_LE(delta, budget.delta);
      EXPECT_GE(delta, budget.delta * (1 - 1e-6)) << products << " " << budget.epsilon;
    }
  }
}

TEST(PublishedMechanism, KeepsEveryBudgetByTheExactAccounting) {
  const Schema schema = two_columns(R"("target": "c", )");
  for (const bool with_sum : {true, false}) {
    EmbeddingOptions options;
    options.sum = with_sum;
    options.product.columns = 1;
    options.product.subsets = 3;
    const FeatureSet features = mean_embedding_features(Encoder(schema), options);
    for (const double epsilon : {0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0}) {
      for (const double delta : {1e-12, 1e-5, 0.01, 0.3}) {
        for (const double share : {0.001, 0.01, 0.2, 0.5, 0.8, 0.999}) {
          if (share * epsilon < 2e-4) {
            continue;  // more noise than the grid of products holds
          }
          Accountant accountant({epsilon, delta});
          const SumMechanism mechanism = SumMechanism::published(
              accountant, share, features, schema, SensitivityRule::kPublished);
          EXPECT_LT(delta_of_gaussian(std::sqrt(spent_by(mechanism)), epsilon), delta)
              << epsilon << " " << delta << " " << share;
          EXPECT_LT(epsilon_of_gaussian(std::sqrt(spent_by(mechanism)), delta), epsilon);
          ASSERT_EQ(accountant.ledger().size(), 1u);
          EXPECT_EQ(accountant.ledger()[0].mu_squared(), spent_by(mechanism));
          EXPECT_EQ(accountant.left_mu_squared(),
                    accountant.total_mu_squared() - spent_by(mechanism));
        }
      }
    }
  }
}

TEST(PublishedMechanism, GivesProductsTheirShareByRenyiComposition) {
  const Schema schema = two_columns("");
  const FeatureSet features = with_products(schema, 4);
  Accountant accountant({1.0, 1e-5});
  const SumMechanism mechanism =
      SumMechanism::published(accountant, 0.2, features, schema, SensitivityRule::kPublished);
  double of_products = 0.0;
  double of_others = 0.0;
  for (std::size_t i = 0; i < features.blocks().size(); ++i) {
    (features.blocks()[i].combination == Combination::kProduct ? of_products : of_others) +=
        mechanism.charges()[i].mu_squared();
  }
  const double mu = std::sqrt(of_products);
  EXPECT_NEAR(mu * mu / 2.0 + mu * std::sqrt(2.0 * std::log(1.0 / (0.2 * 1e-5))), 0.2, 1e-10);
  EXPECT_NEAR(epsilon_of_gaussian(std::sqrt(of_others), 0.8e-5), 0.8, 1e-9);
}

TEST(PublishedMechanism, TakesTheSensitivitiesOfItsRule) {
  for (const char* head : {"", R"("relation": "replace-one", )",
                           R"("privacy_unit": {"column": "id", "max_rows": 3}, )"}) {
    const Schema schema = two_columns(head);
    const FeatureSet features = with_products(schema, 2);
    const double rows = schema.privacy_unit() ? 3.0 : 1.0;
    for (const SensitivityRule rule : {SensitivityRule::kPublished, SensitivityRule::kCertified}) {
      Accountant first({1.0, 1e-5});
      Accountant second({1.0, 1e-5});
      const SumMechanism published = SumMechanism::published(first, 0.2, features, schema, rule);
      const SumMechanism exact(second, second.left_mu_squared(), features, schema, rule);
      for (std::size_t i = 0; i < features.blocks().size(); ++i) {
        const FeatureBlock& block = features.blocks()[i];
        const double expected = rule == SensitivityRule::kPublished
                                    ? block.published_sensitivity(schema.relation())
                                    : block.sensitivity(schema.relation());
        EXPECT_EQ(published.charges()[i].sensitivity, rows * expected);
        EXPECT_EQ(exact.charges()[i].sensitivity, rows * expected);
      }
    }
  }
}

TEST(PublishedMechanism, IsRefusedASecondTimeWhereTheBudgetDoesNotHoldIt) {
  const Schema schema = two_columns("");
  const FeatureSet features = mean_embedding_features(Encoder(schema), {});
  Accountant accountant({1.0, 1e-5});
  const auto release = [&] {
    return SumMechanism::published(accountant, 0.2, features, schema, SensitivityRule::kPublished);
  };
  (void)release();  // all of it: there are no products
  message_of(ErrorCode::kBudgetExceeded, [&] { (void)release(); });
  EXPECT_EQ(accountant.ledger().size(), 1u);

  // With products it spends less than all; what is left is not enough for another.
  const FeatureSet both = with_products(schema, 3);
  Accountant other({1.0, 1e-5});
  (void)SumMechanism::published(other, 0.2, both, schema, SensitivityRule::kPublished);
  const double left = other.left_mu_squared();
  EXPECT_GT(left, 0.0);
  message_of(ErrorCode::kBudgetExceeded, [&] {
    (void)SumMechanism::published(other, 0.2, both, schema, SensitivityRule::kPublished);
  });
  EXPECT_EQ(other.left_mu_squared(), left) << "nothing is charged for what is refused";
}

// DP-MERF's tables: two Gaussians of noise multiplier 6.93, which is epsilon 0.742 and not 1.
TEST(PublishedMechanism, OfDpMerfHasItsNoiseAndStatesWhatThatGives) {
  const Schema schema = two_columns(R"("target": "c", )");
  EmbeddingOptions options;
  options.sum = false;
  options.fourier.frequencies = 20;
  const FeatureSet features = mean_embedding_features(Encoder(schema), options);
  Accountant accountant({1.0, 1e-5});
  const SumMechanism mechanism =
      SumMechanism::published_alike(accountant, features, schema, SensitivityRule::kPublished);
  ASSERT_EQ(mechanism.charges().size(), 2u);
  for (const GaussianSums& charge : mechanism.charges()) {
    EXPECT_NEAR(charge.sigma / charge.sensitivity, 6.93, 0.005);
  }
  EXPECT_NEAR(epsilon_of_gaussian(std::sqrt(spent_by(mechanism)), 1e-5), 0.742, 0.0005);
  ASSERT_EQ(accountant.ledger().size(), 1u);
  EXPECT_EQ(accountant.ledger()[0].mu_squared(), spent_by(mechanism));
}

TEST(PublishedMechanism, OfDpMerfKeepsEveryBudgetByTheExactAccounting) {
  const Schema schema = two_columns("");
  EmbeddingOptions options;
  options.sum = false;
  options.fourier.frequencies = 5;
  const FeatureSet features = mean_embedding_features(Encoder(schema), options);
  for (const double epsilon : {0.001, 0.01, 0.1, 1.0, 5.0, 10.0}) {
    for (const double delta : {1e-12, 1e-5, 0.01, 0.3}) {
      Accountant accountant({epsilon, delta});
      const SumMechanism mechanism =
          SumMechanism::published_alike(accountant, features, schema, SensitivityRule::kPublished);
      EXPECT_LT(delta_of_gaussian(std::sqrt(spent_by(mechanism)), epsilon), delta);
    }
  }
}

TEST(PublishedMechanism, RefusesAShareThatIsNone) {
  const Schema schema = two_columns("");
  for (const std::size_t subsets : {0u, 2u}) {
    const FeatureSet features = subsets == 0 ? mean_embedding_features(Encoder(schema), {})
                                             : with_products(schema, subsets);
    for (const double share : {0.0, 1.0, -0.1, 2.0, double{NAN}, double{INFINITY}}) {
      Accountant accountant({1.0, 1e-5});
      expect_mentions(message_of(ErrorCode::kInvalidArgument,
                                 [&] {
                                   (void)SumMechanism::published(accountant, share, features,
                                                                 schema,
                                                                 SensitivityRule::kPublished);
                                 }),
                      {"share", "between 0 and 1", "0.2"});
      EXPECT_TRUE(accountant.ledger().empty());
    }
  }
}

TEST(Accountant, CannotBeDuplicated) {
  static_assert(!std::is_copy_constructible_v<Accountant>);
  static_assert(!std::is_copy_assignable_v<Accountant>);
  static_assert(!std::is_move_constructible_v<Accountant>);
  static_assert(!std::is_move_assignable_v<Accountant>);
}

TEST(SumMechanism, KeepsWhatItWasPaidFor) {
  const Schema schema = two_columns("");
  const FeatureSet features = with_products(schema, 3);
  Accountant accountant({1.0, 1e-5});
  SumMechanism mechanism(accountant, accountant.left_mu_squared(), features, schema);
  EXPECT_EQ(mechanism.features(), features);
  mechanism.require_schema(schema);
  for (const char* head :
       {R"("relation": "replace-one", )", R"("privacy_unit": {"column": "id", "max_rows": 3}, )"}) {
    expect_mentions(message_of(ErrorCode::kInvalidArgument,
                               [&] { mechanism.require_schema(two_columns(head)); }),
                    {"another schema"});
  }
  const SumMechanism used = std::move(mechanism);
  EXPECT_TRUE(mechanism.features().blocks().empty()) << "a payment that was used pays for nothing";
}

TEST(SumMechanism, CannotBeMadeWithoutAnAccountantNorUsedTwice) {
  static_assert(!std::is_default_constructible_v<SumMechanism>);
  static_assert(!std::is_copy_constructible_v<SumMechanism>);
  static_assert(!std::is_copy_constructible_v<PrivateTable>);
}

}  // namespace accountant_test
}  // namespace mehler
