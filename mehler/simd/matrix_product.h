#pragma once

#include <cstddef>
#include <span>

namespace mehler {

enum class Transpose { kNo, kYes };

/// result = op(a) op(b), or result += op(a) op(b) if `accumulate`: single precision, row-major,
/// op(a) m x k, op(b) k x n. a is [m][k], or [k][m] if it is to be transposed; b is [k][n] or
/// [n][k]. Any of m, n and k may be 0: a product over k = 0 is zero. The result may not share
/// memory with a or b.
///
/// Error: |found - exact| <= g (sum_p |a_ip b_pj|), and g |result_ij| more where it is added to
/// one, with g = d u / (1 - d u), u = 2^-24 and d = min(k, 256) + k / 256 + 1 (rounded down), where
/// nothing over- or underflows: the longest chain of roundings that an entry depends on.
///
/// On one instruction set an entry depends on its row of op(a), its column of op(b), and its old
/// value if it is added to one, and on nothing else: neither on m and n nor on how a and b are
/// stored. So callers that cut their rows into tiles, for threads, get the same bits however they
/// cut them.
///
/// Runs on the calling thread alone. Thread-safe; a thread that calls it keeps product_memory().
void multiply(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
              std::size_t k, const float* a, const float* b, float* result, bool accumulate);

/// The same for parts of larger matrices. A stride is the distance between the beginnings of two
/// rows, in floats; at least as many as a row has.
void multiply(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
              std::size_t k, const float* a, std::size_t a_stride, const float* b,
              std::size_t b_stride, float* result, std::size_t result_stride, bool accumulate);

/// The 64 KB of the calling thread in which products pack parts of b. They stay there after the
/// product: whoever multiplies what is private wipes them.
std::span<float> product_memory();

}  // namespace mehler
