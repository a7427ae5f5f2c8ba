#pragma once

#include <cstddef>

namespace mehler {

/// What a step of Adam changes: `count` numbers each.
struct AdamNumbers {
  float* parameters = nullptr;
  const float* gradient = nullptr;
  float* first = nullptr;   ///< the running mean of the gradient
  float* second = nullptr;  ///< and of its square
  std::size_t count = 0;
};

/// Moves the means by their shares of what is new, then the parameters by rate first /
/// (sqrt(second)
/// + 1e-8). Each operation is rounded, so the bits are the same on every instruction set.
void adam_step(const AdamNumbers& numbers, float first_share, float second_share, float rate);

}  // namespace mehler
