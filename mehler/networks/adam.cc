#include "mehler/networks/adam.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"

namespace mehler {

void Adam::step(std::span<float> parameters, std::span<const float> gradient, double learning_rate,
                WorkerPool& pool) {
  MEHLER_ASSERT(parameters.size() == first_.size() && gradient.size() == first_.size());
  constexpr double kBeta1 = 0.9;
  constexpr double kBeta2 = 0.999;
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const auto rate = static_cast<float>(learning_rate * std::sqrt(1.0 - std::pow(kBeta2, t)) /
                                       (1.0 - std::pow(kBeta1, t)));
  constexpr std::size_t kPerTask = 8192;
  pool.run(ceil_divide(parameters.size(), kPerTask), [&](std::size_t task) {
    const std::size_t last = std::min(parameters.size(), (task + 1) * kPerTask);
    for (std::size_t i = task * kPerTask; i < last; ++i) {
      first_[i] += static_cast<float>(1.0 - kBeta1) * (gradient[i] - first_[i]);
      second_[i] += static_cast<float>(1.0 - kBeta2) * (gradient[i] * gradient[i] - second_[i]);
      parameters[i] -= rate * first_[i] / (std::sqrt(second_[i]) + 1e-8F);
    }
  });
}

}  // namespace mehler
