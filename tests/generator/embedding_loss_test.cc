#include "mehler/generator/neural/embedding_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mehler/demo/people.h"
#include "mehler/generator/neural/embedding_trainer.h"
#include "mehler/release/payload.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "mehler/table/table_stream.h"
#include "tests/support/image_table.h"

namespace mehler {
namespace embedding_loss_test {

const Release& people_release() {
  static const Release release = [] {
    ArrowArrayStream stream = arrow_stream_of({simulate_people(2000, 1)});
    Accountant accountant({1.0, 1e-6});
    DpHpOptions measured;
    EmbeddingOptions& options = measured.features;
    options.column_weights["hours"] = 2.0;
    // Numbers that may be missing, numbers, categories; one, two and three maps.
    options.product.named = {
        {"age", "region", "income"}, {"income", "hours"}, {"hours"}, {"region"}};
    options.product.order = 4;
    options.product.weight = 5.0;
    return release_dp_hp(PrivateTable(&stream, people_schema()), measured, accountant, Context{});
  }();
  return release;
}

/// Random Fourier features, of numbers of which one may be missing, and products over directions.
const Release& fourier_release() {
  static const Release release = [] {
    const Schema schema = Schema::from_json(R"({"mehler_schema": 1, "target": "t", "columns": [
        {"name": "x", "kind": "numeric", "bounds": [-2, 2]},
        {"name": "y", "kind": "numeric", "bounds": [0, 1]},
        {"name": "m", "kind": "numeric", "bounds": [0, 1], "missing": true},
        {"name": "c", "kind": "categorical", "categories": ["a", "b", "d"]},
        {"name": "t", "kind": "boolean"}]})");
    Table table;
    SeededRandom random(5);
    std::vector<double> numbers[2];
    std::vector<bool> missing;
    std::vector<std::string> codes;
    std::vector<std::int64_t> labels;
    for (int i = 0; i < 500; ++i) {
      numbers[0].push_back(random.normal());
      numbers[1].push_back(random.uniform());
      missing.push_back(random.flip(0.2));
      codes.emplace_back(1, "abd"[random.next_word() % 3]);
      labels.push_back(random.flip(0.3) ? 1 : 0);
    }
    table.columns = {{"x", ColumnKind::kNumeric, numbers[0], {}},
                     {"y", ColumnKind::kNumeric, numbers[1], {}},
                     {"m", ColumnKind::kNumeric, numbers[1], missing},
                     {"c", ColumnKind::kCategorical, codes, {}},
                     {"t", ColumnKind::kBoolean, labels, {}}};
    ArrowArrayStream stream = arrow_stream_of({table});
    Accountant accountant({1.0, 1e-6});
    DpHpOptions options;
    options.features.sum = false;
    options.features.fourier = {300, 0.4, 7};
    options.features.product.linear = {{{"x", "y"}, {{2.0, 0.5}, {-1.0, 3.0}}}};
    return release_dp_hp(PrivateTable(&stream, schema), options, accountant, Context{});
  }();
  return release;
}

/// Images of several channels beside a column of numbers, and products of their pixels.
Release release_of_images(const ImageShape& shape, std::size_t order, double length_scale) {
  Table table = image_table(500, shape, 4);
  std::vector<double> numbers(500);
  SeededRandom random(6);
  for (double& number : numbers) {
    number = random.uniform();
  }
  table.columns.push_back({"x", ColumnKind::kNumeric, numbers, {}});
  ArrowArrayStream stream = arrow_stream_of({table});
  Accountant accountant({1.0, 1e-6});
  DpHpOptions options;
  options.features.order = order;
  options.features.length_scale = length_scale;
  options.features.product.columns = 2;
  options.features.product.subsets = 15;
  return release_dp_hp(PrivateTable(&stream, image_schema(shape, R"(, {"name": "x",
                                                          "kind": "numeric", "bounds": [0, 1]})")),
                       options, accountant, Context{});
}

/// Random Fourier features of all pixels together, beside a column of numbers.
const Release& pixel_fourier_release() {
  static const Release release = [] {
    ArrowArrayStream stream = arrow_stream_of({image_table(500, {3, 2, 3}, 4)});
    Accountant accountant({1.0, 1e-6});
    DpHpOptions options;
    options.features = {.sum = false, .fourier = {.frequencies = 300}};
    return release_dp_hp(PrivateTable(&stream, image_schema({3, 2, 3}, "")), options, accountant,
                         Context{});
  }();
  return release;
}

const Release& image_release() {
  static const Release release = release_of_images({2, 1, 3}, 20, 0.15);
  return release;
}

EmbeddingTarget target_of(const Release& release) {
  EmbeddingTarget target;
  for (std::size_t c = 0; c < release.sums().blocks[0].rows; ++c) {
    target.class_counts.push_back(release.sums().blocks[0].at(c, 0));
  }
  for (std::size_t b = 1; b < release.sums().blocks.size(); ++b) {
    target.sigmas.push_back(release.statement().noise_of(b).sigma);
    target.sums.emplace_back();
    for (std::size_t row = 0; row < release.sums().blocks[b].rows; ++row) {
      for (std::size_t i = 0; i < release.sums().blocks[b].columns; ++i) {
        target.sums.back().push_back(release.sums().blocks[b].at(row, i));
      }
    }
  }
  return target;
}

std::vector<double> soft_features(const FeatureMap& map, const SoftBatch& batch, std::size_t row) {
  if (map.kind() == FeatureMap::Kind::kOneHot) {
    const auto probabilities = batch.columns[map.column()].probabilities.row(row);
    return {probabilities.begin(), probabilities.end()};
  }
  if (map.kind() == FeatureMap::Kind::kPixels) {
    const std::size_t of_byte = map.dimension() / map.elements();
    std::vector<double> result(map.dimension());
    for (std::size_t byte = 0; byte < map.elements(); ++byte) {
      const float number = batch.columns[map.column()].numbers[row * map.elements() + byte];
      map.hermite().evaluate(static_cast<double>(number), &result[byte * of_byte]);
    }
    return result;
  }
  if (map.kind() == FeatureMap::Kind::kMissing) {
    return {1.0 - static_cast<double>(batch.columns[map.column()].presence[row])};
  }
  if (map.kind() == FeatureMap::Kind::kFourierOfPixels) {
    const auto& bytes = batch.columns[map.column()].numbers;
    const std::size_t count = map.random_fourier().inputs();
    const std::vector<double> numbers(
        bytes.begin() + static_cast<std::ptrdiff_t>(row * count),
        bytes.begin() + static_cast<std::ptrdiff_t>((row + 1) * count));
    std::vector<double> phi(map.dimension());
    map.random_fourier().evaluate(numbers.data(), phi.data());
    return phi;
  }
  std::vector<double> numbers;
  double sum = 0.0;
  double presence = 1.0;
  for (const MapInput& input : map.inputs()) {
    const SoftColumn& column = batch.columns[input.column];
    const std::size_t bytes = column.numbers.size() / batch.rows;
    const std::size_t place = input.element ? row * bytes + *input.element : row;
    numbers.push_back(static_cast<double>(column.numbers[place]));
    sum += input.coefficient * numbers.back();
    const double here = column.presence.empty() ? 1.0 : static_cast<double>(column.presence[row]);
    presence *= here;
    if (map.kind() == FeatureMap::Kind::kFourier) {
      numbers.back() *= here;
    }
  }
  std::vector<double> phi(map.dimension());
  if (map.kind() == FeatureMap::Kind::kFourier) {
    map.random_fourier().evaluate(numbers.data(), phi.data());
    return phi;
  }
  map.hermite().evaluate(sum, phi.data());
  if (map.may_miss()) {
    for (double& feature : phi) {
      feature *= presence;
    }
    phi.back() = 1.0 - presence;
  }
  return phi;
}

/// The unweighted features of a block.
std::vector<double> soft_features(const FeatureBlock& block, const SoftBatch& batch,
                                  std::size_t row) {
  std::vector<double> result;
  if (block.combination == Combination::kProduct) {
    result = {1.0};
  }
  for (const WeightedMap& member : block.maps) {
    const std::vector<double> phi = soft_features(member.map, batch, row);
    if (block.combination == Combination::kSum) {
      result.insert(result.end(), phi.begin(), phi.end());
      continue;
    }
    std::vector<double> longer;
    for (const double outer : result) {
      for (const double inner : phi) {
        longer.push_back(outer * inner);
      }
    }
    result = longer;
  }
  return result;
}

/// The loss in double, from the definition.
double reference_loss(const Release& release, const EmbeddingTarget& target, const SoftBatch& batch,
                      const std::vector<std::size_t>& class_rows) {
  double loss = 0.0;
  double numbers = 0.0;
  for (std::size_t b = 1; b < release.sums().blocks.size(); ++b) {
    const FeatureBlock& block = release.sums().features.blocks()[b];
    numbers += static_cast<double>(class_rows.size() * block.dimension());
    std::size_t first = 0;
    for (std::size_t c = 0; c < class_rows.size(); ++c) {
      const std::size_t half = class_rows[c] / 2;
      std::vector<std::vector<double>> sums(2, std::vector<double>(block.dimension(), 0.0));
      for (std::size_t i = 0; i < class_rows[c]; ++i) {
        const std::vector<double> phi = soft_features(block, batch, first + i);
        for (std::size_t k = 0; k < phi.size(); ++k) {
          sums[i < half ? 0 : 1][k] += phi[k];
        }
      }
      const double factor = target.class_counts[c] / static_cast<double>(half);
      for (const FeatureSegment& segment : block.segments()) {
        const double sigma = release.statement().noise_of(b).sigma / segment.weight;
        for (std::size_t k = segment.first; k < segment.first + segment.count; ++k) {
          const double wanted = target.sums[b - 1][c * block.dimension() + k];
          loss += (wanted - factor * sums[0][k]) * (wanted - factor * sums[1][k]) / (sigma * sigma);
        }
      }
      first += class_rows[c];
    }
  }
  return loss / numbers;
}

SoftBatch random_batch(const OutputHeads& heads, std::size_t rows) {
  Matrix outputs(rows, heads.outputs());
  SeededRandom random(3);
  for (float& value : outputs.values) {
    value = static_cast<float>(random.normal());
  }
  return heads.apply(outputs);
}

void expect_definition_holds(const Release& release, const std::vector<std::size_t>& rows) {
  const EmbeddingTarget target = target_of(release);
  const EmbeddingLoss loss(release.sums().features, target);
  const SoftBatch batch = random_batch(OutputHeads(release.encoder()),
                                       std::accumulate(rows.begin(), rows.end(), std::size_t{0}));
  SoftBatch gradient;
  const double expected = reference_loss(release, target, batch, rows);
  WorkerPool pool(2);
  EXPECT_NEAR(loss.evaluate(batch, rows, gradient, pool) / expected, 1.0, 1e-4);
  EXPECT_NEAR(loss.value(batch, rows, pool) / expected, 1.0, 1e-4);
}

TEST(EmbeddingLoss, AgreesWithItsDefinitionInDouble) {
  expect_definition_holds(people_release(), {40, 30, 10});
  expect_definition_holds(fourier_release(), {600, 24});
  expect_definition_holds(pixel_fourier_release(), {40, 10, 30});
  expect_definition_holds(image_release(), {40, 10, 30});
  // Several parts of an image, the last of which fills no vector.
  expect_definition_holds(release_of_images({19, 7, 3}, 9, 0.5), {20, 2, 4});
  // Features without a Chebyshev series.
  expect_definition_holds(release_of_images({1, 3, 1}, 260, 0.01), {20, 6, 4});
}

TEST(EmbeddingLoss, WithoutNoiseEveryBlockOfMeansCountsOnce) {
  const Release& release = people_release();
  EmbeddingTarget target = target_of(release);
  const std::vector<std::size_t> rows = {40, 30, 10};
  const SoftBatch batch = random_batch(OutputHeads(release.encoder()), 80);
  const double records =
      std::accumulate(target.class_counts.begin(), target.class_counts.end(), 0.0);
  // By the definition: sums over the number of records, and sums of squares instead of means.
  double numbers = 0.0;
  double expected = 0.0;
  for (std::size_t b = 1; b < release.sums().blocks.size(); ++b) {
    const FeatureBlock& block = release.sums().features.blocks()[b];
    numbers += static_cast<double>(rows.size() * block.dimension());
    const double sigma = release.statement().noise_of(b).sigma;
    EmbeddingTarget alone = target;
    for (std::size_t other = 0; other < alone.sigmas.size(); ++other) {
      alone.sigmas[other] = other + 1 == b ? sigma : 1e30;
    }
    WorkerPool pool(1);
    expected += EmbeddingLoss(release.sums().features, alone).value(batch, rows, pool) * sigma *
                sigma / (records * records);
  }
  target.sigmas.clear();
  const EmbeddingLoss loss(release.sums().features, target, {LossWeights::Rule::kOnes});
  WorkerPool pool(2);
  EXPECT_NEAR(loss.value(batch, rows, pool) / (numbers * expected), 1.0, 1e-5);
}

TEST(EmbeddingLoss, ClassesCountTheSameOnRequest) {
  const Release& release = people_release();
  EmbeddingTarget target = target_of(release);
  target.sigmas.clear();
  target.class_counts = {940.0, 59.5, 0.5};
  const double records = 1000.0;
  const SoftBatch batch = random_batch(OutputHeads(release.encoder()), 40);
  WorkerPool pool(1);
  for (const LossWeights::Rule rule : {LossWeights::Rule::kOnes, LossWeights::Rule::kGamma}) {
    LossWeights weights{.rule = rule, .gamma = 0.5};
    const EmbeddingLoss by_records(release.sums().features, target, weights);
    weights.equal_classes = true;
    const EmbeddingLoss by_classes(release.sums().features, target, weights);
    // The last class has less than the smallest share, and counts as if it had that.
    for (const auto& [c, share] : {std::pair(0, 0.94), {1, 0.0595}, {2, kLeastShare}}) {
      std::vector<std::size_t> rows(3, 0);
      rows[static_cast<std::size_t>(c)] = 40;
      const double factor = 1.0 / (3.0 * share);
      SoftBatch gradient;
      SoftBatch plain;
      EXPECT_NEAR(by_classes.evaluate(batch, rows, gradient, pool) /
                      by_records.evaluate(batch, rows, plain, pool),
                  factor * factor, 1e-9 * factor * factor);
      for (std::size_t column = 0; column < gradient.columns.size(); ++column) {
        for (std::size_t i = 0; i < gradient.columns[column].numbers.size(); ++i) {
          const double expected = factor * factor * plain.columns[column].numbers[i];
          EXPECT_NEAR(gradient.columns[column].numbers[i], expected,
                      1e-4 * std::max(factor * factor * 1e-3, std::fabs(expected)));
        }
      }
    }
  }
  ASSERT_EQ(records, std::accumulate(target.class_counts.begin(), target.class_counts.end(), 0.0));
}

TEST(EmbeddingTrainer, GivesRareClassesRowsWhereClassesCountTheSame) {
  const std::vector<double> shares = evened_out({998.0, 0.0, 1.0, 1.0});
  ASSERT_EQ(shares.size(), 4u);
  EXPECT_DOUBLE_EQ(shares[0], 0.499 + 1.0 / 6.0);
  EXPECT_EQ(shares[1], 0.0);
  EXPECT_DOUBLE_EQ(shares[2], 0.0005 + 1.0 / 6.0);
  EXPECT_EQ(evened_out({7.0}), std::vector<double>{1.0});
}

TEST(EmbeddingLoss, IsTheSameForAnyNumberOfThreads) {
  const Release& release = people_release();
  const EmbeddingLoss loss(release.sums().features, target_of(release));
  const std::vector<std::size_t> rows = {1500, 700, 200};
  const SoftBatch batch = random_batch(OutputHeads(release.encoder()), 2400);
  SoftBatch first_gradient;
  WorkerPool alone(1);
  const double first_loss = loss.evaluate(batch, rows, first_gradient, alone);
  for (const std::size_t threads : {2, 3}) {
    WorkerPool pool(threads);
    SoftBatch gradient;
    EXPECT_EQ(loss.evaluate(batch, rows, gradient, pool), first_loss);
    for (std::size_t c = 0; c < batch.columns.size(); ++c) {
      EXPECT_EQ(gradient.columns[c].numbers, first_gradient.columns[c].numbers);
      EXPECT_EQ(gradient.columns[c].presence, first_gradient.columns[c].presence);
      EXPECT_EQ(gradient.columns[c].probabilities.values,
                first_gradient.columns[c].probabilities.values);
    }
  }
}

void expect_gradient_holds(const Release& release, const std::vector<std::size_t>& rows) {
  const EmbeddingTarget target = target_of(release);
  const EmbeddingLoss loss(release.sums().features, target);
  const OutputHeads heads(release.encoder());
  SoftBatch batch = random_batch(heads, std::accumulate(rows.begin(), rows.end(), std::size_t{0}));
  SoftBatch gradient;
  WorkerPool pool(2);
  loss.evaluate(batch, rows, gradient, pool);
  // By the records themselves: each number, presence and probability.
  const auto check = [&](float& value, float found) {
    const float kept = value;
    constexpr float kStep = 1.0F / 1024.0F;
    value = kept + kStep;
    const double above = reference_loss(release, target, batch, rows);
    value = kept - kStep;
    const double below = reference_loss(release, target, batch, rows);
    value = kept;
    const double expected = (above - below) / (2.0 * static_cast<double>(kStep));
    EXPECT_NEAR(static_cast<double>(found), expected, 2e-3 * (std::fabs(expected) + 100.0));
  };
  for (std::size_t c = 0; c < batch.columns.size(); ++c) {
    SoftColumn& column = batch.columns[c];
    for (std::size_t i = 0; i < column.numbers.size(); ++i) {
      check(column.numbers[i], gradient.columns[c].numbers[i]);
    }
    for (std::size_t i = 0; i < column.presence.size(); ++i) {
      check(column.presence[i], gradient.columns[c].presence[i]);
    }
    for (std::size_t i = 0; i < column.probabilities.values.size(); ++i) {
      check(column.probabilities.values[i], gradient.columns[c].probabilities.values[i]);
    }
  }
}

TEST(EmbeddingLoss, GradientAgreesWithFiniteDifferencesInDouble) {
  expect_gradient_holds(people_release(), {6, 4, 2});
  expect_gradient_holds(fourier_release(), {6, 4});
  expect_gradient_holds(pixel_fourier_release(), {6, 2, 4});
  expect_gradient_holds(image_release(), {6, 2, 4});
  expect_gradient_holds(release_of_images({1, 17, 1}, 1, 0.5), {4, 2, 2});
}

void expect_heads_differentiate(const Encoder& encoder) {
  const OutputHeads heads(encoder);
  Matrix outputs(3, heads.outputs());
  SeededRandom random(5);
  for (float& value : outputs.values) {
    value = static_cast<float>(random.normal());
  }
  const SoftBatch weights = random_batch(heads, 3);  // any numbers of the right shape
  const auto score = [&] {
    const SoftBatch batch = heads.apply(outputs);
    double sum = 0.0;
    for (std::size_t c = 0; c < batch.columns.size(); ++c) {
      for (std::size_t i = 0; i < batch.columns[c].numbers.size(); ++i) {
        sum += static_cast<double>(batch.columns[c].numbers[i]) *
               static_cast<double>(weights.columns[c].numbers[i]);
      }
      for (std::size_t i = 0; i < batch.columns[c].presence.size(); ++i) {
        sum += static_cast<double>(batch.columns[c].presence[i]) *
               static_cast<double>(weights.columns[c].presence[i]);
      }
      for (std::size_t i = 0; i < batch.columns[c].probabilities.values.size(); ++i) {
        sum += static_cast<double>(batch.columns[c].probabilities.values[i]) *
               static_cast<double>(weights.columns[c].probabilities.values[i]);
      }
    }
    return sum;
  };
  WorkerPool pool(2);
  const Matrix gradient = heads.backward(heads.apply(outputs), weights, pool);
  for (std::size_t i = 0; i < outputs.values.size(); ++i) {
    const float kept = outputs.values[i];
    outputs.values[i] = kept + 1e-2F;
    const double above = score();
    outputs.values[i] = kept - 1e-2F;
    const double below = score();
    outputs.values[i] = kept;
    EXPECT_NEAR(static_cast<double>(gradient.values[i]), (above - below) / 2e-2, 2e-3);
  }
}

TEST(OutputHeads, BackwardAgreesWithFiniteDifferences) {
  expect_heads_differentiate(people_release().encoder());
  expect_heads_differentiate(image_release().encoder());
}

TEST(OutputHeads, PlanesOfOutputsBecomePixels) {
  const OutputHeads heads(image_release().encoder());
  ASSERT_EQ(heads.outputs(), 7u);  // 2 x 1 pixels of 3 channels, and a number
  Matrix outputs(1, 7);
  // [channels][rows]: the logistic of these is 0, 1, 0.5, 0.5, 1, 0.
  const std::vector<float> planes = {-60.0F, 60.0F, 0.0F, 0.0F, 60.0F, -60.0F};
  std::copy(planes.begin(), planes.end(), outputs.values.begin());
  SeededRandom random(1);
  const EncodedBatch records = heads.draw(heads.apply(outputs), random);
  WipedVector<std::uint8_t> pixels = records.columns[0].pixels;
  for (const std::size_t grey : {1, 4}) {  // 127.5 is one or the other
    EXPECT_TRUE(pixels[grey] == 127 || pixels[grey] == 128);
    pixels[grey] = 128;
  }
  const WipedVector<std::uint8_t> expected = {0, 128, 255, 255, 128, 0};
  EXPECT_EQ(pixels, expected);
}

}  // namespace embedding_loss_test
}  // namespace mehler
