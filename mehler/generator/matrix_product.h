#pragma once

#include <cstddef>

#include "mehler/core/matrix.h"

namespace mehler {

enum class Transpose { kNo, kYes };

/// result = op(a) op(b), or result += op(a) op(b) if `accumulate`; row-major pointers, op(a) is m x
/// k, op(b) k x n. oneDNN's single-precision product, on the calling thread alone: callers that
/// want more cut their rows into tiles, which keeps results independent of the number of threads.
void multiply(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
              std::size_t k, const float* a, const float* b, float* result, bool accumulate);

}  // namespace mehler
