#include "mehler/evaluation/images/image_evaluation.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mehler/evaluation/evaluate.h"
#include "mehler/evaluation/evaluation_figures.h"
#include "mehler/images/gradient_features.h"
#include "tests/support/errors.h"
#include "tests/support/image_table.h"
#include "tests/support/labelled_shapes.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace image_evaluation_test {

/// Images and their classes, in memory.
struct ShapeSet {
  ShapeSet(std::size_t count, std::uint64_t seed) : table(draw_shapes(count, seed)) {
    for (const std::string& label : std::get<std::vector<std::string>>(table.columns[0].values)) {
      classes.push_back(label == "lying" ? 0 : 1);
    }
  }

  EvaluatedImages images() const {
    const auto& values = std::get<ImageValues>(table.columns[1].values);
    return {values.shape, classes.size(), values.pixels, classes, 2};
  }

  Table table;
  std::vector<std::uint16_t> classes;
};

ImageClassifierScore score_of_network(const ShapeSet& training, const ShapeSet& test,
                                      std::size_t threads, std::size_t epochs = 10) {
  return train_and_test(image_network({8, 8, 1}, 2), training.images(), test.images(), {epochs, 7},
                        Context{threads, nullptr, nullptr});
}

TEST(ImageNetwork, HasTwoConvolutionsAndTwoDenseLayers) {
  const ImageClassifier network = image_network({28, 28, 1}, 10);
  std::size_t convolutions = 0;
  std::size_t dense = 0;
  for (const Layer& layer : network.layers) {
    convolutions += std::holds_alternative<ConvolutionLayer>(layer) ? 1 : 0;
    dense += std::holds_alternative<DenseLayer>(layer) ? 1 : 0;
  }
  EXPECT_EQ(convolutions, 2U);
  EXPECT_EQ(dense, 2U);
  expect_mentions(network.words, {"32 channels", "64 channels", "dense 3136 to 128", "to 10"});
}

TEST(ImageNetwork, LearnsLyingAndStandingBars) {
  const ShapeSet training(400, 1);
  const ImageClassifierScore score = score_of_network(training, ShapeSet(300, 2), 1);
  EXPECT_GT(score.accuracy, 0.95);
  EXPECT_EQ(score.trained_on, 400U);
  EXPECT_EQ(score.tested_on, 300U);
  ASSERT_EQ(score.by_class.size(), 2U);
  EXPECT_GT(*score.by_class[0], 0.9);
  EXPECT_GT(*score.by_class[1], 0.9);
}

TEST(ImageNetwork, LearnsExchangedLabelsAsTheyAre) {
  ShapeSet training(400, 1);
  for (std::uint16_t& label : training.classes) {
    label = static_cast<std::uint16_t>(1 - label);
  }
  EXPECT_LT(score_of_network(training, ShapeSet(300, 2), 1).accuracy, 0.05);
}

TEST(ImageNetwork, IsTheSameForAnyNumberOfThreads) {
  // One epoch of few images leaves scores near one another: any difference would show.
  const ShapeSet training(150, 1);
  const ShapeSet test(400, 2);
  const ImageClassifierScore alone = score_of_network(training, test, 1, 1);
  for (const std::size_t threads : {2, 5}) {
    const ImageClassifierScore found = score_of_network(training, test, threads, 1);
    EXPECT_EQ(found.accuracy, alone.accuracy);
    EXPECT_EQ(found.by_class, alone.by_class);
  }
}

TEST(ImageNetwork, TakesTheSmallestImagesAndSetsAndColour) {
  for (const ImageShape& shape : {ImageShape{4, 4, 1}, ImageShape{5, 7, 3}}) {
    const Table table = image_table(40, shape, 3);
    const auto& values = std::get<ImageValues>(table.columns[0].values);
    const std::vector<std::uint16_t> classes(40, 1);
    const EvaluatedImages images{shape, 40, values.pixels, classes, 3};
    const EvaluatedImages one{shape, 1, std::span(values.pixels).first(shape.size()),
                              std::span(classes).first(1), 3};
    const ImageClassifierScore score =
        train_and_test(image_network(shape, 3), one, images, {10, 1}, {});
    EXPECT_EQ(score.accuracy, 1.0);  // one class is all that it has seen
    EXPECT_FALSE(score.by_class[0].has_value());
    EXPECT_EQ(*score.by_class[1], 1.0);
  }
}

TEST(ImageNetwork, RefusesSetsWithoutLabels) {
  ShapeSet unlabelled(10, 1);
  unlabelled.classes.assign(10, 2);
  const ShapeSet labelled(10, 2);
  expect_mentions(
      message_of(ErrorCode::kInvalidTable, [&] { score_of_network(unlabelled, labelled, 1); }),
      {"train on", "label"});
  expect_mentions(
      message_of(ErrorCode::kInvalidTable, [&] { score_of_network(labelled, unlabelled, 1); }),
      {"test on", "label"});
}

TEST(ImageNetwork, StopsOnRequest) {
  const ShapeSet set(100, 1);
  const std::atomic<bool> cancelled = true;
  EXPECT_NE(message_of(ErrorCode::kCancelled,
                       [&] {
                         train_and_test(image_network({8, 8, 1}, 2), set.images(), set.images(),
                                        {10, 1}, Context{1, nullptr, &cancelled});
                       }),
            "");
}

/// The distance again, from its definition.
double distance_of_means(const EvaluatedImages& a, const EvaluatedImages& b, std::size_t which) {
  const GradientFeatures features(a.shape);
  const auto mean = [&](const EvaluatedImages& images) {
    std::vector<double> sum(features.dimension(), 0.0);
    double count = 0.0;
    for (std::size_t i = 0; i < images.count; ++i) {
      if (which == images.class_count || images.class_of(i) == which) {
        std::vector<float> pixels;
        for (const std::uint8_t byte : images.image(i)) {
          pixels.push_back(static_cast<float>(byte) / 255.0F);
        }
        std::vector<float> found(features.dimension());
        features.compute(pixels, found);
        std::transform(found.begin(), found.end(), sum.begin(), sum.begin(),
                       [](float x, double y) { return static_cast<double>(x) + y; });
        count += 1.0;
      }
    }
    for (double& value : sum) {
      value /= count;
    }
    return sum;
  };
  const std::vector<double> of_a = mean(a);
  const std::vector<double> of_b = mean(b);
  return std::transform_reduce(of_a.begin(), of_a.end(), of_b.begin(), 0.0, std::plus<>(),
                               [](double x, double y) { return (x - y) * (x - y); });
}

TEST(FeatureDistance, IsThatOfTheMeansOfAllAndOfEachClass) {
  const ShapeSet real(90, 1);
  const ShapeSet synthetic(70, 2);
  const FeatureDistances found = compare_features(real.images(), synthetic.images(), 1, {});
  EXPECT_NEAR(*found.total.distance, distance_of_means(real.images(), synthetic.images(), 2), 1e-6);
  ASSERT_EQ(found.by_class.size(), 2U);
  for (const std::size_t c : {0, 1}) {
    EXPECT_NEAR(*found.by_class[c].distance,
                distance_of_means(real.images(), synthetic.images(), c), 1e-6);
  }
  EXPECT_EQ(found.features, GradientFeatures({8, 8, 1}).dimension());
}

TEST(FeatureDistance, OfASetWithItselfIsZeroAndOfOneKindIsAboutTheFloor) {
  const ShapeSet real(400, 1);
  const FeatureDistances itself = compare_features(real.images(), real.images(), 1, {});
  EXPECT_LT(*itself.total.distance, 1e-20);
  const FeatureDistances alike = compare_features(real.images(), ShapeSet(400, 2).images(), 1, {});
  EXPECT_LT(*alike.total.distance, 3.0 * *alike.total.floor);
  ShapeSet lying(400, 3);
  lying.classes.assign(400, 0);  // both kinds of bars under one label
  const FeatureDistances apart = compare_features(real.images(), lying.images(), 1, {});
  EXPECT_GT(*apart.by_class[0].distance, 3.0 * *apart.by_class[0].floor);
  EXPECT_FALSE(apart.by_class[1].distance.has_value());
  EXPECT_TRUE(apart.by_class[1].floor.has_value());
}

TEST(FeatureDistance, IsTheSameForAnyNumberOfThreads) {
  const ShapeSet real(600, 1);
  const ShapeSet synthetic(70, 2);
  const FeatureDistances alone = compare_features(real.images(), synthetic.images(), 1, {});
  const FeatureDistances together =
      compare_features(real.images(), synthetic.images(), 1, Context{3, nullptr, nullptr});
  EXPECT_EQ(alone.total.distance, together.total.distance);
  EXPECT_EQ(alone.total.floor, together.total.floor);
}

EvaluatedTable evaluated(Table table) { return {"the table", {part_of({std::move(table)})}}; }

TEST(EvaluationOfImages, HasTheFiguresOfImagesAndOfOtherColumns) {
  EvaluationRequest request;
  request.epochs = 2;
  std::vector<std::string> parts;
  request.on_part = [&](const std::string& part) { parts.push_back(part); };
  const Table real = draw_shapes(120, 1);
  const Evaluation found = evaluate(shapes_schema(), evaluated(real), evaluated(real),
                                    evaluated(draw_shapes(60, 3)), request);
  const EvaluationFigures& figures = found.figures();
  ASSERT_TRUE(figures.images.has_value());
  EXPECT_EQ(figures.images->target, "shape");
  EXPECT_EQ(figures.images->exact_matches, 1.0);
  EXPECT_EQ(figures.images->real_counts, figures.images->synthetic_counts);
  EXPECT_EQ(figures.images->real_counts[0] + figures.images->real_counts[1], 120U);
  EXPECT_LT(*figures.images->features.total.distance, 1e-20);
  EXPECT_EQ(figures.images->network->synthetic.trained_on, 120U);
  EXPECT_EQ(figures.images->network->training->trained_on, 60U);
  EXPECT_EQ(figures.images->linear->synthetic.tested_on, 120U);
  ASSERT_EQ(figures.evaluation.columns.size(), 1U);
  EXPECT_EQ(*figures.evaluation.columns[0].score, 1.0);
  EXPECT_FALSE(figures.evaluation.training.has_value());
  EXPECT_NE(std::find(parts.begin(), parts.end(), "training a network"), parts.end());
}

TEST(EvaluationOfImages, SaysWhyThereIsNoNetwork) {
  const auto reason = [](const Schema& schema, const Table& table, bool is_wanted) {
    EvaluationRequest request;
    request.image_classifiers = is_wanted;
    request.epochs = 1;
    const Evaluation found = evaluate(schema, evaluated(table), evaluated(table), {}, request);
    EXPECT_FALSE(found.figures().images->network.has_value());
    EXPECT_TRUE(found.figures().images->features.total.distance.has_value());
    return found.figures().images->no_network;
  };
  const ImageShape thin{3, 9, 1};
  expect_mentions(reason(image_schema(thin), image_table(30, thin, 1), true), {"at least 4 x 4"});
  const Schema shapes = shapes_schema();
  expect_mentions(reason(shapes, draw_shapes(20, 1), false), {"request"});
  expect_mentions(reason(Schema(shapes.columns()), draw_shapes(20, 1), true), {"no target"});
  Table images_alone = draw_shapes(20, 1);
  images_alone.columns.erase(images_alone.columns.begin());
  expect_mentions(reason(Schema({shapes.columns()[1]}), images_alone, true), {"no target"});
}

TEST(EvaluationOfImages, RefusesWhatHasNoMeaning) {
  const auto message = [](EvaluationRequest request) {
    return message_of(ErrorCode::kInvalidArgument, [&] { request.validate(shapes_schema()); });
  };
  EvaluationRequest request;
  request.epochs = 0;
  expect_mentions(message(request), {"epochs", "[1, 1000]", "but is 0"});
  request.epochs = 1001;
  expect_mentions(message(request), {"epochs", "but is 1001"});
  request = {};
  request.target = "image";
  expect_mentions(message(request), {"'image'", "categorical"});
  request.target = "shap";
  expect_mentions(message(request), {"'shap'", "shape"});
  request.target = "shape";
  request.positive = "lying";
  expect_mentions(message(request), {"positive", "other columns"});
}

TEST(EvaluationOfImages, RefusesLabelsThatAreNotDeclared) {
  Table other = draw_shapes(20, 1);
  std::get<std::vector<std::string>>(other.columns[0].values)[3] = "leaning";
  expect_mentions(message_of(ErrorCode::kInvalidTable,
                             [&] {
                               evaluate(shapes_schema(), evaluated(draw_shapes(20, 2)),
                                        {"the table 'odd'", {part_of({other})}});
                             }),
                  {"the table 'odd'", "'shape'", "1 of 20", "declare"});
}

}  // namespace image_evaluation_test
}  // namespace mehler
