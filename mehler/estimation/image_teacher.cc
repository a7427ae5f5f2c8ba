#include "mehler/estimation/image_teacher.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/release/measured_sums.h"
#include "mehler/simd/double_rows.h"
#include "mehler/simd/matrix_product.h"

namespace mehler {
namespace {

constexpr double kStrengthRecords = 15'000.0;

/// Whether it is what start_image_teacher() gives, of which label() makes use.
bool is_half_whitened(const ImageVector& vector) {
  return vector.keeps_scores && vector.centre.size() == vector.scores->size() &&
         vector.inner_radius == 0.0 && vector.class_centres.empty() && vector.cells == 0;
}

}  // namespace

double image_strength(double mu_squared, double records, double rows_of_unit) {
  return std::sqrt(mu_squared) * records / (kStrengthRecords * rows_of_unit);
}

std::size_t image_teacher_rounds(double strength) {
  return static_cast<std::size_t>(
      std::clamp(std::round(30.0 * std::pow(strength, 0.6)), 30.0, 100.0));
}

TeacherPlan image_teacher_plan(double strength, std::size_t rounds) {
  return {rounds, 5000.0 * std::pow(strength, 0.65) / static_cast<double>(rounds)};
}

LearntImageTeacher LearntImageTeacher::of(const Release& release, double records) {
  const std::vector<MeasuredSum> rounds = sums_of_step(release, image_steps::kTeacher);
  const bool is_one =
      !rounds.empty() && std::all_of(rounds.begin(), rounds.end(), [&](const MeasuredSum& round) {
        const VectorSum& first = rounds.front().sum;
        return round.sum.kind == SumKind::kRoundedGradient && is_half_whitened(*round.sum.image) &&
               hold_the_same(round.sum.image, first.image) && round.sum.classes == first.classes;
      });
  // That of images and of the number of records, without further columns'.
  double mu_squared = 0.0;
  for (std::size_t i = 0; i < release.counts().blocks.size(); ++i) {
    const CountBlock& block = release.counts().counts.blocks()[i];
    const VectorSum* sum = block.vector_sum();
    if (std::holds_alternative<RecordCount>(block.counted) || (sum != nullptr && sum->image)) {
      mu_squared += release.statement().noise_of(i).mu_squared();
    }
  }
  const auto& unit = release.encoder().schema().privacy_unit();
  const double strength =
      image_strength(mu_squared, records, unit ? static_cast<double>(unit->max_rows) : 1.0);
  if (!is_one) {
    throw Error(ErrorCode::kInvalidRelease,
                "the release's rounds of a teacher of images are not those of one classifier");
  }
  Teacher teacher(*rounds.front().sum.weights, records,
                  image_teacher_plan(strength, rounds.size()));
  for (const MeasuredSum& round : rounds) {
    teacher.step(round.values);
  }
  return {rounds.front().sum.image, *rounds.front().sum.classes, teacher.learnt()};
}

LearntImageTeacher::LearntImageTeacher(std::shared_ptr<const ImageVector> features,
                                       CountedColumn classes, std::span<const double> weights)
    : features_(std::move(features)), classes_(std::move(classes)) {
  const std::size_t size = features_->scores->size();
  const std::size_t count = classes_.cells->size();
  const std::size_t directions = features_->direction_count();
  const auto weight = [&](std::size_t i, std::size_t k) { return weights[i * count + k]; };
  centre_.assign(features_->centre.begin(), features_->centre.end());
  along_.assign(features_->directions.begin(), features_->directions.end());
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < size; ++i) {
      along_.push_back(static_cast<float>(weight(i, k)));
    }
    constants_.push_back(features_->constant != 0.0 ? features_->constant * weight(size, k) : 0.0);
  }
  for (std::size_t d = 0; d < directions; ++d) {
    const double more = features_->factors[d] - 1.0;
    for (std::size_t k = 0; k < count; ++k) {
      double sum = 0.0;
      for (std::size_t i = 0; i < size; ++i) {
        sum += features_->directions[d * size + i] * weight(i, k);
      }
      of_directions_.push_back(static_cast<float>(more * sum));
    }
  }
}

std::vector<std::uint32_t> LearntImageTeacher::label(std::span<const std::uint8_t> pixels) const {
  std::vector<float> scores = scores_of(*features_->scores, pixels);
  const std::size_t size = features_->scores->size();
  const std::size_t rows = scores.size() / size;
  const std::size_t count = classes_.cells->size();
  const std::size_t directions = features_->direction_count();
  std::vector<double> squares(rows, 0.0);
  std::vector<double> wide;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < size; ++i) {
      scores[r * size + i] -= centre_[i];
    }
    wide.assign(&scores[r * size], &scores[r * size] + size);
    squares[r] = dot_product(wide.data(), wide.data(), size);
  }
  // With s the scores less their centre, x = s + sum_d (f_d - 1) <d, s> d is never written down:
  // its product with a class's weights is <w, s> + sum_d (f_d - 1) <d, w> <d, s>, and directions
  // being orthonormal |x|^2 = |s|^2 + sum_d (f_d^2 - 1) <d, s>^2.
  const std::size_t width = directions + count;
  std::vector<float> along(rows * width);
  multiply(Transpose::kNo, Transpose::kYes, rows, width, size, scores.data(), along_.data(),
           along.data(), false);
  std::vector<float> logits(rows * count);
  multiply(Transpose::kNo, Transpose::kNo, rows, count, directions, along.data(), width,
           of_directions_.data(), count, logits.data(), count, false);
  std::vector<std::uint32_t> labels;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* of_row = &along[r * width];
    for (std::size_t d = 0; d < directions; ++d) {
      const double factor = features_->factors[d];
      squares[r] += (factor * factor - 1.0) * static_cast<double>(of_row[d] * of_row[d]);
    }
    const double length = features_->scale * std::sqrt(std::max(squares[r], 0.0));
    const double scale =
        features_->scale * (length > features_->radius ? features_->radius / length : 1.0);
    std::uint32_t best = 0;
    double largest = -INFINITY;
    for (std::size_t k = 0; k < count; ++k) {
      const double logit =
          scale * static_cast<double>(logits[r * count + k] + of_row[directions + k]) +
          constants_[k];
      if (logit > largest) {
        largest = logit;
        best = static_cast<std::uint32_t>(k);
      }
    }
    labels.push_back(best);
  }
  return labels;
}

}  // namespace mehler
