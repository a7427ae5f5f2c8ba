// Method images: from labelled images to a release, a model and labelled images.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mehler/accounting/gaussian_privacy.h"
#include "mehler/estimation/image_model.h"
#include "mehler/estimation/image_teacher.h"
#include "mehler/generator/images/image_generator.h"
#include "mehler/release/measured_sums.h"
#include "mehler/synthesis/images/image_subspace.h"
#include "mehler/synthesis/images/release_images.h"
#include "mehler/synthesis/methods.h"
#include "mehler/table/table_stream.h"
#include "tests/support/errors.h"
#include "tests/support/labelled_shapes.h"

namespace mehler {
namespace images_test {

Context with_threads(std::size_t threads) {
  Context context;
  context.threads = threads;
  return context;
}

constexpr std::size_t kRecords = 4000;

ImagesOptions quick_options() {
  ImagesOptions options;
  options.candidates = 2000;
  options.teacher.batches = 300;
  return options;
}

Release release_of(const Schema& schema, double epsilon, const ImagesOptions& options) {
  ArrowArrayStream stream = arrow_stream_of({draw_shapes(kRecords, 1)});
  Accountant accountant({.epsilon = epsilon, .delta = 1e-5});
  return release_images(PrivateTable(&stream, schema), options, accountant, with_threads(2));
}

/// Made once: what it takes is the same for all tests.
const Release& shapes_release() {
  static const Release kRelease = release_of(shapes_schema(), 3.0, quick_options());
  return kRelease;
}

const std::vector<std::string>& labels_of(const Table& table) {
  return std::get<std::vector<std::string>>(table.columns[0].values);
}
const ImageValues& images_of(const Table& table) {
  return std::get<ImageValues>(table.columns[1].values);
}

/// How many lying and standing shapes an image's sums of rows and columns tell apart: a lying bar
/// has fewer bright rows than columns.
bool looks_standing(const std::uint8_t* pixels) {
  double of_rows = 0.0;
  double of_columns = 0.0;
  for (int a = 0; a < 8; ++a) {
    double row = 0.0;
    double column = 0.0;
    for (int b = 0; b < 8; ++b) {
      row += pixels[8 * a + b];
      column += pixels[8 * b + a];
    }
    of_rows += row * row;
    of_columns += column * column;
  }
  return of_columns > of_rows;
}

double agreement_of(const Table& table) {
  double agreeing = 0.0;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const bool stands = labels_of(table)[r] == "standing";
    agreeing += looks_standing(&images_of(table).pixels[64 * r]) == stands ? 1.0 : 0.0;
  }
  return agreeing / static_cast<double>(table.rows());
}

TEST(ImagesMethod, DrawsImagesThatLookLikeTheirLabels) {
  ASSERT_GT(agreement_of(draw_shapes(1000, 5)), 0.95);  // the test tells real ones apart
  for (const auto style : {ImageFitOptions::Style::kBroad, ImageFitOptions::Style::kPlain}) {
    const ImageGenerator generator(shapes_release(), {.style = style});
    const Table drawn = generator.sample(2000, 3);
    ASSERT_EQ(drawn.rows(), 2000u);
    ASSERT_EQ(images_of(drawn).pixels.size(), 2000u * 64u);
    EXPECT_GT(agreement_of(drawn), 0.85);
    EXPECT_EQ(std::count(labels_of(drawn).begin(), labels_of(drawn).end(), "lying"), 1000);
  }
}

TEST(ImagesMethod, ChargesSpendTheBudgetAndAreThoseOfTheSums) {
  const Release& release = shapes_release();
  EXPECT_EQ(release.method(), "images");
  EXPECT_NEAR(release.statement().epsilon_spent(), 3.0, 1e-6);
  EXPECT_LE(release.statement().epsilon_spent(), 3.0 + 1e-9);
  // Again, from the blocks alone.
  double mu_squared = 0.0;
  std::map<std::string, double> by_step;
  const std::vector<CountBlock>& blocks = release.counts().counts.blocks();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const double sigma = release.statement().noise_of(i).sigma;
    const double mu = blocks[i].sensitivity(NeighbourRelation::kAddRemoveOne) / sigma;
    mu_squared += mu * mu;
    by_step[blocks[i].step] += mu * mu;
  }
  EXPECT_LE(epsilon_of_gaussian(std::sqrt(mu_squared), 1e-5), 3.0 + 1e-9);
  const ImagesOptions shares;
  const auto part = [&](std::string_view step) { return by_step[std::string(step)] / mu_squared; };
  EXPECT_NEAR(part(image_steps::kLengths), shares.length_share / 2, 1e-6);
  EXPECT_NEAR(part(image_steps::kScatter), shares.scatter_share, 1e-6);
  EXPECT_NEAR(part(image_steps::kClassScatters), shares.class_scatter_share, 1e-6);
  EXPECT_NEAR(part(image_steps::kTeacher), shares.teacher_share, 1e-6);
}

// Labels are computed without the vectors that rounds were measured of: with those they must be the
// largest logits.
TEST(ImagesMethod, LabelsAreWhatTheTeachersWeightsSayOfItsFeatures) {
  const Release& release = shapes_release();
  double mu_squared = 0.0;
  for (std::size_t i = 0; i < release.counts().blocks.size(); ++i) {
    mu_squared += release.statement().noise_of(i).mu_squared();
  }
  const std::vector<MeasuredSum> rounds = sums_of_step(release, image_steps::kTeacher);
  const double strength = image_strength(mu_squared, kRecords, 1.0);
  Teacher teacher(*rounds.front().sum.weights, kRecords,
                  image_teacher_plan(strength, rounds.size()));
  for (const MeasuredSum& round : rounds) {
    teacher.step(round.values);
  }
  const std::vector<double> weights = teacher.learnt();
  const ImageVector& features = *rounds.front().sum.image;
  ASSERT_GT(features.direction_count(), 1u);

  constexpr std::size_t kRows = 500;
  const std::vector<std::uint8_t> pixels = images_of(draw_shapes(kRows, 7)).pixels;
  const std::vector<std::uint32_t> labels = LearntImageTeacher::of(release, kRecords).label(pixels);
  ASSERT_EQ(labels.size(), kRows);
  std::vector<double> vectors(kRows * features.dimension());
  features.evaluate(scores_of(*features.scores, pixels), std::vector<std::uint32_t>(kRows), vectors,
                    {});
  const std::size_t classes = weights.size() / features.dimension();
  std::set<std::uint32_t> seen;
  for (std::size_t r = 0; r < kRows; ++r) {
    std::vector<double> logits(classes);
    add_logits(std::span(vectors).subspan(r * features.dimension(), features.dimension()), weights,
               logits);
    // Single precision may turn what is as good as equal.
    EXPECT_GE(logits[labels[r]], *std::max_element(logits.begin(), logits.end()) - 1e-4) << r;
    seen.insert(labels[r]);
  }
  EXPECT_EQ(seen.size(), 2u);
}

TEST(ImagesMethod, ASampleIsTheSameForAnyThreadsAndABeginningOfALongerOne) {
  const ImageGenerator generator(shapes_release(), {});
  const Table one = generator.sample(2500, 7, with_threads(1));
  const Table three = generator.sample(2500, 7, with_threads(3));
  EXPECT_EQ(images_of(one), images_of(three));
  EXPECT_EQ(labels_of(one), labels_of(three));
  const Table few = generator.sample(1200, 7, with_threads(2));
  EXPECT_TRUE(std::equal(images_of(few).pixels.begin(), images_of(few).pixels.end(),
                         images_of(one).pixels.begin()));
  EXPECT_NE(images_of(generator.sample(1200, 8)), images_of(few));
}

TEST(ImagesMethod, HoldsToALabel) {
  const ImageGenerator generator(shapes_release(), {});
  std::size_t rows = 0;
  generator.sample({.rows = 700, .seed = 2, .where = {{"shape", "standing"}}}, Context{},
                   [&](const Table& table) {
                     rows += table.rows();
                     for (const std::string& label : labels_of(table)) {
                       EXPECT_EQ(label, "standing");
                     }
                   });
  EXPECT_EQ(rows, 700u);
  message_of(ErrorCode::kInvalidArgument, [&] {
    generator.check_conditions({{"shape", "falling"}});
  });
}

TEST(ImagesMethod, AModelIsReadBackWithItsStyle) {
  const ImageGenerator plain(shapes_release(), {.style = ImageFitOptions::Style::kPlain});
  const std::string bytes = plain.to_bytes();
  EXPECT_EQ(images_of(Generator::from_bytes(bytes, "m")->sample(500, 4)),
            images_of(plain.sample(500, 4)));
  const ImageGenerator broad(shapes_release(), {});
  EXPECT_NE(images_of(broad.sample(500, 4)), images_of(plain.sample(500, 4)));
}

TEST(ImagesMethod, MeasuredLabelsHaveTheSharesOfTheRecords) {
  const ImageGenerator generator(shapes_release(), {.labels = ImageFitOptions::Labels::kMeasured});
  const Table drawn = generator.sample(3000, 1);
  const Table real = draw_shapes(kRecords, 1);
  const auto share = [](const Table& table) {
    const auto& labels = labels_of(table);
    return static_cast<double>(std::count(labels.begin(), labels.end(), "lying")) /
           static_cast<double>(labels.size());
  };
  EXPECT_NEAR(share(drawn), share(real), 0.03);
}

TEST(ImagesMethod, AClassWithFewRecordsHasTheirShareAndNoMore) {
  Table shapes = draw_shapes(kRecords, 1);
  auto& labels = std::get<std::vector<std::string>>(shapes.columns[0].values);
  std::fill(labels.begin(), labels.end(), "lying");
  ArrowArrayStream stream = arrow_stream_of({shapes});
  Accountant accountant({.epsilon = 100.0, .delta = 1e-5});
  const Release release = release_images(PrivateTable(&stream, shapes_schema()), quick_options(),
                                         accountant, with_threads(2));
  const ImageGenerator generator(release, {.labels = ImageFitOptions::Labels::kMeasured});
  const auto drawn = labels_of(generator.sample(4000, 1));
  // 50 would be wrong; the noise of the released number is below 1, six of which are less than 10.
  EXPECT_LE(std::count(drawn.begin(), drawn.end(), "standing"), 10);
  const MeasuredSum means = sum_of_step(release, image_steps::kClassMeans, SumKind::kMeans);
  EXPECT_EQ(released_class_counts(means).size(), 2u);
  EXPECT_EQ(class_counts(means)[1], 50.0);
  EXPECT_TRUE(
      hardly_known_classes(sum_of_step(shapes_release(), image_steps::kClassMeans, SumKind::kMeans))
          .empty());
}

TEST(ImagesMethod, NoLabelIsMissingAmongEqualShares) {
  const Schema schema = Schema::from_json(R"({"mehler_schema": 1, "target": "shape", "columns": [
      {"name": "shape", "kind": "categorical", "categories": ["lying", "standing"],
       "missing": true},
      {"name": "image", "kind": "image", "shape": [8, 8, 1]}]})");
  const Table drawn = fit(release_of(schema, 3.0, quick_options()))->sample(1000, 3);
  EXPECT_EQ(
      std::count(drawn.columns[0].is_missing.begin(), drawn.columns[0].is_missing.end(), true), 0);
  EXPECT_EQ(std::count(labels_of(drawn).begin(), labels_of(drawn).end(), "lying"), 500);
}

TEST(ImagesMethod, AReleaseThatLacksAPartIsRefused) {
  const Release& whole = shapes_release();
  const NoisyCounts& counts = whole.counts();
  for (const std::string_view step : {image_steps::kScatter, image_steps::kClassMeans,
                                      image_steps::kClassScatters, image_steps::kTeacher}) {
    // Its sums are there, but for something else.
    std::vector<CountBlock> blocks = counts.counts.blocks();
    for (CountBlock& block : blocks) {
      block.step = block.step == step ? "something else" : block.step;
    }
    const Release part("images", whole.schema(),
                       NoisyCounts{CountSet(whole.encoder(), std::move(blocks)), counts.blocks},
                       whole.statement());
    message_of(ErrorCode::kInvalidRelease, [&] { fit(part); });
  }
}

TEST(ImagesMethod, CellsAreMeasuredWhereTheBudgetAllows) {
  ImagesOptions options = quick_options();
  options.records_per_cell = 100.0;
  options.fewest_cells = 2;
  const Release release = release_of(shapes_schema(), 3.0, options);
  EXPECT_EQ(sums_of_step(release, image_steps::kCells).size(), 3u);
  EXPECT_NEAR(release.statement().epsilon_spent(), 3.0, 1e-6);
  EXPECT_GT(agreement_of(fit(release)->sample(1000, 3)), 0.8);
}

TEST(ImagesMethod, RunsWhereTheNumberOfRecordsIsPublic) {
  const Release release =
      release_of(shapes_schema(R"("relation": "replace-one", )"), 3.0, quick_options());
  EXPECT_EQ(release.record_count(), static_cast<double>(kRecords));
  EXPECT_NEAR(release.statement().epsilon_spent(), 3.0, 1e-6);
  EXPECT_GT(agreement_of(fit(release)->sample(1000, 3)), 0.8);
}

// Noise is nearly all that there is: a release like any other, or a refusal by noisy numbers.
TEST(ImagesMethod, OfFewRecordsItIsAReleaseOrARefusalInWords) {
  for (const std::size_t rows : {0, 40}) {
    ArrowArrayStream stream = arrow_stream_of({draw_shapes(rows, 1)});
    Accountant accountant({.epsilon = 1.0, .delta = 1e-5});
    ImagesOptions options = quick_options();
    options.candidates = 1000;
    options.teacher.batches = 50;
    try {
      const Release release = release_images(PrivateTable(&stream, shapes_schema()), options,
                                             accountant, with_threads(2));
      EXPECT_EQ(fit(release)->sample(100, 3).rows(), 100u);
    } catch (const Error& error) {
      EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(ErrorCode::kInvalidTable));
      expect_mentions(error.what(), {"epsilon", "counts as spent"});
    }
  }
}

// The noise of the number of records is 68: it is below 2, and the release refused, with a
// probability of 6e-6 in each run. Of the lengths it is 74 in each of 64 cells, and hides them.
TEST(ImagesMethod, AFewHundredRecordsAreAReleaseAtASmallBudget) {
  ImagesOptions options = quick_options();
  options.candidates = 1000;
  options.teacher.batches = 50;
  for (int run = 0; run < 3; ++run) {
    ArrowArrayStream stream = arrow_stream_of({draw_shapes(300, 1)});
    Accountant accountant({.epsilon = 1.0, .delta = 1e-5});
    const Release release = release_images(PrivateTable(&stream, shapes_schema()), options,
                                           accountant, with_threads(2));
    EXPECT_EQ(fit(release)->sample(100, 3).rows(), 100u);
  }
}

TEST(ImagesMethod, IsTheDefaultOfTablesWithImages) {
  EXPECT_EQ(default_method(shapes_schema()).name, "images");
}

TEST(ImagesMethod, RefusesTablesThatItIsNotFor) {
  const auto refused = [](const std::string& target, const std::string& columns,
                          std::initializer_list<const char*> words) {
    const Schema schema =
        Schema::from_json(R"({"mehler_schema": 1, )" + target + R"("columns": [)" + columns + "]}");
    expect_mentions(message_of(ErrorCode::kInvalidArgument,
                               [&] { find_method("images").check(schema, {}, {}); }),
                    words);
  };
  const std::string label = R"({"name": "y", "kind": "categorical", "categories": ["a", "b"]})";
  const std::string image = R"({"name": "x", "kind": "image", "shape": [8, 8, 1]})";
  const std::string age = R"({"name": "age", "kind": "integer", "bounds": [0, 9]})";
  refused(R"("target": "y", )", label, {"no image"});
  refused("", image + ", " + label, {"no target"});
  refused("", image, {"no target"});
  refused(R"("target": "age", )", image + ", " + age, {"'age'", "categories"});
  refused(R"("target": "age", )", image + ", " + label + ", " + age, {"'age'", "categories"});
  const std::string one = R"({"name": "y", "kind": "categorical", "categories": ["a"]})";
  refused(R"("target": "y", )", image + ", " + one + ", " + age, {"'y'", "2 to 64"});
}

TEST(ImagesOptions, AreThoseOfTheStructAndHaveRanges) {
  const ImagesOptions parsed = ImagesOptions::parse({});
  EXPECT_EQ(parsed.scatter_share, ImagesOptions().scatter_share);
  EXPECT_EQ(parsed.candidates, ImagesOptions().candidates);
  EXPECT_EQ(parsed.max_bytes, ImagesOptions().max_bytes);
  for (const auto& [name, text] :
       {std::pair("teacher-share", "-1"), std::pair("teacher-share", "nan"),
        std::pair("candidates", "3"), std::pair("cell-share", "0.2"),
        std::pair("columns-share", "0"), std::pair("columns-share", "1"),
        std::pair("gradient-radius", "0")}) {
    OptionValues values;
    values.add(name, text);
    expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { ImagesOptions::parse(values); }),
                    {name});
  }
}

TEST(ImageSubspace, HasWhatStandsOutAndAFewMore) {
  Dense scatter(40, 40);
  for (std::size_t i = 0; i < 40; ++i) {
    scatter.at(i, i) = i < 10 ? 20.0 - static_cast<double>(i) : 1.0;
  }
  const ImageSubspace found = find_image_subspace(scatter, 2.0, ImagesOptions());
  EXPECT_EQ(found.seen, 10u);
  ASSERT_EQ(found.count(), 11u);  // .9 of them, and 2
  EXPECT_NEAR(found.variances[0], 0.5 * (20.0 + std::sqrt(396.0)), 1e-9);
  EXPECT_NEAR(found.variances[10], 0.6 * found.variances[9], 1e-9);
  // Noise alone: two directions, for want of better.
  const ImageSubspace nothing = find_image_subspace(scatter, 100.0, ImagesOptions());
  EXPECT_EQ(nothing.seen, 2u);
  EXPECT_EQ(nothing.count(), 3u);
}

}  // namespace images_test
}  // namespace mehler
