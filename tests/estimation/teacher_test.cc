#include "mehler/estimation/teacher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace teacher_test {

TEST(Teacher, FollowsTheGradientOfASeparableProblem) {
  // Two classes by the sign of the first of two features; gradients without noise.
  constexpr std::size_t kRows = 400;
  SeededRandom random(3);
  std::vector<double> features(2 * kRows);
  for (double& value : features) {
    value = 0.5 * random.normal();
  }
  const auto class_of = [&](std::size_t r) { return features[2 * r] > 0.0 ? 1U : 0U; };
  Teacher teacher(std::vector<double>(4, 0.0), kRows);
  for (std::size_t round = 0; round < TeacherPlan().rounds; ++round) {
    std::vector<double> gradient(4, 0.0);
    for (std::size_t r = 0; r < kRows; ++r) {
      const std::vector<double>& w = teacher.weights();
      const double logit = features[2 * r] * (w[1] - w[0]) + features[2 * r + 1] * (w[3] - w[2]);
      const double error = 1.0 / (1.0 + std::exp(-logit)) - class_of(r);
      for (std::size_t i = 0; i < 2; ++i) {
        gradient[2 * i + 1] += features[2 * r + i] * error;
        gradient[2 * i] -= features[2 * r + i] * error;
      }
    }
    teacher.step(gradient);
  }
  const std::vector<double> w = teacher.learnt();
  std::size_t right = 0;
  for (std::size_t r = 0; r < kRows; ++r) {
    const double logit = features[2 * r] * (w[1] - w[0]) + features[2 * r + 1] * (w[3] - w[2]);
    right += (logit > 0.0 ? 1U : 0U) == class_of(r) ? 1 : 0;
  }
  EXPECT_GT(right, 98 * kRows / 100);
}

TEST(Teacher, NoiseAloneCannotRunAway) {
  Teacher teacher(std::vector<double>(6, 0.0), 1.0);
  const std::vector<double> noise = {1e9, -1e9, 1e9, -1e9, 0.0, 1.0};
  for (std::size_t round = 0; round < TeacherPlan().rounds; ++round) {
    teacher.step(noise);
  }
  for (const double weight : teacher.learnt()) {
    EXPECT_LE(std::fabs(weight), 1000.0);
  }
}

TEST(LabelOffsets, GiveTheClassesTheirShares) {
  constexpr std::size_t kRows = 3000;
  SeededRandom random(5);
  std::vector<double> logits(3 * kRows);
  for (double& logit : logits) {
    logit = random.normal();
  }
  const std::vector<double> shares = {0.7, 0.27, 0.03};
  const std::vector<std::uint16_t> labels = label_rows(logits, label_offsets(logits, shares));
  for (std::uint16_t k = 0; k < 3; ++k) {
    const auto found = static_cast<double>(std::count(labels.begin(), labels.end(), k)) / kRows;
    EXPECT_NEAR(found, shares[k], 0.005);
  }
}

}  // namespace teacher_test
}  // namespace mehler
