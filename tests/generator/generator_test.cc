#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mehler/demo/people.h"
#include "mehler/generator/neural/network_generator.h"
#include "mehler/generator/neural/training.h"
#include "mehler/release/checked_file.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "mehler/table/table_stream.h"
#include "tests/support/errors.h"
#include "tests/support/meets.h"
#include "tests/support/sampled_table.h"

namespace mehler {
namespace generator_test {

Release make_release(const Schema& schema, double epsilon) {
  ArrowArrayStream stream = arrow_stream_of({simulate_people(20'000, 1)});
  Accountant accountant({epsilon, 1e-6});
  return release_dp_hp(PrivateTable(&stream, schema), {}, accountant, Context{});
}

const Release& people_release() {
  static const Release release = make_release(people_schema(), 1.0);
  return release;
}

TrainingOptions short_training(std::uint64_t seed, std::size_t epochs = 2) {
  TrainingOptions options;
  options.seed = seed;
  options.epochs = epochs;
  options.batch_rows = 500;
  options.steps_per_epoch = 10;
  options.hidden = {50, 50};
  return options;
}

NetworkGenerator train(const Release& release, const TrainingOptions& options) {
  Trainer trainer(release, options, Context{});
  while (!trainer.is_finished()) {
    trainer.run_epoch();
  }
  return trainer.best();
}

const NetworkGenerator& people_generator() {
  static const NetworkGenerator generator = train(people_release(), short_training(1, 12));
  return generator;
}

const std::vector<std::string>& texts(const Table& table, std::size_t column) {
  return std::get<std::vector<std::string>>(table.columns[column].values);
}

TEST(Trainer, OneSeedGivesOneModelAndAnotherAnother) {
  const std::string first = train(people_release(), short_training(7)).to_bytes();
  EXPECT_EQ(train(people_release(), short_training(7)).to_bytes(), first);
  EXPECT_NE(train(people_release(), short_training(8)).to_bytes(), first);
}

TEST(Trainer, GoesOnFromACheckpointAsIfNeverInterrupted) {
  const TrainingOptions options = short_training(3, 4);
  const std::string whole = train(people_release(), options).to_bytes();
  Trainer first(people_release(), options, Context{});
  first.run_epoch();
  first.run_epoch();
  const std::string checkpoint = first.checkpoint();
  Trainer second(people_release(), options, Context{});
  second.restore(checkpoint, "c");
  while (!second.is_finished()) {
    second.run_epoch();
  }
  EXPECT_EQ(second.best().to_bytes(), whole);
}

TEST(Trainer, RefusesACheckpointOfSomethingElse) {
  Trainer trainer(people_release(), short_training(3), Context{});
  trainer.run_epoch();
  const std::string checkpoint = trainer.checkpoint();
  Trainer other(people_release(), short_training(4), Context{});
  expect_mentions(message_of(ErrorCode::kInvalidRelease, [&] { other.restore(checkpoint, "c"); }),
                  {"'c' was made with other options (seed 3, here 4)", "without option 'resume'"});
  const Release another = make_release(people_schema(), 1.0);
  Trainer elsewhere(another, short_training(3), Context{});
  expect_mentions(
      message_of(ErrorCode::kInvalidRelease, [&] { elsewhere.restore(checkpoint, "c"); }),
      {"'c' belongs to another release;", "without option 'resume'"});
  CheckedFile file = parse_checked_file(checkpoint, CheckedFileKind::kCheckpoint, 1, "c");
  const std::string version = "\"program\":\"";
  file.header.insert(file.header.find(version) + version.size(), "9.");
  const std::string newer = serialize_checked_file(CheckedFileKind::kCheckpoint, 1, file);
  expect_mentions(message_of(ErrorCode::kInvalidRelease, [&] { trainer.restore(newer, "c"); }),
                  {"'c' was made by another version of this program (\"9."});
  expect_mentions(message_of(ErrorCode::kInvalidRelease,
                             [&] { trainer.restore(checkpoint.substr(0, 500), "c"); }),
                  {"'c'", "cut short", "delete it and train again without option 'resume'"});
  message_of(ErrorCode::kInvalidRelease,
             [&] { trainer.restore(people_release().to_bytes(), "c"); });
}

TEST(Trainer, LearnsTheMarginalsThatWereReleased) {
  const Table synthetic = sample(people_generator(), {.rows = 20'000, .seed = 1, .where = {}});
  const Table real = simulate_people(20'000, 1);
  // region, education and diagnosis: total variation well below that of a uniform guess (.10 to
  // .30).
  for (const auto& [synthetic_column, real_column] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {2, 3}, {8, 9}}) {
    std::map<std::string, double> difference;
    for (const std::string& text : texts(synthetic, synthetic_column)) {
      difference[text] += 1.0 / 20'000;
    }
    for (const std::string& text : texts(real, real_column)) {
      difference[text] -= 1.0 / 20'000;
    }
    double distance = 0.0;
    for (const auto& [text, value] : difference) {
      distance += 0.5 * std::fabs(value);
    }
    EXPECT_LT(distance, 0.05) << real.columns[real_column].name;
  }
}

TEST(Trainer, RefusesOptionsOutsideTheirRange) {
  const auto refused = [](const auto& change) {
    TrainingOptions options;
    change(options);
    message_of(ErrorCode::kInvalidArgument, [&] { Trainer(people_release(), options, Context{}); });
  };
  refused([](TrainingOptions& options) { options.epochs = 0; });
  refused([](TrainingOptions& options) { options.steps_per_epoch = 0; });
  refused([](TrainingOptions& options) { options.batch_rows = 1; });
  for (const double bad : {0.0, -1.0, 2.0, double{NAN}, double{INFINITY}}) {
    refused([&](TrainingOptions& options) { options.learning_rate = bad; });
    refused([&](TrainingOptions& options) { options.learning_rate_decay = bad; });
  }
  refused([](TrainingOptions& options) { options.hidden.clear(); });
  refused([](TrainingOptions& options) { options.noise_inputs = 0; });
}

TEST(Trainer, WorksWithoutALabelAndUnderReplaceOne) {
  const Schema people = people_schema();
  for (const NeighbourRelation relation :
       {NeighbourRelation::kAddRemoveOne, NeighbourRelation::kReplaceOne}) {
    const Release release = make_release(Schema(people.columns(), std::nullopt, relation), 1.0);
    const NetworkGenerator generator = train(release, short_training(1));
    EXPECT_EQ(sample(generator, {.rows = 10, .seed = 1, .where = {}}).rows(), 10u);
  }
}

TEST(CountForeignValues, SeesWhatASchemaDoesNotAllow) {
  const Schema schema = people_schema();
  const Table table = simulate_people(50, 1);
  const auto foreign = [&](std::size_t column, const auto& change) {
    TableColumn changed = table.columns[column];
    change(changed);
    return count_foreign_values(changed, *schema.find(changed.name));
  };
  const auto set = [](std::size_t row, auto value) {
    return [=](TableColumn& column) {
      std::get<std::vector<decltype(value)>>(column.values)[row] = value;
      column.is_missing.clear();
    };
  };
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    EXPECT_EQ(foreign(c, [](TableColumn&) {}), 0u) << table.columns[c].name;
  }
  EXPECT_EQ(foreign(1, set(3, std::string("nowhere"))), 1u);
  EXPECT_EQ(foreign(2, set(3, std::int64_t{17})), 1u);   // age: from 18
  EXPECT_EQ(foreign(4, set(3, 200'000.01)), 1u);         // income: up to 200,000
  EXPECT_EQ(foreign(4, set(3, 0.005)), 1u);              // two decimals
  EXPECT_EQ(foreign(5, set(49, std::int64_t{81})), 1u);  // hours: up to 80
  EXPECT_EQ(foreign(6, set(3, std::int64_t{2})), 1u);    // smoker: 0 or 1
  EXPECT_EQ(foreign(8, set(3, std::int64_t{0})), 1u);    // first visit: from 2015
  EXPECT_EQ(foreign(9, [](TableColumn& column) { column.is_missing.assign(50, true); }), 50u);
}

TEST(NetworkGenerator, RecordsKeepToTheSchema) {
  const Schema schema = people_schema();
  // Several times what is handed over at once.
  constexpr std::size_t kRows = 40'000;
  const Table table = sample(people_generator(), {.rows = kRows, .seed = 3, .where = {}});
  EXPECT_EQ(table.columns.size(), Encoder(schema).columns().size());
  for (const TableColumn& column : table.columns) {
    const Column& declared = *schema.find(column.name);
    ASSERT_EQ(column.rows(), kRows) << column.name;
    EXPECT_EQ(count_foreign_values(column, declared), 0u) << column.name;
    // Of the real ones .03 to .08 are missing: some of all parts of the sample are.
    const auto missing = std::count(column.is_missing.begin(), column.is_missing.end(), true);
    const auto late =
        std::count(column.is_missing.begin() +
                       std::min<std::ptrdiff_t>(kRows / 2, std::ssize(column.is_missing)),
                   column.is_missing.end(), true);
    EXPECT_EQ(missing > 0, declared.missing) << column.name;
    EXPECT_EQ(late > 0, declared.missing) << column.name;
  }
}

TEST(NetworkGenerator, AShorterSampleIsTheBeginningOfALongerOne) {
  const Table few = sample(people_generator(), {.rows = 100, .seed = 5, .where = {}});
  const Table many = sample(people_generator(), {.rows = 20'000, .seed = 5, .where = {}});
  const Table other = sample(people_generator(), {.rows = 100, .seed = 6, .where = {}});
  EXPECT_EQ(many.rows(), 20'000u);
  EXPECT_TRUE(std::equal(texts(few, 0).begin(), texts(few, 0).end(), texts(many, 0).begin()));
  EXPECT_NE(texts(few, 0), texts(other, 0));
}

TEST(NetworkGenerator, RecordsDoNotDependOnThreads) {
  for (const SampleOptions& options :
       {SampleOptions{30'000, 4, {}}, SampleOptions{3000, 4, {{"region", "west"}}}}) {
    const Table one = sample(people_generator(), options, 1);
    const Table three = sample(people_generator(), options, 3);
    ASSERT_EQ(one.rows(), options.rows);
    for (std::size_t c = 0; c < one.columns.size(); ++c) {
      EXPECT_EQ(one.columns[c].values, three.columns[c].values) << one.columns[c].name;
    }
  }
}

TEST(NetworkGenerator, MeetsItsConditions) {
  const Table treated =
      sample(people_generator(), {.rows = 300, .seed = 1, .where = {{"diagnosis", "treat"}}});
  for (const std::string& text : texts(treated, 8)) {
    ASSERT_EQ(text, "treat");
  }
  const Table both =
      sample(people_generator(),
             {.rows = 300, .seed = 1, .where = {{"region", "west"}, {"diagnosis", "watch"}}});
  ASSERT_EQ(both.rows(), 300u);
  for (std::size_t row = 0; row < 300; ++row) {
    ASSERT_EQ(texts(both, 0)[row], "west");
    ASSERT_EQ(texts(both, 8)[row], "watch");
  }
}

TEST(NetworkGenerator, MeetsConditionsOfSeveralCategories) {
  const std::vector<SampleCondition> where = {{"diagnosis", ConditionRelation::kNotIn, {"healthy"}},
                                              {"region", ConditionRelation::kIn, {"west", "east"}},
                                              {"education", ConditionRelation::kGreater, {"none"}},
                                              {"region", ConditionRelation::kNotMissing}};
  const Table table = sample(people_generator(), {.rows = 3000, .seed = 1, .where = where});
  ASSERT_EQ(table.rows(), 3000u);
  for (const SampleCondition& condition : where) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      ASSERT_TRUE(meets(table, row, people_release().schema(), condition)) << condition.column;
    }
  }
  // Both of what is left occur.
  EXPECT_NE(std::count(texts(table, 0).begin(), texts(table, 0).end(), "west"), 0);
  EXPECT_NE(std::count(texts(table, 0).begin(), texts(table, 0).end(), "east"), 0);
}

TEST(NetworkGenerator, RefusesConditionsThatCannotBe) {
  const auto refused = [](std::vector<SampleCondition> where,
                          std::initializer_list<const char*> words) {
    expect_mentions(
        message_of(ErrorCode::kInvalidArgument,
                   [&] { sample(people_generator(), {.rows = 5, .seed = 1, .where = where}); }),
        words);
  };
  refused({{"age", "50"}}, {"'age', which is a column of numbers", "categories: region"});
  refused({{"age", ConditionRelation::kAtLeast, {"50"}}}, {"'age', which is a column of numbers"});
  refused({{"region", "west"}, {"region", "east"}}, {"'region'", "contradict"});
  refused({{"diagnosis", "treat"}, {"diagnosis", "watch"}}, {"'diagnosis'", "contradict"});
}

TEST(NetworkGenerator, RefusesZeroRows) {
  message_of(ErrorCode::kInvalidArgument,
             [] { sample(people_generator(), {.rows = 0, .seed = 1, .where = {}}); });
}

TEST(ModelFile, ComesBackFromItsBytes) {
  const std::string bytes = people_generator().to_bytes();
  const std::unique_ptr<Generator> back = Generator::from_bytes(bytes, "m");
  EXPECT_EQ(back->to_bytes(), bytes);
  EXPECT_EQ(back->release().to_bytes(), people_release().to_bytes());
  EXPECT_EQ(texts(sample(*back, {.rows = 50, .seed = 2, .where = {}}), 0),
            texts(sample(people_generator(), {.rows = 50, .seed = 2, .where = {}}), 0));
}

TEST(ModelFile, RefusesTruncationAlterationOtherVersionsAndOtherFiles) {
  const std::string bytes = people_generator().to_bytes();
  for (std::size_t length = 0; length < bytes.size(); length += 997) {
    message_of(ErrorCode::kInvalidRelease,
               [&] { Generator::from_bytes(bytes.substr(0, length), "m"); });
  }
  for (std::size_t place = 0; place < bytes.size(); place += 1499) {
    std::string altered = bytes;
    altered[place] = static_cast<char>(altered[place] ^ 1);
    message_of(ErrorCode::kInvalidRelease, [&] { Generator::from_bytes(altered, "m"); });
  }
  const CheckedFile file = parse_checked_file(bytes, CheckedFileKind::kModel, 1, "m");
  const std::string newer = serialize_checked_file(CheckedFileKind::kModel, 2, file);
  expect_mentions(
      message_of(ErrorCode::kInvalidRelease, [&] { Generator::from_bytes(newer, "m"); }),
      {"version 2", "newer"});
  expect_mentions(message_of(ErrorCode::kInvalidRelease,
                             [&] { Generator::from_bytes(people_release().to_bytes(), "m"); }),
                  {"not a model"});
}

TEST(ModelFile, RefusesAHeaderThatDoesNotFit) {
  const CheckedFile file =
      parse_checked_file(people_generator().to_bytes(), CheckedFileKind::kModel, 1, "m");
  const auto refused = [&](const std::string& from, const std::string& to,
                           std::initializer_list<const char*> words = {}) {
    CheckedFile changed = file;
    const std::size_t place = changed.header.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    changed.header.replace(place, from.size(), to);
    const std::string message = message_of(ErrorCode::kInvalidRelease, [&] {
      Generator::from_bytes(serialize_checked_file(CheckedFileKind::kModel, 1, changed), "m");
    });
    expect_mentions(message, words);
  };
  refused("\"network\"", "\"oracle\"",
          {"'m'", "'oracle'", "knows only fitted-table, moments, images, bayes-network, network",
           "newer mehler"});
  refused("\"network\"", "7", {"model"});
  refused("[50,50]", "[50,51]");
  refused("[50,50]", "[50,1048577]");
  refused("[50,50]", "[]");
  refused("\"noise_inputs\":10", "\"noise_inputs\":11");
  refused("\"release_bytes\":", "\"release_bytes\":9");
  refused("\"class_probabilities\":[", "\"class_probabilities\":[0.5,");
}

}  // namespace generator_test
}  // namespace mehler
