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

/// results[i] = max(0, values[i]), and NaN stays NaN, so that divergence shows; may be in place.
void rectify(std::span<const float> values, float* results);

/// gradient[i] = slopes[i] where rectified[i] is above 0, else 0; may be in place.
void rectifier_gradient(std::span<const float> rectified, const float* slopes, float* gradient);

/// results[i] = values[i] where that is above 0, else leak values[i]; may be in place.
void rectify_leaky(std::span<const float> values, float leak, float* results);

/// gradient[i] = slopes[i] where rectified[i] is above 0, else leak slopes[i]; may be in place.
void leaky_gradient(std::span<const float> rectified, const float* slopes, float leak,
                    float* gradient);

}  // namespace mehler
