#include "mehler/reference/reference_kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <type_traits>

#include "mehler/core/seeded_random.h"
#include "mehler/demo/mixture.h"
#include "mehler/demo/people.h"
#include "mehler/evaluation/kernels/read_records.h"
#include "mehler/generator/generator.h"
#include "mehler/privacy/private_table.h"
#include "mehler/record_networks/published_dp_cgan.h"
#include "mehler/reference/full_mmd_options.h"
#include "tests/support/errors.h"
#include "tests/support/labelled_shapes.h"

namespace mehler {
namespace reference_kinds_test {

// Private records are no public ones, and no conversion makes them so: who has public ones has
// written DeclaredPublic, which nothing converts to either.
static_assert(!std::is_constructible_v<PublicRecords, PrivateTable>);
static_assert(!std::is_constructible_v<PublicRecords, PrivateTable, DeclaredPublic>);
static_assert(!std::is_constructible_v<PublicRecords, EncodedBatch>);
static_assert(!std::is_convertible_v<PrivateTable, EncodedBatch>);
static_assert(!std::is_convertible_v<bool, DeclaredPublic>);
static_assert(
    std::is_same_v<decltype(ReferenceKind::train), std::unique_ptr<const RecordSampler> (*)(
                                                       const Encoder&, const PublicRecords&,
                                                       const ReferenceRequest&, const Context&)>);
// What draws records is no model: it has neither a release nor a file.
static_assert(!std::is_convertible_v<RecordSampler*, Generator*>);

OptionValues values_of(const std::map<std::string, std::string>& given) {
  OptionValues values;
  for (const auto& [name, value] : given) {
    values.add(name, value);
  }
  return values;
}

Table sample(const ReferenceKind& kind, const Encoder& encoder, const Table& table,
             const ReferenceRequest& request, std::size_t rows, std::size_t threads = 2) {
  const Context context{threads, nullptr, nullptr};
  const PublicRecords records(read_records(encoder, table), DeclaredPublic{});
  kind.check(encoder, request.options);
  return kind.train(encoder, records, request, context)->sample(rows, 5, context);
}

const ReferenceKind& kind_named(std::string_view name) {
  return *std::find_if(reference_kinds().begin(), reference_kinds().end(),
                       [&](const ReferenceKind& kind) { return kind.name == name; });
}

constexpr const char* kDpCgan = "dp-cgan-as-published";

class EveryKind : public testing::TestWithParam<std::string> {
 protected:
  const ReferenceKind& kind_ = kind_named(GetParam());
  const OptionValues short_ =
      values_of({{kind_.name == kDpCgan ? "steps" : "epochs", "2"}, {"batch", "200"}});
};
/// Those that compare records by a kernel, in epochs.
class KernelKind : public EveryKind {};

std::string words_of_kind(const testing::TestParamInfo<std::string>& kind) {
  std::string words = kind.param;
  std::replace(words.begin(), words.end(), '-', '_');
  return words;
}
INSTANTIATE_TEST_SUITE_P(Reference, EveryKind,
                         testing::Values("full-mmd", "dp-hp", "dp-merf", kDpCgan), words_of_kind);
INSTANTIATE_TEST_SUITE_P(Reference, KernelKind, testing::Values("full-mmd", "dp-hp", "dp-merf"),
                         words_of_kind);

TEST_P(EveryKind, DrawsRecordsOfTheSchema) {
  const Encoder encoder(people_schema());
  const Table drawn = sample(kind_, encoder, simulate_people(800, 1), {short_, 1}, 300);
  EXPECT_EQ(drawn.rows(), 300u);
  EXPECT_EQ(read_records(encoder, drawn).rows, 300u);  // refuses what the schema does not allow
}

TEST_P(EveryKind, DrawsImages) {
  const Encoder encoder(shapes_schema());
  const Table drawn = sample(kind_, encoder, draw_shapes(400, 1), {short_, 1}, 50);
  EXPECT_EQ(read_records(encoder, drawn).rows, 50u);
}

TEST_P(EveryKind, ASeedGivesTheSameRecordsForAnyNumberOfThreads) {
  const Encoder encoder(mixture_schema());
  const Table table = simulate_mixture(600, 1);
  const auto numbers = [&](std::uint64_t seed, std::size_t threads) {
    const Table drawn = sample(kind_, encoder, table, {short_, seed}, 100, threads);
    return std::get<std::vector<double>>(drawn.columns[0].values);
  };
  EXPECT_EQ(numbers(1, 1), numbers(1, 3));
  EXPECT_NE(numbers(1, 1), numbers(2, 1));
}

TEST_P(KernelKind, WorksWithoutATarget) {
  const Encoder encoder(Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "numeric", "bounds": [-3, 3]},
      {"name": "y", "kind": "numeric", "bounds": [-3, 3]}]})"));
  Table table = simulate_mixture(400, 1);
  table.columns.resize(2);
  EXPECT_EQ(sample(kind_, encoder, table, {short_, 1}, 20).rows(), 20u);
}

TEST_P(EveryKind, GivesAClassWithoutRecordsNone) {
  const Encoder encoder(Schema::from_json(R"({"mehler_schema": 1, "target": "c", "columns": [
      {"name": "x", "kind": "numeric", "bounds": [0, 1]},
      {"name": "c", "kind": "categorical", "categories": ["a", "b", "never"]}]})"));
  Table table;
  std::vector<double> numbers;
  std::vector<std::string> labels;
  for (int i = 0; i < 200; ++i) {
    numbers.push_back(i / 200.0);
    labels.emplace_back(i % 2 == 0 ? "a" : "b");
  }
  table.columns.push_back({"x", ColumnKind::kNumeric, numbers, {}});
  table.columns.push_back({"c", ColumnKind::kCategorical, labels, {}});
  const Table drawn = sample(kind_, encoder, table, {short_, 1}, 100);
  const auto& found = std::get<std::vector<std::string>>(drawn.columns[1].values);
  EXPECT_EQ(std::count(found.begin(), found.end(), "never"), 0);
}

TEST_P(EveryKind, GeneratesClassesAsOftenAsTheirRatesSay) {
  const Encoder encoder(mixture_schema());
  OptionValues options = short_;
  for (const char* rate : {"0=1000000", "1=1000000"}) {
    options.add("class-rate", rate);
  }
  const Table drawn = sample(kind_, encoder, simulate_mixture(600, 1), {options, 1}, 200);
  const EncodedBatch codes = read_records(encoder, drawn);
  for (const std::int32_t code : codes.columns[*encoder.label()].codes) {
    EXPECT_LE(code, 1);
  }
}

TEST_P(EveryKind, RefusesOptionsThatItDoesNotHave) {
  const Encoder encoder(mixture_schema());
  for (const char* name :
       {"epsilon", "sensitivity", "accounting", "product-share", "weight", "product-weight"}) {
    const std::string message = message_of(ErrorCode::kInvalidArgument, [&] {
      kind_.check(encoder, values_of({{name, "1"}}));
    });
    expect_mentions(message, {name});
  }
}

TEST_P(EveryKind, RefusesAClassRateWithoutATarget) {
  const Encoder encoder(Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "numeric", "bounds": [0, 1]}]})"));
  const std::string message = message_of(ErrorCode::kInvalidArgument, [&] {
    kind_.check(encoder, values_of({{"class-rate", "1=2"}}));
  });
  expect_mentions(message, {"no target"});
}

TEST_P(EveryKind, RefusesASchemaWithTheTargetAlone) {
  const Encoder encoder(Schema::from_json(R"({"mehler_schema": 1, "target": "t", "columns": [
      {"name": "t", "kind": "boolean"}]})"));
  const std::string message =
      message_of(ErrorCode::kInvalidSchema, [&] { kind_.check(encoder, {}); });
  expect_mentions(message, {"no column besides the target"});
}

TEST_P(EveryKind, StopsOnRequest) {
  const Encoder encoder(mixture_schema());
  const PublicRecords records(read_records(encoder, simulate_mixture(600, 1)), DeclaredPublic{});
  const std::atomic<bool> cancelled{true};
  message_of(ErrorCode::kCancelled, [&] {
    kind_.train(encoder, records, {short_, 1}, Context{1, nullptr, &cancelled});
  });
}

TEST_P(EveryKind, TellsHowFarItIs) {
  const Encoder encoder(mixture_schema());
  const PublicRecords records(read_records(encoder, simulate_mixture(600, 1)), DeclaredPublic{});
  std::vector<double> fractions;
  std::string last;
  const Context context{1,
                        [&](const Progress& progress) {
                          fractions.push_back(progress.fraction);
                          last = progress.words;
                        },
                        nullptr};
  kind_.train(encoder, records, {short_, 1}, context);
  EXPECT_EQ(fractions.back(), 1.0);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  if (kind_.name == kDpCgan) {
    expect_mentions(last, {"step 2 of 2"});
  } else {
    expect_mentions(last, {"epoch 2 of 2", "squared distance"});
  }
}

Schema places_schema() {
  return Schema::from_json(R"({"mehler_schema": 1, "target": "c", "columns": [
      {"name": "x", "kind": "numeric", "bounds": [0, 1]},
      {"name": "c", "kind": "categorical", "categories": ["a", "b"]}]})");
}

/// Class a has one place, class b two.
Table three_places(std::size_t rows) {
  SeededRandom random(2);
  std::vector<double> numbers;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < rows; ++i) {
    const double place = i % 2 == 0 ? 0.25 : i % 4 == 1 ? 0.6 : 0.9;
    numbers.push_back(std::clamp(place + 0.03 * random.normal(), 0.0, 1.0));
    labels.emplace_back(i % 2 == 0 ? "a" : "b");
  }
  Table table;
  table.columns.push_back({"x", ColumnKind::kNumeric, numbers, {}});
  table.columns.push_back({"c", ColumnKind::kCategorical, labels, {}});
  return table;
}

/// Seeded: the same at every run.
TEST_P(KernelKind, LearnsWhereTheRecordsOfAClassAre) {
  const Encoder encoder(places_schema());
  // An epoch has 10 steps of full-mmd, 25 of the others.
  const OptionValues options =
      values_of({{"epochs", kind_.name == "full-mmd" ? "40" : "8"}, {"batch", "200"}});
  const Table drawn = sample(kind_, encoder, three_places(2000), {options, 1}, 1000);
  const auto& numbers = std::get<std::vector<double>>(drawn.columns[0].values);
  const auto& labels = std::get<std::vector<std::string>>(drawn.columns[1].values);
  std::map<std::string, std::array<double, 3>> near;  // by class, of each place
  std::map<std::string, double> records;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    ++records[labels[i]];
    for (std::size_t place = 0; place < 3; ++place) {
      const double distance = std::fabs(numbers[i] - std::array{0.25, 0.6, 0.9}[place]);
      near[labels[i]][place] += distance < 0.12 ? 1.0 : 0.0;
    }
  }
  EXPECT_GT(near["a"][0] / records["a"], 0.9);
  EXPECT_NEAR(near["b"][1] / records["b"], 0.5, 0.2);  // of even records: .24
  EXPECT_NEAR(near["b"][2] / records["b"], 0.5, 0.2);  // of even records: .24
}

/// Without noise a class of a twentieth of the records is as well known as the others. Seeded: the
/// same at every run.
TEST_P(KernelKind, LearnsARareClassToo) {
  const Encoder encoder(Schema::from_json(R"({"mehler_schema": 1, "target": "c", "columns": [
      {"name": "test", "kind": "categorical", "categories": ["negative", "positive"]},
      {"name": "x", "kind": "numeric", "bounds": [0, 1]},
      {"name": "c", "kind": "categorical", "categories": ["well", "ill"]}]})"));
  constexpr std::size_t kRows = 1000;
  std::vector<std::string> tests;
  std::vector<double> numbers;
  std::vector<std::string> classes;
  for (std::size_t i = 0; i < kRows; ++i) {
    const bool is_ill = i % 20 == 0;
    tests.emplace_back(is_ill && i % 200 != 0 ? "positive" : "negative");
    numbers.push_back(static_cast<double>(i % 100) / 100.0);
    classes.emplace_back(is_ill ? "ill" : "well");
  }
  Table table;
  table.columns.push_back({"test", ColumnKind::kCategorical, tests, {}});
  table.columns.push_back({"x", ColumnKind::kNumeric, numbers, {}});
  table.columns.push_back({"c", ColumnKind::kCategorical, classes, {}});
  // 400 steps of full-mmd, 60 of the others.
  const OptionValues options =
      kind_.name == "full-mmd"
          ? values_of({{"epochs", "40"}, {"batch", "100"}, {"learning-rate-decay", "0.97"}})
          : values_of({{"epochs", "6"}, {"steps", "10"}, {"batch", "200"}});
  const Table drawn = sample(kind_, encoder, table, {options, 1}, 4000);
  const auto& found = std::get<std::vector<std::string>>(drawn.columns[0].values);
  const auto& labels = std::get<std::vector<std::string>>(drawn.columns[2].values);
  std::map<std::string, double> records;
  std::map<std::string, double> positive;
  for (std::size_t i = 0; i < found.size(); ++i) {
    records[labels[i]] += 1.0;
    positive[labels[i]] += found[i] == "positive" ? 1.0 : 0.0;
  }
  EXPECT_NEAR(positive["ill"] / records["ill"], 0.9, 0.15);
  EXPECT_LT(positive["well"] / records["well"], 0.1);
}

TEST(FullMmd, TakesAsManyStepsOfASmallTableAsOfALargeOne) {
  const TrainingOptions large = FullMmdOptions::parse({}, 1).training_of(120);
  EXPECT_EQ(large.epochs, 20u);
  EXPECT_EQ(large.learning_rate_decay, 0.9);
  const TrainingOptions small = FullMmdOptions::parse({}, 1).training_of(7);
  EXPECT_EQ(small.epochs, 343u);  // 2,401 steps
  EXPECT_NEAR(std::pow(*small.learning_rate_decay, 343.0), std::pow(0.9, 20.0), 1e-12);
  const TrainingOptions given =
      FullMmdOptions::parse(values_of({{"epochs", "3"}}), 1).training_of(7);
  EXPECT_EQ(given.epochs, 3u);
  EXPECT_EQ(given.learning_rate_decay, 0.9);
  const TrainingOptions steady =
      FullMmdOptions::parse(values_of({{"learning-rate-decay", "1"}}), 1).training_of(7);
  EXPECT_EQ(steady.learning_rate_decay, 1.0);
}

TEST(FullMmd, RefusesALengthScaleByWhichEveryRecordIsAlone) {
  const Encoder encoder(shapes_schema());
  const std::string message = message_of(ErrorCode::kInvalidArgument, [&] {
    kind_named("full-mmd").check(encoder, values_of({{"length-scale", "0.03"}}));
  });
  expect_mentions(message, {"length-scale", "0.03", "64 numbers", "at least 0.04"});
}

TEST(FullMmd, RefusesALengthScaleOfItsRecordsThatIsZero) {
  const Encoder encoder(Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "numeric", "bounds": [0, 1]}]})"));
  Table table;
  table.columns.push_back({"x", ColumnKind::kNumeric, std::vector<double>(50, 0.5), {}});
  const std::string message = message_of(
      ErrorCode::kInvalidArgument, [&] { sample(kind_named("full-mmd"), encoder, table, {}, 10); });
  expect_mentions(message, {"equal", "length-scale"});
}

// What voids its guarantee on tables: every step has the same first records.
TEST(DpCganAsPublished, LearnsFromTheFirstRecordsOfATableAlone) {
  const Encoder encoder(places_schema());
  const OptionValues options = values_of({{"steps", "30"}, {"batch", "100"}});
  const auto drawn = [&](std::size_t changed) {
    Table table = three_places(400);
    std::get<std::vector<double>>(table.columns[0].values)[changed] += 0.125;
    return std::get<std::vector<double>>(
        sample(kind_named(kDpCgan), encoder, table, {options, 1}, 50).columns[0].values);
  };
  EXPECT_EQ(drawn(399), drawn(100));
  EXPECT_NE(drawn(399), drawn(99));
}

// Of points in the plane its authors have other networks, batches and noise than of tables.
TEST(DpCganAsPublished, HasSettingsForPointsOfTheirOwn) {
  for (const auto& [kind, batch, steps, tensor_norm, sigma, units] :
       {std::tuple(RecordKind::kTable, 400u, 38u, 1.1, 1.1, 128u),
        std::tuple(RecordKind::kImage, 600u, 30'304u, 1.1, 1.12, 128u),
        std::tuple(RecordKind::kPoint, 300u, 40'609u, 1.0, 5.0, 1024u)}) {
    const PublishedDpCgan published = PublishedDpCgan::of(kind);
    EXPECT_EQ(published.batch, batch);
    EXPECT_EQ(published.steps, steps);
    EXPECT_EQ(published.tensor_norm, tensor_norm);
    EXPECT_EQ(published.sigma, sigma);
    EXPECT_EQ(published.design.critic_hidden, std::vector<std::size_t>{units});
  }
  // Their batches are of all records: a table of points with the first ones alone is another.
  const Encoder encoder(mixture_schema());
  const OptionValues options = values_of({{"steps", "4"}, {"batch", "100"}});
  const auto drawn = [&](double moved) {
    Table table = simulate_mixture(400, 1);
    std::get<std::vector<double>>(table.columns[0].values)[399] += moved;
    return std::get<std::vector<double>>(
        sample(kind_named(kDpCgan), encoder, table, {options, 1}, 50).columns[0].values);
  };
  EXPECT_NE(drawn(0.5), drawn(0.0));
}

// Of images an epoch is all batches of a new order.
TEST(DpCganAsPublished, LearnsFromAllImages) {
  const Encoder encoder(shapes_schema());
  const OptionValues options = values_of({{"steps", "4"}, {"batch", "10"}});
  const auto drawn = [&](std::optional<std::size_t> changed) {
    Table table = draw_shapes(40, 1);
    if (changed) {
      auto& bytes = std::get<ImageValues>(table.columns[1].values).pixels;
      const std::size_t size = bytes.size() / 40;
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(*changed * size), size,
                  std::uint8_t{255});
    }
    const Table found = sample(kind_named(kDpCgan), encoder, table, {options, 1}, 20);
    return std::get<ImageValues>(found.columns[1].values).pixels;
  };
  const auto unchanged = drawn({});
  for (const std::size_t row : {0, 17, 39}) {
    EXPECT_NE(drawn(row), unchanged) << row;
  }
}

/// Seeded: the same at every run.
TEST(DpCganAsPublished, LearnsWhatItsNoiseLeaves) {
  const Encoder encoder(places_schema());
  const auto mean_of_a = [&](const char* sigma, const char* steps) {
    const OptionValues options = values_of({{"steps", steps}, {"sigma", sigma}});
    const Table drawn =
        sample(kind_named(kDpCgan), encoder, three_places(2000), {options, 1}, 1000);
    const auto& numbers = std::get<std::vector<double>>(drawn.columns[0].values);
    const auto& labels = std::get<std::vector<std::string>>(drawn.columns[1].values);
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      sum += labels[i] == "a" ? numbers[i] : 0.0;
      count += labels[i] == "a" ? 1.0 : 0.0;
    }
    return sum / count;
  };
  EXPECT_NEAR(mean_of_a("0", "2000"), 0.25, 0.1);
  EXPECT_GT(std::fabs(mean_of_a("1000", "38") - 0.25), 0.1);
}

class BatchKind : public EveryKind {};
INSTANTIATE_TEST_SUITE_P(Reference, BatchKind, testing::Values("full-mmd", kDpCgan), words_of_kind);

TEST_P(BatchKind, RefusesABatchThatTheTableDoesNotHave) {
  const Encoder encoder(mixture_schema());
  const auto message = [&](const char* batch, std::size_t rows, ErrorCode code) {
    OptionValues options;
    if (batch != nullptr) {
      options.add("batch", batch);
    }
    if (kind_.name == "full-mmd") {
      options.add("length-scale", "1");  // by default that of records, of which it needs two
    }
    return message_of(code, [&] {
      sample(kind_, encoder, simulate_mixture(rows, 1), {options, 1}, 10);
    });
  };
  expect_mentions(message("1", 50, ErrorCode::kInvalidArgument),
                  {"batch", "'1'", "whole number from"});
  expect_mentions(message("51", 50, ErrorCode::kInvalidArgument), {"batch", "51", "has 50"});
  expect_mentions(message(nullptr, 1, ErrorCode::kInvalidTable), {"1 record", "at least 2"});
}

TEST(DpCganAsPublished, TakesAllOfASmallTable) {
  const Encoder encoder(mixture_schema());
  EXPECT_EQ(sample(kind_named(kDpCgan), encoder, simulate_mixture(2, 1),
                   {values_of({{"steps", "2"}}), 1}, 10)
                .rows(),
            10u);
}

TEST(DpCganAsPublished, RefusesWhatItCannotTakeBeforeARecordIsRead) {
  const ReferenceKind& kind = kind_named(kDpCgan);
  const Encoder mixture(mixture_schema());
  for (const auto& [name, text] :
       std::map<std::string, std::string>{{"steps", "0"}, {"batch", "0"}, {"sigma", "-1"}}) {
    expect_mentions(message_of(ErrorCode::kInvalidArgument,
                               [&] {
                                 kind.check(mixture, values_of({{name, text}}));
                               }),
                    {name.c_str(), text.c_str()});
  }
  for (const char* sigma : {"nan", "inf"}) {
    message_of(ErrorCode::kInvalidArgument, [&] {
      kind.check(mixture, values_of({{"sigma", sigma}}));
    });
  }
  const Encoder without_target(Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "numeric", "bounds": [-3, 3]}]})"));
  expect_mentions(message_of(ErrorCode::kInvalidSchema, [&] { kind.check(without_target, {}); }),
                  {kDpCgan, "no target"});
}

}  // namespace reference_kinds_test
}  // namespace mehler
