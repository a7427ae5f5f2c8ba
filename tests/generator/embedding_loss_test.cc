#include "mehler/generator/embedding_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/demo/people.h"
#include "mehler/synthesis/mean_embedding.h"
#include "mehler/table/table_stream.h"

namespace mehler {
namespace {

const Release& people_release() {
  static const Release release = [] {
    ArrowArrayStream stream = stream_of({simulate_people(2000, 1)});
    Accountant accountant({1.0, 1e-6});
    HermiteOptions options;
    options.column_weights["hours"] = 2.0;
    return release_mean_embedding(PrivateTable(&stream, people_schema()), options, accountant,
                                  Context{});
  }();
  return release;
}

EmbeddingTarget target_of(const Release& release) {
  EmbeddingTarget target;
  for (std::size_t c = 0; c < release.blocks()[0].rows; ++c) {
    target.class_counts.push_back(release.blocks()[0].at(c, 0));
  }
  target.sums.emplace_back();
  for (std::size_t row = 0; row < release.blocks()[1].rows; ++row) {
    for (std::size_t i = 0; i < release.blocks()[1].columns; ++i) {
      target.sums[0].push_back(release.blocks()[1].at(row, i));
    }
  }
  return target;
}

/// The loss in double, from the definition.
double reference_loss(const Release& release, const EmbeddingTarget& target, const SoftBatch& batch,
                      const std::vector<std::size_t>& class_rows) {
  const FeatureBlock& block = release.features().blocks()[1];
  double loss = 0.0;
  std::size_t first = 0;
  for (std::size_t c = 0; c < class_rows.size(); ++c) {
    std::size_t offset = c * block.dimension();
    const std::size_t half = class_rows[c] / 2;
    for (const WeightedMap& member : block.maps) {
      const SoftColumn& column = batch.columns[member.map.column()];
      std::vector<std::vector<double>> sums(2, std::vector<double>(member.map.dimension(), 0.0));
      for (std::size_t i = 0; i < class_rows[c]; ++i) {
        std::vector<double>& sum = sums[i < half ? 0 : 1];
        const std::size_t row = first + i;
        if (member.map.kind() == FeatureMap::Kind::kOneHot) {
          for (std::size_t k = 0; k < sum.size(); ++k) {
            sum[k] += static_cast<double>(column.probabilities.row(row)[k]);
          }
          continue;
        }
        std::vector<double> phi(member.map.hermite().dimension());
        member.map.hermite().evaluate(static_cast<double>(column.numbers[row]), phi.data());
        const double presence =
            column.presence.empty() ? 1.0 : static_cast<double>(column.presence[row]);
        for (std::size_t k = 0; k < phi.size(); ++k) {
          sum[k] += presence * phi[k];
        }
        if (member.map.may_miss()) {
          sum[phi.size()] += 1.0 - presence;
        }
      }
      const double sigma = release.statement().blocks[1].sigma / member.weight;
      const double factor = target.class_counts[c] / static_cast<double>(half);
      for (std::size_t k = 0; k < member.map.dimension(); ++k) {
        loss += (target.sums[0][offset + k] - factor * sums[0][k]) *
                (target.sums[0][offset + k] - factor * sums[1][k]) / (sigma * sigma);
      }
      offset += member.map.dimension();
    }
    first += class_rows[c];
  }
  return loss / static_cast<double>(class_rows.size() * block.dimension());
}

SoftBatch random_batch(const OutputHeads& heads, std::size_t rows) {
  Matrix outputs(rows, heads.outputs());
  SeededRandom random(3);
  for (float& value : outputs.values) {
    value = static_cast<float>(random.normal());
  }
  return heads.apply(outputs);
}

TEST(EmbeddingLoss, AgreesWithItsDefinitionInDouble) {
  const Release& release = people_release();
  const EmbeddingTarget target = target_of(release);
  const EmbeddingLoss loss(release, target);
  const std::vector<std::size_t> rows = {40, 30, 10};
  const SoftBatch batch = random_batch(OutputHeads(release.encoder()), 80);
  SoftBatch gradient;
  const double expected = reference_loss(release, target, batch, rows);
  EXPECT_NEAR(loss.evaluate(batch, rows, gradient) / expected, 1.0, 1e-4);
}

TEST(EmbeddingLoss, GradientThroughTheHeadsAgreesWithFiniteDifferencesInDouble) {
  const Release& release = people_release();
  const EmbeddingTarget target = target_of(release);
  const EmbeddingLoss loss(release, target);
  const OutputHeads heads(release.encoder());
  const std::vector<std::size_t> rows = {6, 4, 2};
  SoftBatch batch = random_batch(heads, 12);
  SoftBatch gradient;
  loss.evaluate(batch, rows, gradient);
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

TEST(OutputHeads, BackwardAgreesWithFiniteDifferences) {
  const OutputHeads heads(people_release().encoder());
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
  const Matrix gradient = heads.backward(heads.apply(outputs), weights);
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

}  // namespace
}  // namespace mehler
