#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mehler/core/worker_pool.h"

namespace mehler {

/// The RMSprop optimiser with its usual constants (.99, 1e-8): steps in units of the gradient's
/// running root mean square.
class RmsProp {
 public:
  explicit RmsProp(std::size_t parameters) : squares_(parameters) {}

  /// One step down the gradient.
  void step(std::span<float> parameters, std::span<const float> gradient, double learning_rate,
            WorkerPool& pool);

 private:
  std::vector<float> squares_;
};

}  // namespace mehler
