#include "mehler/privacy/chacha20.h"

#include <algorithm>
#include <iterator>

#include "mehler/core/error.h"
#include "mehler/core/wiping.h"

namespace mehler {
namespace {

constexpr std::size_t kBlockWords = 16;
/// Blocks that are computed side by side, so that the compiler can use vectors.
constexpr std::size_t kLanes = 2 * kChaChaStepWords / kBlockWords;
constexpr int kDoubleRounds = 10;

/// One word of the state in all lanes.
using Word = std::uint32_t __attribute__((vector_size(4 * kLanes)));

/// a += b, then d ^= a, turned left by `turn` bits.
template <int turn>
void add_and_turn(Word& a, const Word& b, Word& d) {
  a += b;
  d ^= a;
  d = d << turn | d >> (32 - turn);
}

void quarter_round(Word& a, Word& b, Word& c, Word& d) {
  add_and_turn<16>(a, b, d);
  add_and_turn<12>(c, d, b);
  add_and_turn<8>(a, b, d);
  add_and_turn<7>(c, d, b);
}

}  // namespace

void fill_with_chacha20(std::span<const std::uint32_t, kChaChaKeyWords> key,
                        std::span<std::uint64_t> out) {
  MEHLER_ASSERT(out.size() % kChaChaStepWords == 0);
  Word start[kBlockWords] = {};
  Word state[kBlockWords];
  constexpr std::uint32_t kConstants[] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (std::size_t i = 0; i < kLanes; ++i) {
    for (std::size_t w = 0; w < 4; ++w) {
      start[w][i] = kConstants[w];
    }
    for (std::size_t w = 0; w < kChaChaKeyWords; ++w) {
      start[4 + w][i] = key[w];
    }
    start[12][i] = static_cast<std::uint32_t>(i);  // the block's number; the nonce stays 0
  }
  for (std::size_t first = 0; first < out.size(); first += kChaChaStepWords) {
    std::copy(std::begin(start), std::end(start), state);
    for (int round = 0; round < kDoubleRounds; ++round) {
      for (std::size_t i = 0; i < 4; ++i) {
        quarter_round(state[i], state[4 + i], state[8 + i], state[12 + i]);
      }
      for (std::size_t i = 0; i < 4; ++i) {
        quarter_round(state[i], state[4 + (i + 1) % 4], state[8 + (i + 2) % 4],
                      state[12 + (i + 3) % 4]);
      }
    }
    for (std::size_t i = 0; i < kLanes; ++i) {
      for (std::size_t w = 0; w < kBlockWords; w += 2) {
        const std::uint64_t low = state[w][i] + start[w][i];
        const std::uint64_t high = state[w + 1][i] + start[w + 1][i];
        out[first + (i * kBlockWords + w) / 2] = low | high << 32;
      }
      start[12][i] += kLanes;
    }
  }
  wipe_memory(start, sizeof(start));
  wipe_memory(state, sizeof(state));
}

}  // namespace mehler
