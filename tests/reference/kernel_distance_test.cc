#include "mehler/reference/kernel_distance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace kernel_distance_test {

constexpr double kLengthScale = 1.3;

Matrix random_records(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Matrix result(rows, columns);
  SeededRandom random(seed);
  for (float& value : result.values) {
    value = static_cast<float>(random.normal());
  }
  return result;
}

double kernel(const Matrix& a, std::size_t i, const Matrix& b, std::size_t j) {
  double squared = 0.0;
  for (std::size_t k = 0; k < a.columns; ++k) {
    const double difference = static_cast<double>(a.row(i)[k]) - static_cast<double>(b.row(j)[k]);
    squared += difference * difference;
  }
  return std::exp(-0.5 * squared / (kLengthScale * kLengthScale));
}

/// Classes of more rows than a tile has, of few, of one and of none; and what their pairs count.
const std::vector<std::size_t> kClassRows = {70, 0, 1, 5};
const std::vector<double> kClassWeights = {0.25, 1.0, 3.0, 16.0};

/// In double, from the definition.
double defined_value(const Matrix& generated, const Matrix& real) {
  double sum = 0.0;
  std::size_t first = 0;
  for (std::size_t c = 0; c < kClassRows.size(); ++c) {
    const std::size_t count = kClassRows[c];
    const double weight = kClassWeights[c];
    const bool has_pairs = count > 1;
    const auto rows = static_cast<double>(count);
    const double of_mixed = has_pairs ? (rows - 1.0) / rows : 1.0;
    for (std::size_t i = first; i < first + count; ++i) {
      for (std::size_t j = first; j < first + count; ++j) {
        sum -= weight * 2.0 * of_mixed * kernel(generated, i, real, j);
        if (i != j || !has_pairs) {
          sum += weight * (kernel(generated, i, generated, j) + kernel(real, i, real, j));
        }
      }
    }
    first += count;
  }
  return sum / static_cast<double>(generated.rows * generated.rows);
}

TEST(KernelDistance, AgreesWithItsDefinitionInDouble) {
  const Matrix generated = random_records(76, 3, 1);
  const Matrix real = random_records(76, 3, 2);
  WorkerPool pool(2);
  const double expected = defined_value(generated, real);
  EXPECT_NEAR(KernelDistance(kLengthScale, kClassWeights).value(generated, real, kClassRows, pool),
              expected, 1e-7);
}

TEST(KernelDistance, GradientAgreesWithFiniteDifferencesInDouble) {
  Matrix generated = random_records(76, 3, 1);
  const Matrix real = random_records(76, 3, 2);
  WorkerPool pool(2);
  const Matrix gradient =
      KernelDistance(kLengthScale, kClassWeights).gradient(generated, real, kClassRows, pool);
  for (const std::size_t place :
       {std::size_t{0}, std::size_t{100}, std::size_t{209}, std::size_t{211}, std::size_t{220}}) {
    constexpr float kStep = 1.0F / 256.0F;
    const float kept = generated.values[place];
    generated.values[place] = kept + kStep;
    const double above = defined_value(generated, real);
    generated.values[place] = kept - kStep;
    const double below = defined_value(generated, real);
    generated.values[place] = kept;
    const double slope = (above - below) / (2.0 * static_cast<double>(kStep));
    EXPECT_NEAR(static_cast<double>(gradient.values[place]), slope, 1e-7) << place;
  }
}

/// What a step along the gradient would do to the spread of records that are as they should be.
TEST(KernelDistance, IsZeroOnAverageAndLeavesTheSpreadOfRecordsOfTheSameLaw) {
  constexpr std::size_t kRows = 12;
  constexpr int kBatches = 2000;
  const std::vector<std::size_t> classes = {4, kRows - 4};
  WorkerPool pool(1);
  const KernelDistance distance(kLengthScale);
  struct Mean {
    double sum = 0.0;
    double squares = 0.0;
    void add(double value) {
      sum += value;
      squares += value * value;
    }
    double in_standard_errors() const { return sum / std::sqrt(squares); }
  };
  Mean value;
  Mean towards_spread;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto seed = static_cast<std::uint64_t>(batch);
    const Matrix generated = random_records(kRows, 2, 2 * seed);
    const Matrix real = random_records(kRows, 2, 2 * seed + 1);
    value.add(distance.value(generated, real, classes, pool));
    const Matrix gradient = distance.gradient(generated, real, classes, pool);
    double slope = 0.0;
    for (std::size_t place = 0; place < generated.values.size(); ++place) {
      slope += static_cast<double>(gradient.values[place]) *
               static_cast<double>(generated.values[place]);
    }
    towards_spread.add(slope);
  }
  // Fixed seeds: the same in every run. With all pairs in the sums they are 41 and 22.
  EXPECT_LT(std::abs(value.in_standard_errors()), 3.0);
  EXPECT_LT(std::abs(towards_spread.in_standard_errors()), 3.0);
}

TEST(KernelDistance, OfEqualRecordsThatAreAloneInTheirClassesIsZeroAndHasNoGradient) {
  const Matrix records = random_records(3, 4, 3);
  WorkerPool pool(1);
  const KernelDistance distance(kLengthScale);
  EXPECT_NEAR(distance.value(records, records, {1, 1, 0, 1}, pool), 0.0, 1e-6);
  for (const float slope : distance.gradient(records, records, {1, 1, 0, 1}, pool).values) {
    EXPECT_NEAR(slope, 0.0F, 1e-6F);
  }
}

TEST(KernelDistance, IsTheSameForAnyNumberOfThreads) {
  const Matrix generated = random_records(76, 3, 1);
  const Matrix real = random_records(76, 3, 2);
  const KernelDistance distance(kLengthScale);
  WorkerPool alone(1);
  WorkerPool three(3);
  EXPECT_EQ(distance.gradient(generated, real, kClassRows, alone).values,
            distance.gradient(generated, real, kClassRows, three).values);
  EXPECT_EQ(distance.value(generated, real, kClassRows, alone),
            distance.value(generated, real, kClassRows, three));
}

TEST(KernelDistance, ToleratesTheShortestLengthScaleThatIsAccepted) {
  constexpr std::size_t kDimension = 100;
  constexpr double kShortest = 0.05;
  // Four records, each twice.
  Matrix records(8, kDimension);
  SeededRandom random(5);
  for (std::size_t place = 0; place < 4 * kDimension; ++place) {
    records.values[place] = static_cast<float>(2.0 * random.uniform() - 1.0);
    records.values[4 * kDimension + place] = records.values[place];
  }
  Matrix others = records;
  for (float& value : others.values) {
    value = -value;
  }
  // All pairs of different records are so far apart that their kernel is 0.
  WorkerPool pool(1);
  const double found = KernelDistance(kShortest).value(records, others, {8}, pool);
  EXPECT_NEAR(found, 2.0 * 8.0 / 64.0, 0.02 * 0.25);
}

}  // namespace kernel_distance_test
}  // namespace mehler
