#include "mehler/measurement/internal/private_critic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/core/euclidean_length.h"
#include "mehler/simd/adam_step.h"
#include "mehler/simd/matrix_product.h"

namespace mehler {
namespace {

constexpr ActivationLayer::Function kLeaky = ActivationLayer::Function::kLeakyRectifier;
/// Of Adam, as GS-WGAN's authors have it.
constexpr double kFirstDecay = 0.5;
constexpr double kSecondDecay = 0.9;

/// Adds a^T d to a dense layer's weights, and the sums of d to its bias.
void add_outer(std::size_t rows, std::size_t inputs, std::size_t outputs, const float* taken,
               const float* slopes, bool bias, float* gradient) {
  multiply(Transpose::kYes, Transpose::kNo, inputs, outputs, rows, taken, slopes, gradient, true);
  for (std::size_t row = 0; bias && row < rows; ++row) {
    for (std::size_t i = 0; i < outputs; ++i) {
      gradient[inputs * outputs + i] += slopes[row * outputs + i];
    }
  }
}

}  // namespace

PrivateCriticPass::PrivateCriticPass(std::size_t inputs, std::size_t classes,
                                     const std::vector<std::size_t>& hidden)
    : classes_(classes) {
  std::size_t place = 0;
  std::vector<std::size_t> widths = hidden;
  widths.push_back(1 + classes);
  for (const std::size_t width : widths) {
    steps_.push_back({inputs, width, place, {}, {}, {}});
    place += (inputs + 1) * width;
    inputs = width;
  }
  gradient_.resize(place);
}

std::size_t PrivateCriticPass::parameter_count(std::size_t inputs, std::size_t classes,
                                               const std::vector<std::size_t>& hidden) {
  std::size_t count = 0;
  for (const std::size_t width : hidden) {
    count += (inputs + 1) * width;
    inputs = width;
  }
  return count + (inputs + 1) * (1 + classes);
}

PrivateCriticWeights PrivateCriticPass::start(std::uint64_t seed) const {
  PrivateCriticWeights critic;
  critic.parameters.resize(gradient_.size());
  critic.first.resize(gradient_.size());
  critic.second.resize(gradient_.size());
  SeededRandom random(seed);
  for (const Step& step : steps_) {
    const DenseLayer layer{step.inputs, step.outputs, true, StartingWeights::kRectified};
    layer.initialize(std::span(critic.parameters).subspan(step.place, layer.parameter_count()),
                     random);
  }
  // The numbers of classes begin at 0: of a class that it never met a critic says what it says of
  // all.
  const Step& last = steps_.back();
  for (std::size_t from = 0; from <= last.inputs; ++from) {  // the last is the bias
    float* const numbers = &critic.parameters[last.place + from * last.outputs];
    std::fill(numbers + 1, numbers + last.outputs, 0.0F);
  }
  return critic;
}

std::span<const float> PrivateCriticPass::forward(std::span<const float> parameters,
                                                  std::span<const float> inputs) {
  rows_ = inputs.size() / this->inputs();
  for (Step& step : steps_) {
    step.below.resize(rows_ * step.inputs);
    step.slopes.resize(rows_ * step.outputs);
    step.along.resize(rows_ * step.inputs);
  }
  outputs_.resize(rows_ * (1 + classes_));
  said_.resize(rows_);
  std::copy(inputs.begin(), inputs.end(), steps_[0].below.begin());
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    float* const results = is_last(s) ? outputs_.data() : steps_[s + 1].below.data();
    DenseLayer{step.inputs, step.outputs}.forward(step.below.data(), rows_, &parameters[step.place],
                                                  results);
    if (!is_last(s)) {
      ActivationLayer{step.outputs, kLeaky}.forward(results, rows_, nullptr, results);
    }
  }
  for (std::size_t row = 0; row < rows_; ++row) {
    const float* const outputs = &outputs_[row * (1 + classes_)];
    said_[row] = std::inner_product(told(row).begin(), told(row).end(), outputs + 1, outputs[0]);
  }
  return said_;
}

void PrivateCriticPass::backward(std::span<const float> parameters,
                                 std::span<const float> slopes_of_said, float* input_gradient) {
  for (std::size_t row = 0; row < rows_; ++row) {
    float* const slopes = &steps_.back().slopes[row * (1 + classes_)];
    slopes[0] = slopes_of_said[row];
    std::transform(told(row).begin(), told(row).end(), slopes + 1,
                   [&](float is_of_class) { return is_of_class * slopes[0]; });
  }
  for (std::size_t s = steps_.size(); s-- > 0;) {
    const Step& step = steps_[s];
    float* const below = s > 0 ? steps_[s - 1].slopes.data() : input_gradient;
    if (below == nullptr) {
      return;
    }
    DenseLayer{step.inputs, step.outputs}.backward(step.slopes.data(), rows_, nullptr,
                                                   &parameters[step.place], below);
    if (s > 0) {
      ActivationLayer{step.inputs, kLeaky}.backward(below, rows_, step.below.data(), nullptr,
                                                    below);
    }
  }
}

void PrivateCriticPass::add_gradient() {
  for (const Step& step : steps_) {
    add_outer(rows_, step.inputs, step.outputs, step.below.data(), step.slopes.data(), true,
              &gradient_[step.place]);
  }
}

// Between the corners of its rectifiers f is linear, so that for a fixed direction v the slope v
// grad f is what the layers without biases, with the rectifiers' slopes at this record, make of v.
// Its gradient by a layer's weights is the outer product of what that layer takes of v and of the
// slope by what it gives. The penalty's direction is 2 (|grad f| - 1) / |grad f| grad f.
void PrivateCriticPass::add_penalty_gradient(double penalty, std::span<const float> parameters,
                                             std::span<const float> mixtures) {
  forward(parameters, mixtures);
  slopes_of_said_.assign(rows_, 1.0F);
  by_mixtures_.resize(mixtures.size());
  backward(parameters, slopes_of_said_, by_mixtures_.data());
  const std::size_t width = inputs();
  std::fill(steps_[0].along.begin(), steps_[0].along.end(), 0.0F);
  for (std::size_t row = 0; row < rows_; ++row) {
    const auto slope = std::span(by_mixtures_).subspan(row * width, width - classes_);
    const double norm = euclidean_length(slope);
    const double scale =
        norm > 1e-12 ? 2.0 * penalty * (norm - 1.0) / norm / static_cast<double>(rows_) : 0.0;
    for (std::size_t i = 0; i < slope.size(); ++i) {
      steps_[0].along[row * width + i] = static_cast<float>(scale) * slope[i];
    }
  }
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    add_outer(rows_, step.inputs, step.outputs, step.along.data(), step.slopes.data(), false,
              &gradient_[step.place]);
    if (!is_last(s)) {
      Step& next = steps_[s + 1];
      DenseLayer{step.inputs, step.outputs, false}.forward(
          step.along.data(), rows_, &parameters[step.place], next.along.data());
      ActivationLayer{step.outputs, kLeaky}.backward(next.along.data(), rows_, next.below.data(),
                                                     nullptr, next.along.data());
    }
  }
}

void PrivateCriticPass::mix(std::span<const float> real, std::span<const float> generated,
                            std::span<const float> shares) {
  mixtures_.resize(real.size());
  for (std::size_t i = 0; i < mixtures_.size(); ++i) {
    const float share = i % inputs() < inputs() - classes_ ? shares[i / inputs()] : 1.0F;
    mixtures_[i] = share * real[i] + (1.0F - share) * generated[i];
  }
}

std::span<const float> PrivateCriticPass::loss_gradient(const PrivateCriticTraining& training,
                                                        std::span<const float> real,
                                                        std::span<const float> generated,
                                                        std::span<const float> shares,
                                                        const PrivateCriticWeights& critic) {
  const std::size_t rows = shares.size();
  MEHLER_ASSERT(rows > 0 && real.size() == rows * inputs() && generated.size() == real.size());
  std::fill(gradient_.begin(), gradient_.end(), 0.0F);
  const auto of_row = static_cast<float>(1.0 / static_cast<double>(rows));
  for (const bool is_real : {true, false}) {
    forward(critic.parameters, is_real ? real : generated);
    slopes_of_said_.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      slopes_of_said_[row] =
          is_real ? of_row * (-1.0F + 2.0F * static_cast<float>(training.drift) * said_[row])
                  : of_row;
    }
    backward(critic.parameters, slopes_of_said_, nullptr);
    add_gradient();
  }
  mix(real, generated, shares);
  add_penalty_gradient(training.penalty, critic.parameters, mixtures_);
  return gradient_;
}

void PrivateCriticPass::train(const PrivateCriticTraining& training, std::span<const float> real,
                              std::span<const float> generated, std::span<const float> shares,
                              PrivateCriticWeights& critic) {
  loss_gradient(training, real, generated, shares, critic);
  const auto steps = static_cast<double>(++critic.steps);
  const auto rate =
      static_cast<float>(training.learning_rate * std::sqrt(1.0 - std::pow(kSecondDecay, steps)) /
                         (1.0 - std::pow(kFirstDecay, steps)));
  adam_step({critic.parameters.data(), gradient_.data(), critic.first.data(), critic.second.data(),
             gradient_.size()},
            static_cast<float>(1.0 - kFirstDecay), static_cast<float>(1.0 - kSecondDecay), rate);
}

void PrivateCriticPass::record_gradient(const PrivateCriticWeights& critic,
                                        std::span<const float> record, std::span<float> gradient) {
  forward(critic.parameters, record);
  slopes_of_said_.assign(1, 1.0F);
  backward(critic.parameters, slopes_of_said_, gradient.data());
}

double PrivateCriticPass::loss(const PrivateCriticTraining& training, std::span<const float> real,
                               std::span<const float> generated, std::span<const float> shares,
                               const PrivateCriticWeights& critic) {
  const std::size_t width = inputs();
  const std::size_t rows = shares.size();
  double sum = 0.0;
  for (const float said : forward(critic.parameters, real)) {
    const auto value = static_cast<double>(said);
    sum += -value + training.drift * value * value;
  }
  for (const float said : forward(critic.parameters, generated)) {
    sum += static_cast<double>(said);
  }
  mix(real, generated, shares);
  WipedVector<float> slope(width);
  for (std::size_t row = 0; row < rows; ++row) {
    record_gradient(critic, std::span(mixtures_).subspan(row * width, width), slope);
    const double excess = euclidean_length(std::span(slope).first(width - classes_)) - 1.0;
    sum += training.penalty * excess * excess;
  }
  return sum / static_cast<double>(rows);
}

}  // namespace mehler
