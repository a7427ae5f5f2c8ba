#pragma once

#include <cstddef>
#include <limits>

namespace mehler {

/// a b, or the largest number if that is too large for one: for sizes that are compared with
/// limits.
inline std::size_t multiply_saturating(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::size_t>::max() : product;
}

}  // namespace mehler
