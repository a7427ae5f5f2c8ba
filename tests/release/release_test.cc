#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "mehler/features/embedding_features.h"
#include "mehler/release/checked_file.h"
#include "mehler/release/payload.h"
#include "tests/support/errors.h"

namespace mehler {
namespace release_test {

Schema schema_with(const std::string& head) {
  return Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [
    {"name": "id", "kind": "identifier"},
    {"name": "x", "kind": "numeric", "bounds": [0, 1]},
    {"name": "c", "kind": "categorical", "categories": ["a", "b"], "missing": true}]})");
}

/// The parts of a release with made-up sums, before they are checked.
struct Parts {
  std::string method = "dp-hp";
  Schema schema;
  FeatureSet features;
  PrivacyStatement statement;
  std::vector<NoisyBlock> blocks;

  Release build() const { return Release(method, schema, NoisySums{features, blocks}, statement); }
};

GaussianSums& noise_of(Parts& parts, std::size_t block) {
  return std::get<GaussianSums>(parts.statement.charges.at(block));
}

Parts make_parts(const std::string& head = R"("target": "c", )") {
  const Schema schema = schema_with(head);
  const Encoder encoder(schema);
  const FeatureSet features = mean_embedding_features(encoder, {});
  PrivacyStatement statement;
  statement.budget = {1.0, 1e-6};
  if (schema.relation() == NeighbourRelation::kReplaceOne) {
    statement.public_rows = 123;
  }
  const double rows_per_unit =
      schema.privacy_unit() ? static_cast<double>(schema.privacy_unit()->max_rows) : 1.0;
  const double mu = calibrate_mu(statement.budget);
  std::vector<NoisyBlock> blocks;
  for (const FeatureBlock& block : features.blocks()) {
    const double sensitivity = rows_per_unit * block.sensitivity(schema.relation());
    statement.charges.push_back(
        GaussianSums{block.name, sensitivity,
                     sensitivity / mu * std::sqrt(static_cast<double>(features.blocks().size()))});
    NoisyBlock noisy{features.block_rows(block), block.dimension(), {}};
    for (std::size_t i = 0; i < noisy.rows * noisy.columns; ++i) {
      noisy.grid_sums.push_back((static_cast<std::int64_t>(i) - 3) * 1'000'003);
    }
    blocks.push_back(noisy);
  }
  return {"dp-hp", schema, features, statement, blocks};
}

TEST(Release, ComesBackFromItsBytes) {
  for (const char* head : {R"("target": "c", )", "", R"("relation": "replace-one", )",
                           R"("privacy_unit": {"column": "id", "max_rows": 4}, )",
                           R"("provenance": "read-from-public-data", )"}) {
    const Release release = make_parts(head).build();
    const Release back = Release::from_bytes(release.to_bytes(), "r");
    EXPECT_EQ(back.schema(), release.schema());
    EXPECT_EQ(back.sums().features, release.sums().features);
    EXPECT_EQ(back.to_bytes(), release.to_bytes());
    ASSERT_EQ(back.sums().blocks.size(), release.sums().blocks.size());
    for (std::size_t i = 0; i < back.sums().blocks.size(); ++i) {
      EXPECT_EQ(back.sums().blocks[i].grid_sums, release.sums().blocks[i].grid_sums);
    }
    EXPECT_EQ(back.in_words(), release.in_words());
  }
}

TEST(Release, StatesWhatIsProtected) {
  expect_mentions(make_parts("").build().in_words(),
                  {"added or removed", "number of records is protected"});
  expect_mentions(make_parts(R"("relation": "replace-one", )").build().in_words(),
                  {"exchanged", "public"});
  expect_mentions(
      make_parts(R"("privacy_unit": {"column": "id", "max_rows": 4}, )").build().in_words(),
      {"'id'", "at most 4"});
  expect_mentions(make_parts(R"("provenance": "read-from-public-data", )").build().in_words(),
                  {"does not cover"});
}

TEST(Release, RoundsWhatItPromisesUp) {
  EXPECT_EQ(rounded_up(0.24062863, 4), "0.2407");
  EXPECT_EQ(rounded_up(0.56313817, 4), "0.5632");
  EXPECT_EQ(rounded_up(0.25, 4), "0.25");
  EXPECT_EQ(rounded_up(1.0, 4), "1");
  EXPECT_EQ(rounded_up(9.99901, 4), "10");
  EXPECT_EQ(rounded_up(std::nextafter(1.0, 2.0), 4), "1.001");
  EXPECT_EQ(rounded_down(0.24068863, 4), "0.2406");
  EXPECT_EQ(rounded_down(0.25, 4), "0.25");
  EXPECT_EQ(rounded_down(1.00001, 4), "1");
  EXPECT_EQ(rounded_down(std::nextafter(1.0, 0.0), 4), "0.9999");
  EXPECT_EQ(rounded_up(0.0, 4), "0");
  EXPECT_EQ(rounded_up(std::numeric_limits<double>::min(), 4), "2.226e-308");
  EXPECT_EQ(rounded_down(std::numeric_limits<double>::min(), 4), "2.225e-308");
  for (double value = std::numeric_limits<double>::min(); value > 0.0; value /= 7.3) {
    EXPECT_GE(std::strtod(rounded_up(value, 6).c_str(), nullptr), value);
    EXPECT_LE(std::strtod(rounded_down(value, 6).c_str(), nullptr), value);
  }
  for (double value = 1e-9; value < 1e9; value *= 1.0173) {
    const double stated = std::stod(rounded_up(value, 4));
    EXPECT_GE(stated, value);
    EXPECT_LT(stated, value * 1.001);
  }
}

TEST(Release, RefusesMoreNoiseThanCanBeDrawn) {
  Parts parts = make_parts();
  for (Charge& charge : parts.statement.charges) {
    auto& block = std::get<GaussianSums>(charge);
    block.sigma = 1e300;  // mu^2 is too small for a number
  }
  expect_mentions(message_of(ErrorCode::kInvalidRelease, [&] { parts.build(); }),
                  {"sensitivity over sigma", "'count'", "must lie in"});
}

TEST(Release, CountsItsRecords) {
  const Parts parts = make_parts();
  double count = 0.0;
  for (const std::int64_t sum : parts.blocks[0].grid_sums) {
    count += std::ldexp(static_cast<double>(sum), -kGridExponent);
  }
  EXPECT_DOUBLE_EQ(parts.build().record_count(), count);
  EXPECT_EQ(make_parts(R"("relation": "replace-one", )").build().record_count(), 123.0);
}

/// Builds a release after `change`; every such release must be refused.
void expect_contradiction(const std::function<void(Parts&)>& change,
                          std::initializer_list<const char*> words,
                          const char* head = R"("target": "c", )") {
  Parts parts = make_parts(head);
  change(parts);
  expect_mentions(message_of(ErrorCode::kInvalidRelease, [&] { (void)parts.build(); }), words);
}

TEST(Release, RefusesAnEpsilonThatItsNoiseDoesNotGive) {
  expect_contradiction([](Parts& parts) { parts.statement.budget.epsilon = 0.5; }, {"epsilon 0.5"});
  expect_contradiction([](Parts& parts) { parts.statement.budget.epsilon = 1.00001; }, {"epsilon"});
  expect_contradiction([](Parts& parts) { parts.statement.budget.delta = 1e-9; }, {"epsilon"});
  expect_contradiction([](Parts& parts) { noise_of(parts, 1).sigma *= 0.9; }, {"epsilon"});
}

// What a release states is the sum of its charges: one that takes something off would let any
// epsilon stand.
TEST(Release, RefusesChargesThatNoMechanismHas) {
  const double mu = calibrate_mu({1.0, 1e-6});
  const double surplus = delta_of_gaussian(mu, 0.01) - 1e-6;
  const std::vector<std::pair<Charge, const char*>> forged = {
      {RareDisclosure{"texts", -surplus}, "delta"},
      {RareDisclosure{"texts", 0.0}, "delta"},
      {RareDisclosure{"texts", double{NAN}}, "delta"},
      {Selection{"choice", 0, 0.1}, "number of candidates"},
      {Selection{"choice", 3, 0.0}, "epsilon"},
      {Selection{"choice", 3, -0.1}, "epsilon"},
      {Selection{"choice", 3, 2e3}, "epsilon"},
      {Selection{"choice", 3, double{NAN}}, "epsilon"},
      {GaussianSums{"more", 0.0, 1.0}, "sensitivity"},
      {GaussianSums{"more", 1.0, -1.0}, "sigma"},
      {PureMechanism{"pure", 0.0}, "epsilon"},
      {PureMechanism{"pure", 5e-324}, "epsilon"},
      {LaplaceSums{"laplace", 1.0, -1.0}, "scale"},
      {SubsampledGaussian{"steps", 1.0, 0.0, 5}, "sampling rate"},
      {ReplacedGaussian{"queries", 1.0, 0.5, 0}, "number of steps"}};
  for (const auto& [charge, word] : forged) {
    expect_contradiction(
        [&](Parts& parts) {
          parts.statement.charges.push_back(charge);
          parts.statement.budget.epsilon = 0.01;
        },
        {"no mechanism costs", word, name_of(charge).c_str()});
  }
}

TEST(Release, RefusesASensitivityThatItsFeaturesDoNotHave) {
  expect_contradiction(
      [](Parts& parts) {
        noise_of(parts, 1).sensitivity *= 0.5;
        noise_of(parts, 1).sigma *= 0.5;
      },
      {"'sum'", "sensitivity"});
}

TEST(Release, RefusesWhatIsNoNameOfAMethod) {
  for (const char* name : {"", "DP-HP", "two words", "a\nb", "caf\xc3\xa9"}) {
    expect_contradiction([&](Parts& parts) { parts.method = name; }, {"no name of a method"});
  }
  expect_contradiction([](Parts& parts) { parts.method = std::string(5000, 'm'); },
                       {"mmm...'", "no name of a method"});
}

TEST(Release, RefusesNoiseThatIsNone) {
  for (const double sigma : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    expect_contradiction([&](Parts& parts) { noise_of(parts, 0).sigma = sigma; }, {"'count'"});
  }
}

TEST(Release, RefusesShapesThatDoNotFit) {
  expect_contradiction([](Parts& parts) { parts.blocks[1].grid_sums.pop_back(); }, {"shape"});
  expect_contradiction([](Parts& parts) { parts.blocks[1].columns -= 1; }, {"shape"});
  expect_contradiction([](Parts& parts) { parts.blocks.pop_back(); }, {"blocks"});
  expect_contradiction([](Parts& parts) { parts.statement.charges.pop_back(); }, {"blocks"});
}

TEST(Release, CutsTheNamesOfBlocksInMessages) {
  Parts parts = make_parts();
  std::vector<FeatureBlock> blocks(parts.features.blocks().begin(), parts.features.blocks().end());
  blocks[1].name = std::string(70'000, 'n');
  parts.features = FeatureSet(Encoder(parts.schema), blocks);
  noise_of(parts, 1).name = blocks[1].name;
  parts.build();
  parts.blocks[1].columns -= 1;
  const std::string words = message_of(ErrorCode::kInvalidRelease, [&] { parts.build(); });
  expect_mentions(words, {"nnn...'", "shape"});
  EXPECT_LT(words.size(), 300u);
}

TEST(Release, RefusesANumberOfRecordsThatContradictsTheRelation) {
  expect_contradiction([](Parts& parts) { parts.statement.public_rows = 9; },
                       {"number of records"});
  expect_contradiction([](Parts& parts) { parts.statement.public_rows.reset(); },
                       {"number of records"}, R"("relation": "replace-one", )");
}

TEST(ReleaseFile, RefusesEveryTruncation) {
  const std::string bytes = make_parts().build().to_bytes();
  for (std::size_t length = 0; length < bytes.size(); length += length < 80 ? 1 : 37) {
    message_of(ErrorCode::kInvalidRelease,
               [&] { Release::from_bytes(bytes.substr(0, length), "r"); });
  }
  message_of(ErrorCode::kInvalidRelease, [&] { Release::from_bytes(bytes + "x", "r"); });
}

TEST(ReleaseFile, RefusesEveryAlteredByte) {
  const std::string bytes = make_parts().build().to_bytes();
  for (std::size_t place = 0; place < bytes.size(); place += place < 40 ? 1 : 13) {
    std::string altered = bytes;
    altered[place] = static_cast<char>(altered[place] ^ 0x20);
    message_of(ErrorCode::kInvalidRelease, [&] { Release::from_bytes(altered, "r"); });
  }
}

TEST(ReleaseFile, RefusesWhatIsNoRelease) {
  expect_mentions(message_of(ErrorCode::kInvalidRelease,
                             [] { Release::from_bytes("age,income\n1,2\n", "t.csv"); }),
                  {"'t.csv'", "not a mehler release"});
  message_of(ErrorCode::kInvalidRelease, [] { Release::from_bytes("", "empty"); });
}

TEST(ReleaseFile, RefusesANewerVersionAndSaysSo) {
  const CheckedFile file = parse_checked_file(make_parts().build().to_bytes(),
                                              CheckedFileKind::kRelease, Release::kVersion, "r");
  const std::string newer =
      serialize_checked_file(CheckedFileKind::kRelease, Release::kVersion + 1, file);
  expect_mentions(message_of(ErrorCode::kInvalidRelease, [&] { Release::from_bytes(newer, "r"); }),
                  {"version 3", "newer mehler"});
  const std::string zero = serialize_checked_file(CheckedFileKind::kRelease, 0, file);
  message_of(ErrorCode::kInvalidRelease, [&] { Release::from_bytes(zero, "r"); });
}

TEST(ReleaseFile, RefusesAnotherKindOfFile) {
  const CheckedFile file = parse_checked_file(make_parts().build().to_bytes(),
                                              CheckedFileKind::kRelease, Release::kVersion, "r");
  const std::string other = serialize_checked_file(static_cast<CheckedFileKind>(9), 1, file);
  expect_mentions(message_of(ErrorCode::kInvalidRelease, [&] { Release::from_bytes(other, "r"); }),
                  {"not a release"});
}

TEST(ReleaseFile, RefusesAHeaderThatWasRewrittenWithAValidChecksum) {
  const std::string bytes = make_parts().build().to_bytes();
  const auto expect_refused = [&](const std::string& from, const std::string& to) {
    CheckedFile file = parse_checked_file(bytes, CheckedFileKind::kRelease, Release::kVersion, "r");
    const std::size_t place = file.header.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    file.header.replace(place, from.size(), to);
    const std::string rewritten =
        serialize_checked_file(CheckedFileKind::kRelease, Release::kVersion, file);
    EXPECT_THROW(Release::from_bytes(rewritten, "r"), Error) << from << " -> " << to;
  };
  expect_refused("\"epsilon\":1.0", "\"epsilon\":0.1");
  expect_refused("\"delta\":1e-06", "\"delta\":1e-09");
  expect_refused("add-remove-one", "replace-one");
  expect_refused("\"order\":20", "\"order\":21");
  expect_refused("\"mehler_release\":2", "\"mehler_release\":1");
  expect_refused("\"sums\"", "\"counts\"");
  expect_refused("\"sums\"", "\"weights\"");
  expect_refused("{\"mehler_release\"", "[\"mehler_release\"");
  expect_refused("\"created_by\"", "\"created_bi\"");
  expect_refused("\"kind\":\"identifier\"", "\"kind\":\"ident\"");
}

}  // namespace release_test
}  // namespace mehler
