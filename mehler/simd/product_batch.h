#pragma once

#include <cstddef>
#include <span>

#include "mehler/simd/hermite_sums.h"

namespace mehler {

// Products of features of GENERATED records in single precision, with their gradients. Features
// stand row by row, one row of `stride` records for each feature; any stride. Valid for |z| <= 37
// and orders up to 1000; the error of a feature is below 1e-7, and that of a slope below 1e-6 of
// the norm of the gradient times sqrt(2 order + 1) scale. Beyond, features vanish; nothing finite
// gives NaN.

/// rows[k * stride + i] = presence[i] phi_k(values[i]), k = 0 .. order. An empty `presence` stands
/// for ones.
void fill_soft_hermite_rows(const HermiteRecursion& recursion, std::span<const float> values,
                            std::span<const float> presence, float* rows, std::size_t stride);

/// slopes[i] = sum_k gradient[k * stride + i] rows[k]'(i), the derivative with respect to values[i]
/// of <gradient, rows>, given the rows that fill_soft_hermite_rows() made.
void contract_hermite_slopes(const HermiteRecursion& recursion, std::span<const float> values,
                             const float* rows, const float* gradient, std::size_t stride,
                             std::span<float> slopes);

/// product[(i * inner_count + j) * stride + r] = outer[i * stride + r] * inner[j * stride + r].
void multiply_soft_rows(const float* outer, std::size_t outer_count, const float* inner,
                        std::size_t inner_count, std::size_t stride, float* product);

/// Backward through multiply_soft_rows(): the gradients with respect to `outer` and `inner`, given
/// the one with respect to the product.
void split_product_gradient(const float* product_gradient, const float* outer,
                            std::size_t outer_count, const float* inner, std::size_t inner_count,
                            std::size_t stride, float* outer_gradient, float* inner_gradient);

/// The residuals of the two halves of a batch and what their products add up to.
///
/// half's residual[k] = target[k] - factor (sums[half][k] + sums[half][stride + k] + ..), `groups`
/// terms. Gives the sum over k < count of the product of both; weight times each residual takes the
/// place of sums[half][k].
double weigh_residuals(const float* target, float factor, float weight, float* const sums[2],
                       std::size_t groups, std::size_t stride, std::size_t count);

}  // namespace mehler
