#pragma once

#include <memory>
#include <vector>

#include "mehler/counts/vector_sum.h"
#include "mehler/measurement/measurement_rounds.h"

namespace mehler {

/// The weight of the constant among a teacher's features, and of the length of the scores.
inline constexpr double kTeacherConstant = 0.3;
inline constexpr double kTeacherNormWeight = 0.3;

/// Learns a teacher from noisy gradients of private records by the usual TeacherPlan, rounds with
/// an equal part of `mu_squared`; the weights that it learnt, [dimension][classes].
///
/// Privacy: a round's weights depend on earlier noisy results alone; a record's gradient is
/// shortened to 1.
std::vector<double> learn_teacher(MeasurementRounds& rounds,
                                  std::shared_ptr<const RecordVector> features,
                                  const CountedColumn& classes, double mu_squared,
                                  const Context& context);

/// The features of a teacher that knows of columns alone: scores, their length, and a constant;
/// divided by what lengths are to be expected.
std::shared_ptr<const RecordVector> plain_features(std::shared_ptr<const ScoreTables> scores);

}  // namespace mehler
