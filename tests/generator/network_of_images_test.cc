// Method dp-hp on images, from a private table to synthetic ones.

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/evaluation/release/release_agreement.h"
#include "mehler/generator/neural/training.h"
#include "mehler/release/payload.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "mehler/table/table_stream.h"
#include "tests/support/errors.h"
#include "tests/support/image_table.h"
#include "tests/support/sampled_table.h"

namespace mehler {
namespace network_of_images_test {

constexpr ImageShape kGrey{8, 4, 1};

Release release_of(const ImageShape& shape, const DpHpOptions& options = {},
                   const std::string& head = "", double epsilon = 5.0) {
  ArrowArrayStream stream = arrow_stream_of({image_table(3000, shape, 1)});
  Accountant accountant({epsilon, 1e-6});
  return release_dp_hp(PrivateTable(&stream, image_schema(shape, "", head)), options, accountant,
                       Context{2, nullptr, nullptr});
}

const Release& grey_release() {
  static const Release release = release_of(kGrey);
  return release;
}

TrainingOptions short_training(std::optional<ImageNetwork> network, std::size_t epochs = 2) {
  TrainingOptions options;
  options.image_network = network;
  options.epochs = epochs;
  options.batch_rows = 60;
  options.steps_per_epoch = 10;
  return options;
}

NetworkGenerator train(const Release& release, const TrainingOptions& options,
                       std::size_t threads = 2) {
  Trainer trainer(release, options, Context{threads, nullptr, nullptr});
  while (!trainer.is_finished()) {
    trainer.run_epoch();
  }
  return trainer.best();
}

/// The mean pixel of the first or the second half of the images of a class.
double mean_pixel(const Table& table, const std::string& label, bool second_half) {
  const auto& images = std::get<ImageValues>(table.columns[0].values);
  const auto& labels = std::get<std::vector<std::string>>(table.columns[1].values);
  const std::size_t half = images.shape.size() / 2;
  double sum = 0.0;
  double count = 0.0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    for (std::size_t i = 0; labels[row] == label && i < half; ++i) {
      sum += images.pixels[row * images.shape.size() + (second_half ? half : 0) + i];
      count += 1.0;
    }
  }
  return sum / count;
}

class NetworkOfImages : public testing::TestWithParam<ImageNetwork> {};

TEST_P(NetworkOfImages, LearnsTheImagesOfEachClass) {
  const NetworkGenerator generator = train(grey_release(), short_training(GetParam(), 20));
  const Table table = generator.sample(1500);
  ASSERT_EQ(std::get<ImageValues>(table.columns[0].values).shape, kGrey);
  ASSERT_EQ(std::get<ImageValues>(table.columns[0].values).size(), 1500u);
  EXPECT_NEAR(mean_pixel(table, "dark", false), 30.0, 25.0);
  EXPECT_NEAR(mean_pixel(table, "light", true), 225.0, 25.0);
  EXPECT_NEAR(mean_pixel(table, "mixed", false), 225.0, 40.0);
  EXPECT_NEAR(mean_pixel(table, "mixed", true), 30.0, 40.0);
}

TEST_P(NetworkOfImages, IsTheSameForAnyNumberOfThreads) {
  const TrainingOptions options = short_training(GetParam());
  const NetworkGenerator one = train(grey_release(), options, 1);
  const NetworkGenerator three = train(grey_release(), options, 3);
  EXPECT_EQ(one.to_bytes(), three.to_bytes());
  const SampleOptions wanted{.rows = 1200, .seed = 4};
  const auto images = [&](std::size_t threads) {
    return std::get<ImageValues>(sample(one, wanted, threads).columns[0].values);
  };
  EXPECT_EQ(images(1), images(3));
}

TEST_P(NetworkOfImages, ComesBackFromItsBytes) {
  const NetworkGenerator generator = train(grey_release(), short_training(GetParam()));
  const std::string bytes = generator.to_bytes();
  const std::unique_ptr<Generator> again = Generator::from_bytes(bytes, "model");
  EXPECT_EQ(again->to_bytes(), bytes);
  EXPECT_EQ(std::get<ImageValues>(again->sample(20).columns[0].values),
            std::get<ImageValues>(generator.sample(20).columns[0].values));
}

TEST_P(NetworkOfImages, GoesOnFromACheckpointAsIfNeverInterrupted) {
  const TrainingOptions options = short_training(GetParam(), 3);
  Trainer whole(grey_release(), options, Context{});
  whole.run_epoch();
  const std::string checkpoint = whole.checkpoint();
  whole.run_epoch();
  whole.run_epoch();
  Trainer resumed(grey_release(), options, Context{});
  resumed.restore(checkpoint, "checkpoint");
  resumed.run_epoch();
  resumed.run_epoch();
  EXPECT_EQ(resumed.best().to_bytes(), whole.best().to_bytes());
  // The other network is another option.
  Trainer other(
      grey_release(),
      short_training(GetParam() == ImageNetwork::kConvolutional ? ImageNetwork::kFullyConnected
                                                                : ImageNetwork::kConvolutional,
                     3),
      Context{});
  expect_mentions(
      message_of(ErrorCode::kInvalidRelease, [&] { other.restore(checkpoint, "checkpoint"); }),
      {"generator"});
}

TEST_P(NetworkOfImages, MeetsConditionsOnTheLabel) {
  const NetworkGenerator generator = train(grey_release(), short_training(GetParam()));
  SampleOptions options{.rows = 50, .seed = 2};
  options.where = {parse_condition("label=light", std::vector<std::string>{"image", "label"})};
  const Table table = sample(generator, options);
  EXPECT_EQ(std::get<std::vector<std::string>>(table.columns[1].values),
            std::vector<std::string>(50, "light"));
}

INSTANTIATE_TEST_SUITE_P(Networks, NetworkOfImages,
                         testing::Values(ImageNetwork::kFullyConnected,
                                         ImageNetwork::kConvolutional),
                         [](const auto& test) {
                           return test.param == ImageNetwork::kConvolutional ? "Convolutional"
                                                                             : "FullyConnected";
                         });

TEST(ImagesInDpHp, TheReleaseHoldsSumsOfEveryPixelAndOfPairs) {
  const NoisySums& sums = grey_release().sums();
  ASSERT_EQ(sums.blocks.size(), 22u);  // classes, the sum, 20 products
  EXPECT_EQ(sums.blocks[1].rows, 3u);
  EXPECT_EQ(sums.blocks[1].columns, 32u * 21u);
  EXPECT_EQ(sums.blocks[2].columns, 36u);
  const Release again = Release::from_bytes(grey_release().to_bytes(), "release");
  EXPECT_EQ(again.to_bytes(), grey_release().to_bytes());
  // Under either relation, with either bound and either accounting, what is spent is stated.
  DpHpOptions published;
  published.rules = {SensitivityRule::kPublished, AccountingRule::kPublished};
  for (const char* head : {"", R"("relation": "replace-one", )"}) {
    const Release release = release_of(kGrey, published, head, 1.0);
    EXPECT_GT(release.statement().noise_of(1).sigma, grey_release().statement().noise_of(1).sigma);
    EXPECT_EQ(Release::from_bytes(release.to_bytes(), "release").to_bytes(), release.to_bytes());
  }
}

TEST(ImagesInDpHp, SyntheticImagesAreComparedWithTheRelease) {
  // The private images themselves differ from the release by its noise alone.
  ReleaseComparison comparison(grey_release(), Context{});
  ArrowArrayStream stream = arrow_stream_of({image_table(3000, kGrey, 1)});
  comparison.add(RecordStream(&stream));
  const ReleaseAgreement agreement = comparison.agreement();
  EXPECT_EQ(agreement.all.sums, 3u * (1 + 32 * 21 + 20 * 36));
  EXPECT_NEAR(agreement.all.root_mean_square, 1.0, 0.1);
}

TEST(ImagesInDpHp, AFullyConnectedNetworkMakesWhatAConvolutionalOneCannot) {
  // Sides that are no multiples of 4, colour, a further column.
  const Release odd = release_of({5, 3, 3});
  EXPECT_FALSE(TrainingOptions().design(odd.schema()).convolutions);
  EXPECT_EQ(std::get<ImageValues>(train(odd, short_training({})).sample(3).columns[0].values).shape,
            (ImageShape{5, 3, 3}));
  EXPECT_TRUE(TrainingOptions().design(grey_release().schema()).convolutions);
  const auto refusal = [](const Schema& schema, ImageNetwork network) {
    return message_of(ErrorCode::kInvalidArgument,
                      [&] { short_training(network).validate(schema); });
  };
  expect_mentions(refusal(odd.schema(), ImageNetwork::kConvolutional),
                  {"5 x 3", "multiples of 4", "fully-connected"});
  const Schema further = image_schema(kGrey, R"(, {"name": "age", "kind": "integer",
                                                  "bounds": [0, 9]})");
  expect_mentions(refusal(further, ImageNetwork::kConvolutional), {"'age'", "fully-connected"});
  const Schema no_images = Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "age", "kind": "integer", "bounds": [0, 9]}]})");
  for (const ImageNetwork network : {ImageNetwork::kConvolutional, ImageNetwork::kFullyConnected}) {
    expect_mentions(refusal(no_images, network), {"generator", "no column of images"});
  }
}

TEST(ImagesInDpHp, ColourComesOutOfTheConvolutionalNetwork) {
  const Release release = release_of({4, 8, 3});
  const NetworkGenerator generator = train(release, short_training(ImageNetwork::kConvolutional));
  EXPECT_EQ(std::get<ImageValues>(generator.sample(7).columns[0].values).shape,
            (ImageShape{4, 8, 3}));
}

TEST(ImagesInDpHp, TheSmallestImagesGoThrough) {
  const Release release = release_of({1, 1, 1});
  EXPECT_EQ(release.sums().blocks.size(), 2u) << "one pixel has no pairs";
  const NetworkGenerator generator = train(release, short_training({}));
  EXPECT_EQ(std::get<ImageValues>(generator.sample(7).columns[0].values).size(), 7u);
}

}  // namespace network_of_images_test
}  // namespace mehler
