#include "mehler/synthesis/methods.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <set>

#include "mehler/demo/people.h"
#include "mehler/evaluation/release/release_agreement.h"
#include "mehler/features/embedding_features.h"
#include "mehler/generator/neural/training_options.h"
#include "mehler/release/payload.h"
#include "mehler/synthesis/dp_hp/dp_hp_options.h"
#include "mehler/synthesis/marginals/marginals_options.h"
#include "mehler/table/table_stream.h"
#include "tests/support/errors.h"
#include "tests/support/labelled_shapes.h"

namespace mehler {
namespace methods_test {

/// Tables that a method is for.
Schema schema_for(const Method& method) {
  return method.name == "images" ? shapes_schema() : people_schema();
}

/// Whether its release is the weights of networks.
bool trains_on_records(const Method& method) {
  return std::any_of(method.release_options.begin(), method.release_options.end(),
                     [](const Option& option) { return option.name == "clip-norm"; });
}

/// Of 1,000 images lengths stand out by 12 sigma at epsilon 10, but not always at 1.
double epsilon_for(const Method& method) { return method.name == "images" ? 10.0 : 1.0; }

Release new_release(const Method& method, const Context& context) {
  const bool is_images = method.name == "images";
  OptionValues options;
  if (is_images) {
    options.add("candidates", "1000");
  }
  if (trains_on_records(method)) {
    options.add("steps", "10");
    options.add(method.name == "gs-wgan" ? "shards" : "critic", "16");
  }
  ArrowArrayStream stream =
      arrow_stream_of({is_images ? draw_shapes(1000, 1) : simulate_people(1000, 1)});
  Accountant accountant({.epsilon = epsilon_for(method), .delta = 1e-6});
  return method.release(PrivateTable(&stream, schema_for(method)), options, accountant, context);
}

Release release_of(const Method& method) {
  static std::map<std::string, Release> made;
  if (const auto found = made.find(method.name); found != made.end()) {
    return found->second;
  }
  return made.emplace(method.name, new_release(method, Context{})).first->second;
}

/// What makes a fit of a test short, for methods that have it.
OptionValues quick(const Method& method) {
  OptionValues options;
  for (const Option& option : method.fit_options) {
    if (option.name == "epochs") {
      options.add("epochs", "2");
    }
  }
  return options;
}

class EveryMethod : public testing::TestWithParam<std::string> {
 protected:
  const Method& method() const { return find_method(GetParam()); }
};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& method : methods()) {
    names.push_back(method.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(method_names()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::erase(name, '-');
                           return name;
                         });

// Whoever stops it must know: whatever becomes of the work, the budget counts as spent.
TEST_P(EveryMethod, SaysWhenRecordsHaveBeenMeasured) {
  std::atomic<bool> cancelled = false;
  const Context unread{1, nullptr, &cancelled, [] { FAIL() << "nothing was read"; }};
  cancelled = true;
  EXPECT_THROW(new_release(method(), unread), Error);

  std::size_t told = 0;
  cancelled = false;
  const Context stopped{1, nullptr, &cancelled, [&] {
                          ++told;
                          cancelled = true;
                        }};
  try {
    new_release(method(), stopped);
  } catch (const Error& error) {
    expect_mentions(error.what(), {"stopped on request", "the privacy budget counts as spent"});
  }
  EXPECT_GT(told, 0u);
}

TEST_P(EveryMethod, IsFoundByItsName) {
  EXPECT_EQ(method().name, GetParam());
  EXPECT_FALSE(method().summary.empty());
  EXPECT_EQ(method().page, "docs/methods/" + GetParam() + ".md");
}

TEST_P(EveryMethod, ModelsImagesOrRefusesThemBeforeItReadsAndSpends) {
  const Schema schema = Schema::from_json(R"({"mehler_schema": 1, "target": "label", "columns": [
      {"name": "image", "kind": "image", "shape": [8, 8, 1]},
      {"name": "label", "kind": "boolean"}]})");
  std::string refusal;
  try {
    method().check(schema, {}, {});
    return;
  } catch (const Error& error) {
    refusal = error.what();
  }
  expect_mentions(refusal, {GetParam().c_str(), "'image'", "ignored"});
  Accountant accountant({.epsilon = 1.0, .delta = 1e-6});
  const double before = accountant.left_mu_squared();
  ArrowArrayStream stream = arrow_stream_of({simulate_people(10, 1)});  // not read: it has no image
  EXPECT_EQ(message_of(ErrorCode::kInvalidArgument,
                       [&] {
                         release(PrivateTable(&stream, schema), accountant, {.method = GetParam()});
                       }),
            refusal);
  EXPECT_EQ(accountant.left_mu_squared(), before);
}

TEST_P(EveryMethod, DeclaresEachOptionOnceAndKnowsWhatDisplacesIt) {
  std::set<std::string> names;
  for (const auto* options : {&method().release_options, &method().fit_options}) {
    for (const Option& option : *options) {
      EXPECT_TRUE(names.insert(option.name).second) << option.name;
      EXPECT_FALSE(option.help.empty()) << option.name;
    }
  }
  for (const auto* options : {&method().release_options, &method().fit_options}) {
    for (const Option& option : *options) {
      for (const Option::Displacement& other : option.displaced_by) {
        EXPECT_TRUE(names.contains(other.option)) << option.name << " by " << other.option;
      }
    }
  }
}

TEST_P(EveryMethod, LeadsFromATableToRecordsByItsNameAlone) {
  const Release release = release_of(method());
  EXPECT_EQ(release.method(), GetParam());
  const Release back = Release::from_bytes(release.to_bytes(), "r");
  EXPECT_EQ(back.method(), GetParam());
  FitRequest request;
  request.options = quick(method());
  const auto generator = fit(back, request);
  std::size_t rows = 0;
  generator->sample({.rows = 100}, Context{}, [&](const Table& table) { rows += table.rows(); });
  EXPECT_EQ(rows, 100u);
}

TEST_P(EveryMethod, IsSavedAndReadBack) {
  // Of this process alone: other methods are tested at the same time.
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                       fmt::format("saved-{}-{}", GetParam(), ::getpid());
  std::filesystem::create_directory(folder);
  const Release release = release_of(method());
  release.save(folder / "saved.release");
  const Release back = Release::from_file(folder / "saved.release");
  EXPECT_EQ(back.to_bytes(), release.to_bytes());
  FitRequest request;
  request.options = quick(method());
  const auto generator = fit(back, request);
  generator->save(folder / "saved.mehler");
  const Table first = generator->sample(300, 2);
  const Table second = Generator::from_file(folder / "saved.mehler")->sample(300, 2);
  ASSERT_EQ(first.rows(), 300u);
  for (std::size_t c = 0; c < first.columns.size(); ++c) {
    EXPECT_EQ(first.columns[c].values, second.columns[c].values);
    EXPECT_EQ(first.columns[c].is_missing, second.columns[c].is_missing);
  }
  std::filesystem::remove_all(folder);
}

TEST_P(EveryMethod, OneTableIsThePiecesOneAfterTheOther) {
  const Release release = release_of(method());
  FitRequest request;
  request.options = quick(method());
  const auto generator = fit(release, request);
  const Table whole = generator->sample(20'000);
  std::size_t rows = 0;
  std::size_t missing = 0;
  generator->sample({.rows = 20'000}, Context{}, [&](const Table& piece) {
    for (std::size_t r = 0; r < piece.rows(); ++r) {
      for (std::size_t c = 0; c < piece.columns.size(); ++c) {
        const std::vector<bool>& gaps = piece.columns[c].is_missing;
        const std::vector<bool>& all = whole.columns[c].is_missing;
        const bool is_missing = !gaps.empty() && gaps[r];
        ASSERT_EQ(!all.empty() && all[rows + r], is_missing);
        missing += is_missing ? 1 : 0;
      }
    }
    const auto& texts = std::get<std::vector<std::string>>(piece.columns[0].values);
    const auto& all = std::get<std::vector<std::string>>(whole.columns[0].values);
    EXPECT_TRUE(std::equal(texts.begin(), texts.end(), all.begin() + static_cast<long>(rows)));
    rows += piece.rows();
  });
  EXPECT_EQ(rows, whole.rows());
  EXPECT_EQ(missing > 0, method().name != "images");  // of which none can be
}

TEST_P(EveryMethod, SpendsTheWholeBudgetAndNoMore) {
  const Release release = release_of(method());
  const double epsilon = release.statement().epsilon_spent();
  EXPECT_LE(epsilon, (1.0 + 1e-9) * epsilon_for(method()));
  EXPECT_GE(epsilon, 0.999 * epsilon_for(method()));
}

TEST_P(EveryMethod, RecordsAreCountedAsDrawnOrAsRead) {
  const Release release = release_of(method());
  if (method().name == "images" || trains_on_records(method())) {
    EXPECT_FALSE(ReleaseComparison::is_possible(release));
    message_of(ErrorCode::kInvalidArgument, [&] { ReleaseComparison(release, Context{}); });
    return;  // has no counts of columns that could be compared
  }
  FitRequest request;
  request.options = quick(method());
  const auto generator = fit(release, request);
  ReleaseComparison as_drawn(release, Context{});
  ReleaseComparison as_read(release, Context{});
  generator->draw({.rows = 1000}, Context{}, [&](const Table& table, const EncodedBatch& records) {
    as_drawn.add(records);
    ArrowArrayStream stream = arrow_stream_of({table});
    as_read.add(RecordStream(&stream));
  });
  const ReleaseAgreement drawn = as_drawn.agreement();
  const ReleaseAgreement read = as_read.agreement();
  ASSERT_EQ(drawn.counts.size(), read.counts.size());
  for (std::size_t i = 0; i < read.counts.size(); ++i) {
    EXPECT_EQ(drawn.counts[i].error, read.counts[i].error);
  }
}

TEST_P(EveryMethod, RefusesOptionsThatItDoesNotHave) {
  const Release release = release_of(method());
  FitRequest request;
  request.options.add("no-such-option", "1");
  EXPECT_NE(message_of(ErrorCode::kInvalidArgument, [&] { fit(release, request); })
                .find("no option 'no-such-option'"),
            std::string::npos);
  OptionValues options;
  options.add("no-such-option", "1");
  EXPECT_NE(message_of(ErrorCode::kInvalidArgument,
                       [&] { method().check(schema_for(method()), options, {}); })
                .find("no option 'no-such-option'"),
            std::string::npos);
}

TEST(Methods, TheDefaultIsTheFirst) {
  EXPECT_EQ(methods().front().name, "marginals");
  ArrowArrayStream stream = arrow_stream_of({simulate_people(500, 1)});
  Accountant accountant({.epsilon = 1.0, .delta = 1e-6});
  EXPECT_EQ(release(PrivateTable(&stream, people_schema()), accountant).method(), "marginals");
}

TEST(Methods, WhatIsWrongWithARequestIsSaidBeforeTheBudgetIsCharged) {
  Accountant accountant({.epsilon = 1.0, .delta = 1e-6});
  const double before = accountant.left_mu_squared();
  for (const auto& [method, option] :
       {std::pair("nothing", ""), std::pair("marginals", "order"), std::pair("dp-hp", "rounds")}) {
    ArrowArrayStream stream = arrow_stream_of({simulate_people(500, 1)});
    ReleaseRequest request{.method = method};
    if (*option != '\0') {
      request.options.add(option, "1");
    }
    message_of(ErrorCode::kInvalidArgument,
               [&] { release(PrivateTable(&stream, people_schema()), accountant, request); });
    EXPECT_EQ(accountant.left_mu_squared(), before);
  }
}

TEST(Methods, OfAReleaseThatThisVersionDoesNotKnowAreRefused) {
  const Release known = release_of(methods().front());
  const Release unknown("tomorrows", known.schema(), known.payload(), known.statement());
  const std::string words = message_of(ErrorCode::kInvalidRelease, [&] { fit(unknown); });
  EXPECT_NE(words.find("'tomorrows'"), std::string::npos);
}

// The defaults of a call and those of a front end that gives no options are the same.
TEST(Methods, OptionsThatAreNotGivenAreThoseOfTheStructs) {
  const Encoder encoder(people_schema());
  EXPECT_EQ(mean_embedding_features(encoder, DpHpOptions::parse({}).features),
            mean_embedding_features(encoder, DpHpOptions().features));
  EXPECT_EQ(DpHpOptions::parse({}).product_share, DpHpOptions().product_share);
  EXPECT_EQ(DpHpOptions::parse({}).rules.accounting, DpHpOptions().rules.accounting);
  EXPECT_EQ(DpHpOptions::parse({}).rules.sensitivity, DpHpOptions().rules.sensitivity);
  const MarginalsOptions marginals = MarginalsOptions::parse({});
  EXPECT_EQ(marginals.rounds, MarginalsOptions().rounds);
  EXPECT_EQ(marginals.triples, MarginalsOptions().triples);
  EXPECT_EQ(marginals.target_weight, MarginalsOptions().target_weight);
  EXPECT_EQ(marginals.max_bytes, MarginalsOptions().max_bytes);
  const TrainingOptions training = TrainingOptions::parse({}, 1);
  EXPECT_EQ(training.epochs, TrainingOptions().epochs);
  EXPECT_EQ(training.batch_rows, TrainingOptions().batch_rows);
  EXPECT_EQ(training.learning_rate, TrainingOptions().learning_rate);
  EXPECT_EQ(training.batch_rate, TrainingOptions().batch_rate);
  EXPECT_EQ(training.weights.rule, TrainingOptions().weights.rule);
}

}  // namespace methods_test
}  // namespace mehler
