#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mehler/core/worker_pool.h"

namespace mehler {

/// The Adam optimiser with its usual constants (beta 0.9 and 0.999, 1e-8).
class Adam {
 public:
  explicit Adam(std::size_t parameters) : first_(parameters), second_(parameters) {}

  /// One step down the gradient.
  void step(std::span<float> parameters, std::span<const float> gradient, double learning_rate,
            WorkerPool& pool);

  /// What a checkpoint keeps: the running means of the gradient and of its square, and the number
  /// of steps.
  std::span<float> first() { return first_; }
  std::span<float> second() { return second_; }
  std::span<const float> first() const { return first_; }
  std::span<const float> second() const { return second_; }
  std::size_t steps() const { return steps_; }
  void set_steps(std::size_t steps) { steps_ = steps; }

 private:
  std::vector<float> first_;
  std::vector<float> second_;
  std::size_t steps_ = 0;
};

}  // namespace mehler
