#include "mehler/core/seeded_random.h"

#include <cmath>

namespace mehler {

std::uint64_t SeededRandom::next_word() {
  state_ += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

double SeededRandom::uniform() { return std::ldexp(static_cast<double>(next_word() >> 11), -53); }

double SeededRandom::normal() {
  while (true) {
    const double x = 2.0 * uniform() - 1.0;
    const double y = 2.0 * uniform() - 1.0;
    const double s = x * x + y * y;
    if (s > 0.0 && s < 1.0) {
      return x * std::sqrt(-2.0 * std::log(s) / s);
    }
  }
}

}  // namespace mehler
