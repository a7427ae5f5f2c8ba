#include "mehler/networks/adam.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/simd/adam_step.h"

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
    const std::size_t from = task * kPerTask;
    adam_step({&parameters[from], &gradient[from], &first_[from], &second_[from],
               std::min(kPerTask, parameters.size() - from)},
              static_cast<float>(1.0 - kBeta1), static_cast<float>(1.0 - kBeta2), rate);
  });
}

}  // namespace mehler
