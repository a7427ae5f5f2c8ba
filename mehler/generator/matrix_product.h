#pragma once

#include <cstddef>

#include "mehler/core/matrix.h"

namespace mehler {

enum class Transpose { kNo, kYes };

/// result = op(a) op(b), or result += op(a) op(b) if `accumulate`; row-major pointers, op(a) is m x
/// k, op(b) k x n. oneDNN's single-precision product; deterministic for a number of threads.
void multiply(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
              std::size_t k, const float* a, const float* b, float* result, bool accumulate);

/// The threads that products of the calling thread use from here on.
void set_product_threads(std::size_t threads);

}  // namespace mehler
