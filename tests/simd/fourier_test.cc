#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/features/random_fourier.h"
#include "mehler/simd/fourier_batch.h"
#include "mehler/simd/fourier_sums.h"
#include "mehler/simd/hermite_sums.h"
#include "tests/support/instruction_set.h"

namespace mehler {
namespace fourier_test {

TEST(FourierSums, AreTheSameRoundedSumsForEveryInstructionSet) {
  const InstructionSetRestorer restorer;
  constexpr int kGrid = 20;
  for (const double length_scale : {1.0, 0.01}) {
    const RandomFourierFeatures features(3, 17, length_scale, 5);
    for (const std::size_t records : {1, 7, 8, 100}) {
      SeededRandom random(records);
      std::vector<std::vector<double>> columns(3, std::vector<double>(records));
      for (auto& column : columns) {
        for (double& value : column) {
          value = 2.0 * random.uniform() - 1.0;
        }
      }
      columns[0][0] = 1.0;
      columns[1][0] = -1.0;
      const std::vector<const double*> places = {columns[0].data(), columns[1].data(),
                                                 columns[2].data()};
      std::vector<double> expected(34, 5.0);
      std::vector<double> phi(34);
      for (std::size_t r = 0; r < records; ++r) {
        const double x[3] = {columns[0][r], columns[1][r], columns[2][r]};
        features.evaluate(x, phi.data());
        for (std::size_t k = 0; k < phi.size(); ++k) {
          expected[k] += std::nearbyint(std::ldexp(phi[k], kGrid));
        }
      }
      std::vector<std::vector<std::int64_t>> found;
      for (const std::string& name : available_instruction_sets()) {
        ASSERT_TRUE(force_instruction_set(name));
        std::vector<std::int64_t> sums(34, 5);
        add_fourier_sums(features.weights(), places, records, kGrid, sums);
        found.push_back(sums);
        EXPECT_EQ(found.back(), found.front()) << name;
        for (std::size_t k = 0; k < sums.size(); ++k) {
          // A feature may lie so near to a half that two cosines round it differently.
          ASSERT_NEAR(static_cast<double>(sums[k]), expected[k], 1.0);
        }
      }
    }
  }
}

TEST(FourierSums, NormIsOneWhateverTheAngle) {
  // One record, one frequency at a time: cos^2 + sin^2 of what is summed.
  for (const double angle :
       {0.0, 0.7853981633974483, 1.5707963267948966, 3.0, -2.5, 1e3, 123456.7, -987654.3}) {
    std::vector<std::int64_t> sums(2, 0);
    const double one = 1.0;
    const double* columns[] = {&one};
    const std::vector<double> frequency = {angle};
    add_fourier_sums(frequency, columns, 1, 40, sums);
    const double cosine = std::ldexp(static_cast<double>(sums[0]), -40);
    const double sine = std::ldexp(static_cast<double>(sums[1]), -40);
    EXPECT_NEAR(cosine, std::cos(angle), 1e-10) << angle;
    EXPECT_NEAR(sine, std::sin(angle), 1e-10) << angle;
    EXPECT_NEAR(cosine * cosine + sine * sine, 1.0, 3e-12) << angle;
  }
}

TEST(FourierBatch, AgreesWithTheStandardLibraryForEveryInstructionSet) {
  const InstructionSetRestorer restorer;
  for (const std::string& name : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(name));
    for (const std::size_t count : {1, 15, 16, 19}) {
      constexpr std::size_t kRows = 5;
      SeededRandom random(count);
      std::vector<float> angles(kRows * count);
      for (float& angle : angles) {
        angle = static_cast<float>(30.0 * random.normal());
      }
      std::vector<float> cosines(count, 1.0F);
      std::vector<float> sines(count, 2.0F);
      add_cosine_sine_sums(angles.data(), kRows, count, cosines.data(), sines.data());
      std::vector<float> slopes = angles;
      const std::vector<float> cosine_weights(count, 0.5F);
      const std::vector<float> sine_weights(count, -2.0F);
      replace_by_slopes(slopes.data(), kRows, count, cosine_weights.data(), sine_weights.data());
      for (std::size_t j = 0; j < count; ++j) {
        double cosine = 1.0;
        double sine = 2.0;
        for (std::size_t r = 0; r < kRows; ++r) {
          const auto angle = static_cast<double>(angles[r * count + j]);
          cosine += std::cos(angle);
          sine += std::sin(angle);
          ASSERT_NEAR(static_cast<double>(slopes[r * count + j]),
                      -0.5 * std::sin(angle) - 2.0 * std::cos(angle), 2e-5);
        }
        ASSERT_NEAR(static_cast<double>(cosines[j]), cosine, 5e-5);
        ASSERT_NEAR(static_cast<double>(sines[j]), sine, 5e-5);
      }
    }
  }
}

}  // namespace fourier_test
}  // namespace mehler
