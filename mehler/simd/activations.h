#pragma once

#include <span>

namespace mehler {

// Element-wise functions in single precision, for networks. Relative error below 1e-5.

/// x becomes e^x; |x| <= 88.
void exponential_in_place(std::span<float> values);

/// x becomes tanh(x).
void tanh_in_place(std::span<float> values);

/// x becomes 1 / (1 + e^-x); -inf and inf are not allowed.
void logistic_in_place(std::span<float> values);

}  // namespace mehler
