#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mehler/core/wiping.h"
#include "mehler/measurement/private_critics.h"
#include "mehler/networks/network.h"

namespace mehler {

/// The numbers of one critic: weights and what its optimiser keeps.
///
/// Privacy: private, and wiped.
struct PrivateCriticWeights {
  WipedVector<float> parameters;
  WipedVector<float> first;
  WipedVector<float> second;
  std::uint64_t steps = 0;
};

/// Goes through dense layers with leaky rectifiers between them, forth and back, with the weights
/// of any one critic. Not thread-safe; memory is wiped.
///
/// The last layer gives a number for all records and one for each class, and f is the first and
/// that of the record's class: among many numbers of a record, such as pixels, those that tell the
/// class would hardly be heard. They are the last inputs, and f is taken as a function of the
/// others, given the class.
class PrivateCriticPass {
 public:
  /// `classes`: how many of the inputs tell the class, one-hot; 0 for none.
  PrivateCriticPass(std::size_t inputs, std::size_t classes,
                    const std::vector<std::size_t>& hidden);

  static std::size_t parameter_count(std::size_t inputs, std::size_t classes,
                                     const std::vector<std::size_t>& hidden);

  /// Weights that are drawn from a seed.
  PrivateCriticWeights start(std::uint64_t seed) const;

  /// A step of training on a batch: `real` and `generated` have [rows][inputs] each, and `shares`
  /// says how much of each mixture is real, [rows]; its class is that of the real record.
  void train(const PrivateCriticTraining& training, std::span<const float> real,
             std::span<const float> generated, std::span<const float> shares,
             PrivateCriticWeights& critic);

  /// The gradient of f by one record, whose class is given: of no meaning behind its numbers.
  void record_gradient(const PrivateCriticWeights& critic, std::span<const float> record,
                       std::span<float> gradient);

  /// The loss that train() goes down, for tests.
  double loss(const PrivateCriticTraining& training, std::span<const float> real,
              std::span<const float> generated, std::span<const float> shares,
              const PrivateCriticWeights& critic);
  /// Its gradient by the weights.
  std::span<const float> loss_gradient(const PrivateCriticTraining& training,
                                       std::span<const float> real,
                                       std::span<const float> generated,
                                       std::span<const float> shares,
                                       const PrivateCriticWeights& critic);

 private:
  struct Step {
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::size_t place = 0;      ///< of its parameters
    WipedVector<float> below;   ///< what it takes, [rows][inputs]
    WipedVector<float> slopes;  ///< by what it gives, before the rectifier, [rows][outputs]
    WipedVector<float> along;   ///< how that changes along a direction, [rows][inputs]
  };

  bool is_last(std::size_t step) const { return step + 1 == steps_.size(); }
  std::size_t inputs() const { return steps_[0].inputs; }
  /// Those of a record's inputs that tell its class.
  std::span<const float> told(std::size_t row) const {
    return std::span(steps_[0].below).subspan((row + 1) * inputs() - classes_, classes_);
  }
  /// Mixtures of real and generated records.
  void mix(std::span<const float> real, std::span<const float> generated,
           std::span<const float> shares);
  /// What the critic says of rows.
  std::span<const float> forward(std::span<const float> parameters, std::span<const float> inputs);
  /// Slopes of all layers by what the critic says, times `slope_of_said` of each row; the gradient
  /// by the inputs, if that is asked for.
  void backward(std::span<const float> parameters, std::span<const float> slopes_of_said,
                float* input_gradient);
  void add_gradient();
  /// Adds the gradient of penalty (|grad f| - 1)^2, a mean over the rows.
  void add_penalty_gradient(double penalty, std::span<const float> parameters,
                            std::span<const float> mixtures);

  std::size_t classes_;
  std::size_t rows_ = 0;
  std::vector<Step> steps_;
  WipedVector<float> outputs_;  ///< of the last layer, [rows][1 + classes]
  WipedVector<float> said_;
  WipedVector<float> gradient_;
  WipedVector<float> slopes_of_said_;
  WipedVector<float> mixtures_;
  WipedVector<float> by_mixtures_;
};

}  // namespace mehler
