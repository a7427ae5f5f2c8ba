#pragma once

#include <cstddef>
#include <limits>

namespace mehler {

/// 128 bits, which every compiler we support has but ISO C++ does not name.
__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

/// a times b, or the largest std::size_t if the product does not fit: for sizes that are compared
/// with limits.
inline std::size_t multiply_saturating(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::size_t>::max() : product;
}

/// The same of a plus b.
inline std::size_t add_saturating(std::size_t a, std::size_t b) {
  std::size_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::size_t>::max() : sum;
}

/// a / b, rounded up.
inline std::size_t ceil_divide(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// The smallest multiple that is not below the value.
inline std::size_t round_up(std::size_t value, std::size_t multiple) {
  return ceil_divide(value, multiple) * multiple;
}

}  // namespace mehler
