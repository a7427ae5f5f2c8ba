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

double SeededRandom::uniform() { return static_cast<double>(next_word() >> 11) * 0x1p-53; }

std::pair<double, double> SeededRandom::normal_pair() {
  while (true) {
    const double x = 2.0 * uniform() - 1.0;
    const double y = 2.0 * uniform() - 1.0;
    const double s = x * x + y * y;
    if (s > 0.0 && s < 1.0) {
      const double factor = std::sqrt(-2.0 * std::log(s) / s);
      return {x * factor, y * factor};
    }
  }
}

double SeededRandom::normal() { return normal_pair().first; }

void SeededRandom::fill_normal(std::span<float> values) {
  for (std::size_t i = 0; i < values.size(); i += 2) {
    const auto [first, second] = normal_pair();
    values[i] = static_cast<float>(first);
    if (i + 1 < values.size()) {
      values[i + 1] = static_cast<float>(second);
    }
  }
}

}  // namespace mehler
