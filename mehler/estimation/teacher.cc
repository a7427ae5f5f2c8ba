#include "mehler/estimation/teacher.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/release/measured_sums.h"

namespace mehler {
namespace {

constexpr double kMomentum = 0.8;
constexpr int kOffsetSteps = 300;

std::uint16_t largest(std::span<const double> logits, std::span<const double> offsets) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < offsets.size(); ++k) {
    if (logits[k] + offsets[k] > logits[best] + offsets[best]) {
      best = k;
    }
  }
  return static_cast<std::uint16_t>(best);
}

double deviation(std::span<const double> values) {
  double mean = 0.0;
  for (const double value : values) {
    mean += value / static_cast<double>(values.size());
  }
  double squares = 0.0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean) / static_cast<double>(values.size());
  }
  return std::sqrt(squares);
}

}  // namespace

Teacher::Teacher(std::vector<double> start, double rows, const TeacherPlan& plan)
    : plan_(plan),
      rows_(std::max(rows, 1.0)),
      weights_(std::move(start)),
      velocity_(weights_.size(), 0.0),
      later_(weights_.size(), 0.0) {}

void Teacher::step(std::span<const double> gradient_sum) {
  MEHLER_ASSERT(gradient_sum.size() == weights_.size() && rounds_ < plan_.rounds);
  const double size =
      plan_.step * (1.0 - static_cast<double>(rounds_) / (2.0 * static_cast<double>(plan_.rounds)));
  const std::size_t earlier = plan_.rounds / 2;
  constexpr double kLargest = 1000.0;  // far beyond what is learnt: noise alone cannot run away
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    velocity_[i] = kMomentum * velocity_[i] + gradient_sum[i] / rows_;
    weights_[i] =
        on_parameter_grid(std::clamp(weights_[i] - size * velocity_[i], -kLargest, kLargest));
    if (rounds_ >= earlier) {
      later_[i] += weights_[i] / static_cast<double>(plan_.rounds - earlier);
    }
  }
  ++rounds_;
}

std::vector<double> Teacher::learnt() const {
  MEHLER_ASSERT(rounds_ == plan_.rounds);
  return later_;
}

std::optional<LearntTeacher> read_teacher(const Release& release, double rows) {
  const std::vector<MeasuredSum> rounds = sums_of_step(release, wide_steps::kTeacher);
  if (rounds.empty()) {
    return std::nullopt;
  }
  const VectorSum& first = rounds.front().sum;
  const bool is_one = std::all_of(rounds.begin(), rounds.end(), [&](const MeasuredSum& round) {
    return round.sum.kind == SumKind::kGradient && hold_the_same(round.sum.vector, first.vector) &&
           round.sum.classes == first.classes;
  });
  if (!is_one || rounds.size() != TeacherPlan().rounds) {
    throw Error(ErrorCode::kInvalidRelease,
                "the release's rounds of a teacher are not those of one classifier");
  }
  Teacher teacher(std::vector<double>(first.dimension(), 0.0), rows);
  for (const MeasuredSum& round : rounds) {
    teacher.step(round.values);
  }
  return LearntTeacher{first.vector, *first.classes, teacher.learnt()};
}

std::vector<std::uint16_t> label_rows(std::span<const double> logits,
                                      std::span<const double> offsets) {
  const std::size_t classes = offsets.size();
  std::vector<std::uint16_t> labels(logits.size() / classes);
  for (std::size_t r = 0; r < labels.size(); ++r) {
    labels[r] = largest(logits.subspan(r * classes, classes), offsets);
  }
  return labels;
}

std::vector<double> label_offsets(std::span<const double> logits, std::span<const double> shares) {
  std::vector<double> offsets(shares.size(), 0.0);
  const auto rows = static_cast<double>(logits.size() / shares.size());
  const double spread = deviation(logits);
  for (int step = 0; step < kOffsetSteps; ++step) {
    std::vector<double> found(shares.size(), 0.0);
    for (const std::uint16_t label : label_rows(logits, offsets)) {
      found[label] += 1.0 / rows;
    }
    const double size = 0.3 * spread / (1.0 + step / 30.0);
    for (std::size_t k = 0; k < shares.size(); ++k) {
      const double ratio = std::max(shares[k], 1e-9) / std::max(found[k], 1e-6);
      offsets[k] += size * std::clamp(std::log(ratio), -1.0, 1.0);
    }
  }
  return offsets;
}

void add_logits(std::span<const double> vector, std::span<const double> weights,
                std::span<double> logits) {
  for (std::size_t i = 0; i < vector.size(); ++i) {
    for (std::size_t k = 0; k < logits.size(); ++k) {
      logits[k] += vector[i] * weights[i * logits.size() + k];
    }
  }
}

}  // namespace mehler
