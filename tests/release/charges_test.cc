// Releases whose statements have more than the noise of blocks.

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/accounting/composition.h"
#include "mehler/accounting/noise_calibration.h"
#include "mehler/core/strict_json.h"
#include "mehler/release/checked_file.h"
#include "mehler/release/payload.h"
#include "mehler/report/release_report.h"
#include "tests/support/errors.h"

namespace mehler {
namespace charges_test {

constexpr PrivacyBudget kBudget{2.0, 1e-5};
constexpr double kRate = 0.02;
constexpr std::uint64_t kSteps = 300;

Schema schema_with(const std::string& head) {
  return Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [
      {"name": "id", "kind": "identifier"},
      {"name": "x", "kind": "numeric", "bounds": [0, 1]},
      {"name": "c", "kind": "boolean"}]})");
}

/// A release of weights, before it is checked: a count, a choice and a training.
struct Parts {
  Schema schema = schema_with("");
  TrainedWeights weights{R"({"layers":[2,3]})",
                         {0.5F, -1.25F, 3e-30F},
                         NoisyBlock{1, 1, {123'456'789}, kRecordGridExponent}};
  PrivacyStatement statement;

  Parts() {
    statement.budget = kBudget;
    statement.charges = {GaussianSums{"count", 1.0, 20.0}, PureMechanism{"choice", 0.3}};
    static const double noise =
        calibrate_noise_multiplier(kBudget, kRate, kSteps, statement.charges);
    statement.charges.emplace_back(SubsampledGaussian{"training", noise, kRate, kSteps});
  }
  SubsampledGaussian& training() { return std::get<SubsampledGaussian>(statement.charges[2]); }

  Release build() const { return Release("some-gan", schema, weights, statement); }
};

void expect_contradiction(const std::function<void(Parts&)>& change,
                          std::initializer_list<const char*> words) {
  Parts parts;
  change(parts);
  expect_mentions(message_of(ErrorCode::kInvalidRelease, [&] { (void)parts.build(); }), words);
}

TEST(ReleaseOfWeights, ComesBackFromItsBytes) {
  const Release release = Parts().build();
  const Release back = Release::from_bytes(release.to_bytes(), "r");
  EXPECT_EQ(back.to_bytes(), release.to_bytes());
  EXPECT_EQ(back.weights().values, (std::vector<float>{0.5F, -1.25F, 3e-30F}));
  EXPECT_EQ(back.weights().networks, R"({"layers":[2,3]})");
  EXPECT_NEAR(back.record_count(), std::ldexp(123'456'789.0, -20), 1e-9);
  EXPECT_EQ(back.record_count_error(), 20.0);
  EXPECT_EQ(back.dimension(), 4u);
  EXPECT_EQ(std::get<SubsampledGaussian>(back.statement().charges[2]).steps, kSteps);
  EXPECT_FALSE(back.statement().mu());
  EXPECT_LE(back.statement().epsilon_spent(), kBudget.epsilon);
  EXPECT_GT(back.statement().epsilon_spent(), 0.99 * kBudget.epsilon);
}

TEST(ReleaseOfWeights, IsNotTakenForAnother) {
  const Release release = Parts().build();
  expect_mentions(message_of(ErrorCode::kInvalidRelease, [&] { (void)release.sums(); }),
                  {"weights", "sums"});
  expect_mentions(message_of(ErrorCode::kInvalidRelease, [&] { (void)release.counts(); }),
                  {"weights", "counts"});
}

TEST(ReleaseOfWeights, SaysWhatWasBought) {
  const std::string text = text_of(Parts().build(), "r", false);
  expect_mentions(text, {"upper bound", "training: 300 steps", "choice: (0.3, 0)-differentially",
                         "some-gan", "count"});
  const Json privacy = Json::parse(json_of(Parts().build(), "r"))["privacy"];
  EXPECT_EQ(privacy.count("mu"), 0u);
  ASSERT_EQ(privacy["charges"].size(), 3u);
  EXPECT_EQ(privacy["charges"][1]["charge"], "pure-mechanism");
  EXPECT_EQ(privacy["charges"][2]["steps"], kSteps);
}

TEST(ReleaseOfWeights, RefusesMoreThanItsChargesGive) {
  expect_contradiction([](Parts& parts) { parts.training().noise_multiplier *= 0.99; },
                       {"epsilon 2"});
  expect_contradiction([](Parts& parts) { parts.training().steps += 10; }, {"epsilon 2"});
  expect_contradiction([](Parts& parts) { parts.training().sampling_rate *= 1.05; }, {"epsilon 2"});
  expect_contradiction(
      [](Parts& parts) { std::get<PureMechanism>(parts.statement.charges[1]).epsilon = 0.4; },
      {"epsilon 2"});
  expect_contradiction([](Parts& parts) { parts.statement.budget.epsilon = 1.9; }, {"epsilon 1.9"});
}

// A calibrated noise leaves a little over, which smaller changes than the last test's fit into.
// Where nothing is left over, the smallest do not.
TEST(ReleaseOfWeights, RefusesAStepMoreOrNoiseLessByAMillionthWhereNothingIsLeftOver) {
  const auto tight = [](const std::function<void(Parts&)>& change) {
    Parts parts;
    parts.statement.budget.epsilon =
        ComposedPrivacy(parts.statement.charges).epsilon_at(parts.statement.budget.delta);
    change(parts);
    return parts;
  };
  EXPECT_NO_THROW((void)tight([](Parts&) {}).build());
  for (const std::function<void(Parts&)>& change :
       {std::function<void(Parts&)>([](Parts& parts) { parts.training().steps += 1; }),
        std::function<void(Parts&)>(
            [](Parts& parts) { parts.training().noise_multiplier *= 1.0 - 1e-6; }),
        std::function<void(Parts&)>(
            [](Parts& parts) { parts.training().sampling_rate *= 1.0 + 1e-6; })}) {
    expect_mentions(message_of(ErrorCode::kInvalidRelease, [&] { (void)tight(change).build(); }),
                    {"epsilon"});
  }
}

TEST(ReleaseOfWeights, RefusesWhatIsNoCharge) {
  const auto refused = [](const std::function<void(Parts&)>& change) {
    Parts parts;
    change(parts);
    EXPECT_THROW((void)parts.build(), Error);
  };
  for (const double bad : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    refused([&](Parts& parts) { parts.training().noise_multiplier = bad; });
    refused([&](Parts& parts) { parts.training().sampling_rate = bad; });
  }
  refused([](Parts& parts) { parts.training().steps = 0; });
  refused([](Parts& parts) { parts.training().sampling_rate = 1.5; });
  refused([](Parts& parts) { parts.statement.charges.clear(); });
}

TEST(ReleaseOfWeights, RefusesReplacedRecordsThatAreStatedTooSmall) {
  Parts parts;
  parts.statement.charges.pop_back();
  const double noise = calibrate_noise_multiplier(kBudget, kRate, kSteps, parts.statement.charges,
                                                  SampledRecord::kReplaced);
  parts.statement.charges.emplace_back(ReplacedGaussian{"queries", noise, kRate, kSteps});
  const Release back = Release::from_bytes(parts.build().to_bytes(), "r");
  EXPECT_EQ(std::get<ReplacedGaussian>(back.statement().charges[2]).noise_multiplier, noise);
  EXPECT_GT(back.statement().epsilon_spent(), 0.99 * kBudget.epsilon);
  expect_mentions(text_of(back, "r", false), {"queries: 300 queries", "random 2%"});
  const auto refused = [&](const ReplacedGaussian& queries) {
    parts.statement.charges[2] = queries;
    expect_mentions(message_of(ErrorCode::kInvalidRelease, [&] { (void)parts.build(); }),
                    {"epsilon 2"});
  };
  refused({"queries", 0.99 * noise, kRate, kSteps});
  refused({"queries", noise, 1.05 * kRate, kSteps});
  refused({"queries", noise, kRate, kSteps + 10});
}

TEST(ReleaseOfWeights, RefusesACountThatIsNotChargedFor) {
  expect_contradiction(
      [](Parts& parts) { std::get<GaussianSums>(parts.statement.charges[0]).sensitivity = 0.5; },
      {"'count'", "sensitivity"});
  expect_contradiction(
      [](Parts& parts) { std::swap(parts.statement.charges[0], parts.statement.charges[1]); },
      {"'count'"});
  expect_contradiction([](Parts& parts) { parts.weights.count.reset(); }, {"count"});
}

TEST(ReleaseOfWeights, RefusesSamplingThatItsRelationDoesNotCover) {
  expect_contradiction(
      [](Parts& parts) {
        parts.schema = schema_with(R"("relation": "replace-one", )");
        parts.statement.public_rows = 100;
        parts.weights.count.reset();
        parts.statement.charges.erase(parts.statement.charges.begin());
      },
      {"'training'", "exchanged"});
  expect_contradiction(
      [](Parts& parts) {
        parts.schema = schema_with(R"("privacy_unit": {"column": "id", "max_rows": 2}, )");
        parts.statement.charges[0] = GaussianSums{"count", 2.0, 40.0};
      },
      {"'training'", "several"});
}

TEST(ReleaseOfWeights, RefusesWeightsThatAreNoNumbers) {
  expect_contradiction([](Parts& parts) { parts.weights.values[1] = NAN; }, {"weight"});
}

TEST(ReleaseOfWeights, RefusesAFileWithAnotherHeader) {
  const CheckedFile file = parse_checked_file(Parts().build().to_bytes(), CheckedFileKind::kRelease,
                                              Release::kVersion, "r");
  const auto refused = [&](const std::function<void(Json&)>& change) {
    Json header = Json::parse(file.header);
    change(header);
    const std::string bytes = serialize_checked_file(CheckedFileKind::kRelease, Release::kVersion,
                                                     {header.dump(), file.payload});
    message_of(ErrorCode::kInvalidRelease, [&] { Release::from_bytes(bytes, "r"); });
  };
  refused([](Json& header) { header["privacy"]["charges"][1]["charge"] = "free"; });
  refused([](Json& header) { header["privacy"]["charges"][2]["steps"] = -5; });
  refused([](Json& header) { header["privacy"]["charges"][2]["steps"] = 2.5; });
  refused([](Json& header) { header["privacy"]["charges"][2]["more"] = 1; });
  refused([](Json& header) { header["weights"]["count"] = false; });
  refused([](Json& header) { header["weights"]["networks"] = "text"; });
  refused([](Json& header) { header["counts"] = header["weights"]; });
}

}  // namespace charges_test
}  // namespace mehler
