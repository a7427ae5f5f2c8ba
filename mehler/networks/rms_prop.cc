#include "mehler/networks/rms_prop.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"

namespace mehler {

void RmsProp::step(std::span<float> parameters, std::span<const float> gradient,
                   double learning_rate, WorkerPool& pool) {
  MEHLER_ASSERT(parameters.size() == squares_.size() && gradient.size() == squares_.size());
  constexpr float kDecay = 0.99F;
  constexpr float kFloor = 1e-8F;
  constexpr std::size_t kPerTask = 8192;
  const auto rate = static_cast<float>(learning_rate);
  pool.run(ceil_divide(parameters.size(), kPerTask), [&](std::size_t task) {
    const std::size_t last = std::min((task + 1) * kPerTask, parameters.size());
    for (std::size_t i = task * kPerTask; i < last; ++i) {
      squares_[i] += (1.0F - kDecay) * (gradient[i] * gradient[i] - squares_[i]);
      parameters[i] -= rate * gradient[i] / (std::sqrt(squares_[i]) + kFloor);
    }
  });
}

}  // namespace mehler
