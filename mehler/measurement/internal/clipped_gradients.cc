#include "mehler/measurement/internal/clipped_gradients.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/measurement/internal/clip_scale.h"
#include "mehler/networks/row_groups.h"
#include "mehler/simd/exact_products.h"
#include "mehler/simd/matrix_product.h"

namespace mehler {
namespace {

constexpr int kTakenExponent = 14;
constexpr int kErrorExponent = 24;
/// Records that are gone through at once. Sums of as many products are exact: 2^11 is below
/// 2^(53 - 14 - 24).
constexpr std::size_t kMostRows = 2048;
constexpr std::size_t kRecordsOfTile = 64;
/// Numbers of a layer's sums that a task makes.
constexpr std::size_t kSumsOfTask = 8192;

/// 2^exponent: multiplying by it is exact, and many times faster than std::ldexp.
constexpr double power_of_two(int exponent) {
  double result = 1.0;
  for (int i = 0; i < std::max(exponent, -exponent); ++i) {
    result *= exponent > 0 ? 2.0 : 0.5;
  }
  return result;
}

double on_taken_grid(float value) {
  return std::rint(static_cast<double>(value) * power_of_two(kTakenExponent)) *
         power_of_two(-kTakenExponent);
}

/// The nearest multiple of 2^-kErrorExponent that is not further from 0.
double cut_to_error_grid(double value) {
  return std::trunc(value * power_of_two(kErrorExponent)) * power_of_two(-kErrorExponent);
}

double squared_norm(const double* values, std::size_t count) {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += values[i] * values[i];
  }
  return sum;
}

[[noreturn]] void refuse_critic() {
  throw Error(ErrorCode::kInvalidArgument,
              "a critic of private records must have dense layers with a bias alone, a rectifier "
              "between them and one number at the end: layers that mix records are not private");
}

}  // namespace

void ClippedGradients::require_critic(const Network& critic, std::size_t inputs) {
  bool after_dense = false;
  for (const Layer& layer : critic.layers()) {
    const auto* dense = std::get_if<DenseLayer>(&layer);
    const auto* activation = std::get_if<ActivationLayer>(&layer);
    const bool rectifies =
        activation != nullptr && activation->function != ActivationLayer::Function::kLogistic;
    if (after_dense ? !rectifies : (dense == nullptr || !dense->bias)) {
      refuse_critic();
    }
    after_dense = !after_dense;
  }
  if (!after_dense || critic.inputs() != inputs || critic.outputs() != 1) {
    refuse_critic();
  }
}

void ClippedGradients::set_up(const Network& critic, std::size_t rows) {
  const std::vector<Layer>& layers = critic.layers();
  steps_.resize(ceil_divide(layers.size(), 2));
  std::size_t place = 0;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    Step& step = steps_[s];
    const auto& dense = std::get<DenseLayer>(layers[2 * s]);
    step.inputs = dense.inputs;
    step.outputs = dense.outputs;
    step.place = place;
    place += dense.parameter_count();
    step.activation = 2 * s + 1 < layers.size()
                          ? std::optional(std::get<ActivationLayer>(layers[2 * s + 1]))
                          : std::nullopt;
    step.below.resize(rows * step.inputs);
    step.slopes.resize(rows * step.outputs);
    step.taken.resize(rows * (step.inputs + 1));
    step.errors.resize(rows * step.outputs);
  }
  said_.resize(rows);
}

// The matrix product gives each entry from its own row alone, whatever the number of rows, and so
// do the other functions: tiles do not matter.

void ClippedGradients::forward(const Network& critic, std::size_t first, std::size_t count) {
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    const bool is_last = s + 1 == steps_.size();
    float* const results = is_last ? &said_[first] : &steps_[s + 1].below[first * step.outputs];
    const float* const weights = &critic.parameters()[step.place];
    DenseLayer{step.inputs, step.outputs}.forward(&step.below[first * step.inputs], count, weights,
                                                  results);
    if (step.activation) {
      step.activation->forward(results, count, nullptr, results);
    }
  }
}

void ClippedGradients::backward(const Network& critic, CriticLoss loss, std::size_t first,
                                std::size_t count) {
  for (std::size_t row = first; row < first + count; ++row) {
    steps_.back().slopes[row] =
        static_cast<float>(slope_of_real(loss, static_cast<double>(said_[row])));
  }
  for (std::size_t s = steps_.size(); s-- > 1;) {
    const Step& step = steps_[s];
    Step& below = steps_[s - 1];
    float* const slopes = &below.slopes[first * below.outputs];
    DenseLayer{step.inputs, step.outputs}.backward(&step.slopes[first * step.outputs], count,
                                                   nullptr, &critic.parameters()[step.place],
                                                   slopes);
    below.activation->backward(slopes, count, &step.below[first * step.inputs], nullptr, slopes);
  }
}

void ClippedGradients::clip(double clip_norm, std::size_t row) {
  double squares = 0.0;
  for (Step& step : steps_) {
    double* const taken = &step.taken[row * (step.inputs + 1)];
    double* const errors = &step.errors[row * step.outputs];
    for (std::size_t i = 0; i < step.inputs; ++i) {
      taken[i] = on_taken_grid(step.below[row * step.inputs + i]);
    }
    taken[step.inputs] = 1.0;
    std::copy_n(&step.slopes[row * step.outputs], step.outputs, errors);
    squares += squared_norm(taken, step.inputs + 1) * squared_norm(errors, step.outputs);
  }
  const std::optional<double> scale = clip_scale(std::sqrt(squares), clip_norm);
  for (Step& step : steps_) {
    double* const errors = &step.errors[row * step.outputs];
    for (std::size_t i = 0; i < step.outputs; ++i) {
      errors[i] = scale ? cut_to_error_grid(*scale * errors[i]) : 0.0;
    }
    if (!scale) {
      std::fill_n(&step.taken[row * (step.inputs + 1)], step.inputs + 1, 0.0);
    }
  }
}

void ClippedGradients::add_products(std::size_t rows, WorkerPool& pool,
                                    std::span<std::int64_t> sums) {
  struct Task {
    const Step* step;
    std::size_t first;
    std::size_t count;
  };
  std::vector<Task> tasks;
  for (const Step& step : steps_) {
    const std::size_t of_task = std::max<std::size_t>(1, kSumsOfTask / step.outputs);
    for (std::size_t first = 0; first <= step.inputs; first += of_task) {
      tasks.push_back({&step, first, std::min(of_task, step.inputs + 1 - first)});
    }
  }
  pool.run(tasks.size(), [&](std::size_t t) {
    const auto& [step, first, count] = tasks[t];
    WipedVector<double> exact(count * step->outputs, 0.0);
    add_exact_products(rows, &step->taken[first], step->inputs + 1, count, step->errors.data(),
                       step->outputs, step->outputs, exact.data(), step->outputs);
    std::int64_t* const to = &sums[step->place + first * step->outputs];
    for (std::size_t i = 0; i < exact.size(); ++i) {
      to[i] += static_cast<std::int64_t>(exact[i] * power_of_two(kTakenExponent + kErrorExponent));
    }
  });
}

void ClippedGradients::add(const Network& critic, CriticLoss loss, double clip_norm,
                           const EncodedBatch& records, std::span<const std::uint32_t> rows,
                           WorkerPool& pool, std::span<std::int64_t> sums) {
  MEHLER_ASSERT(sums.size() == critic.parameters().size() && clip_norm > 0.0);
  while (!rows.empty()) {
    const std::span<const std::uint32_t> some = rows.first(std::min(rows.size(), kMostRows));
    rows = rows.subspan(some.size());
    set_up(critic, some.size());
    for_tiles(some.size(), kRecordsOfTile, pool,
              [&](std::size_t, std::size_t first, std::size_t count) {
                for (std::size_t row = first; row < first + count; ++row) {
                  inputs_.put(records, some[row], &steps_[0].below[row * inputs_.size()]);
                }
                forward(critic, first, count);
                backward(critic, loss, first, count);
                for (std::size_t row = first; row < first + count; ++row) {
                  clip(clip_norm, row);
                }
              });
    add_products(some.size(), pool, sums);
  }
}

}  // namespace mehler
