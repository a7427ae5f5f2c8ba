#pragma once

#include <cstdint>

#include "mehler/core/seeded_random.h"

namespace mehler {

/// The seed of one piece of a larger draw: pieces are independent, and each is the same however
/// many there are.
inline std::uint64_t piece_seed(std::uint64_t seed, std::uint64_t piece) {
  SeededRandom mixed(seed);
  return mixed.next_word() ^ (piece * 0xD1342543DE82EF95ULL + 0x632BE59BD9B4E019ULL);
}

}  // namespace mehler
