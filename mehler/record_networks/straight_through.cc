#include "mehler/record_networks/straight_through.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/networks/row_groups.h"

namespace mehler {
namespace {

constexpr std::size_t kRowsPerTask = 64;
/// Of a number by its output. The tanh's own is 0 at the bounds, and a generator that was pushed
/// there in its first steps would never come back, whatever its critic says. Also where the way
/// down is further out: an output that grows there changes no record, and takes as long to come
/// back, but without it trainings were no better (docs/design/0025-private-training.md).
constexpr float kLeastSlope = 0.05F;

/// In (0, 1).
double positive_uniform(SeededRandom& random) { return random.uniform() + 0x1p-54; }

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// soft = softmax((outputs + Gumbel noise) / temperature); returns the place of the largest.
std::size_t draw_code(std::span<const float> outputs, SeededRandom& random, std::span<float> soft) {
  std::size_t largest = 0;
  for (std::size_t c = 0; c < outputs.size(); ++c) {
    const double gumbel = -std::log(-std::log(positive_uniform(random)));
    soft[c] = static_cast<float>((static_cast<double>(outputs[c]) + gumbel) /
                                 StraightThrough::kTemperature);
    largest = soft[c] > soft[largest] ? c : largest;
  }
  const float highest = soft[largest];
  float sum = 0.0F;
  for (float& value : soft) {
    value = std::exp(std::max(value - highest, -80.0F));
    sum += value;
  }
  for (float& value : soft) {
    value /= sum;
  }
  return largest;
}

}  // namespace

void StraightThrough::draw_row(std::span<const float> outputs, SeededRandom& random,
                               std::span<float> record, std::span<float> soft) const {
  for (const RecordPart& part : inputs_.layout().parts) {
    const std::size_t first = part.first;
    if (!part.used) {
      continue;
    }
    if (part.image) {
      for (std::size_t i = first; i < first + part.width; ++i) {
        soft[i] = std::tanh(0.5F * outputs[i]);
        record[i] = inputs_.pixel(soft[i]);
      }
    } else if (part.is_number) {
      record[first] = soft[first] = std::tanh(outputs[first]);
      if (part.may_miss) {
        const double u = positive_uniform(random);
        const double noise = std::log(u / (1.0 - u));
        soft[first + 1] = static_cast<float>(
            logistic((static_cast<double>(outputs[first + 1]) + noise) / kTemperature));
        const bool is_there = soft[first + 1] > 0.5F;
        record[first + 1] = is_there ? 1.0F : 0.0F;
        record[first] = is_there ? soft[first] : 0.0F;
      }
    } else {
      const std::size_t code =
          draw_code(outputs.subspan(first, part.width), random, soft.subspan(first, part.width));
      record[first + code] = 1.0F;
    }
  }
}

StraightThrough::Drawn StraightThrough::draw(const Matrix& outputs,
                                             std::span<const std::size_t> classes,
                                             SeededRandom& random, WorkerPool& pool) const {
  MEHLER_ASSERT(outputs.columns == inputs_.layout().size);
  MEHLER_ASSERT(inputs_.told_classes() == 0 || classes.size() == outputs.rows);
  Drawn drawn{Matrix(outputs.rows, inputs_.size()), Matrix(outputs.rows, outputs.columns)};
  // Some rows have a seed of their own, so that the threads do not matter.
  std::vector<std::uint64_t> seeds(ceil_divide(outputs.rows, kRowsPerTask));
  for (std::uint64_t& seed : seeds) {
    seed = random.next_word();
  }
  for_tiles(outputs.rows, kRowsPerTask, pool,
            [&](std::size_t task, std::size_t first, std::size_t count) {
              SeededRandom of_task(seeds[task]);
              for (std::size_t row = first; row < first + count; ++row) {
                draw_row(outputs.row(row), of_task, drawn.records.row(row), drawn.soft.row(row));
                if (inputs_.told_classes() > 0) {
                  drawn.records.row(row)[inputs_.layout().size + classes[row]] = 1.0F;
                }
              }
            });
  return drawn;
}

void StraightThrough::backward_row(std::span<const float> record, std::span<const float> soft,
                                   std::span<const float> slopes, std::span<float> result) const {
  constexpr auto kSteepness = static_cast<float>(1.0 / kTemperature);
  for (const RecordPart& part : inputs_.layout().parts) {
    const std::size_t first = part.first;
    if (!part.used) {
      continue;
    }
    if (part.image) {
      for (std::size_t i = first; i < first + part.width; ++i) {
        result[i] = 0.5F * inputs_.pixel_slope() * slopes[i] * (1.0F - soft[i] * soft[i]);
      }
    } else if (part.is_number) {
      const float value = soft[first];
      result[first] = slopes[first] * std::max(1.0F - value * value, kLeastSlope);
      if (part.may_miss) {
        // The record has presence times value, and presence.
        const float presence = soft[first + 1];
        result[first] *= record[first + 1];
        result[first + 1] =
            kSteepness * presence * (1.0F - presence) * (slopes[first + 1] + slopes[first] * value);
      }
    } else {
      float mean = 0.0F;
      for (std::size_t i = first; i < first + part.width; ++i) {
        mean += soft[i] * slopes[i];
      }
      for (std::size_t i = first; i < first + part.width; ++i) {
        result[i] = kSteepness * soft[i] * (slopes[i] - mean);
      }
    }
  }
}

Matrix StraightThrough::backward(const Drawn& drawn, const Matrix& record_gradient,
                                 WorkerPool& pool) const {
  MEHLER_ASSERT(record_gradient.rows == drawn.soft.rows &&
                record_gradient.columns == inputs_.size());
  Matrix result(drawn.soft.rows, drawn.soft.columns);
  for_tiles(result.rows, kRowsPerTask, pool,
            [&](std::size_t, std::size_t first, std::size_t count) {
              for (std::size_t row = first; row < first + count; ++row) {
                backward_row(drawn.records.row(row), drawn.soft.row(row), record_gradient.row(row),
                             result.row(row));
              }
            });
  return result;
}

}  // namespace mehler
