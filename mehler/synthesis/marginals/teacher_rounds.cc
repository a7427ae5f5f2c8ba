#include "mehler/synthesis/marginals/teacher_rounds.h"

#include <fmt/format.h>

#include <cmath>

#include "mehler/estimation/teacher.h"

namespace mehler {

std::vector<double> learn_teacher(MeasurementRounds& rounds,
                                  std::shared_ptr<const RecordVector> features,
                                  const CountedColumn& classes, double mu_squared,
                                  const Context& context) {
  const TeacherPlan plan;
  Teacher teacher(std::vector<double>(features->dimension() * classes.cells->size(), 0.0),
                  rounds.measurements().rows(), plan);
  VectorSum gradient;
  gradient.kind = SumKind::kGradient;
  gradient.vector = std::move(features);
  gradient.classes = classes;
  for (std::size_t round = 1; round <= plan.rounds; ++round) {
    gradient.weights = std::make_shared<const std::vector<double>>(teacher.weights());
    const CountBlock block{fmt::format("teacher, round {}", round), gradient,
                           std::string(wide_steps::kTeacher)};
    teacher.step(
        rounds.measure_sum(block, mu_squared / static_cast<double>(plan.rounds), context).values);
  }
  return teacher.learnt();
}

std::shared_ptr<const RecordVector> plain_features(std::shared_ptr<const ScoreTables> scores) {
  auto features = std::make_shared<RecordVector>();
  const auto count = static_cast<double>(scores->size());
  features->scores = std::move(scores);
  features->norm_weight = kTeacherNormWeight * std::sqrt(count);
  features->constant = kTeacherConstant;
  // Scores have variance 1.
  features->scale = 1.0 / std::sqrt(count);
  return features;
}

}  // namespace mehler
