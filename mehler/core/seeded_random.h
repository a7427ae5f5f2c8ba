#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace mehler {

/// Reproducible random numbers for simulation, training and sampling: the same on every machine for
/// a seed.
///
/// Privacy: never a source of noise. It does not convert to or from SecureRandom.
class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}

  /// For one piece of a larger draw: pieces are independent, and each is the same however many
  /// there are.
  static SeededRandom of_piece(std::uint64_t seed, std::uint64_t piece) {
    return SeededRandom(seed_of_piece(seed, piece));
  }
  static std::uint64_t seed_of_piece(std::uint64_t seed, std::uint64_t piece) {
    return SeededRandom(seed).next_word() ^ (piece * 0xD1342543DE82EF95ULL + 0x632BE59BD9B4E019ULL);
  }

  /// Where the sequence is, for checkpoints: a generator made from it goes on from there.
  std::uint64_t state() const { return state_; }

  /// 64 bits: SplitMix64.
  std::uint64_t next_word();
  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform();
  /// Standard normal (Marsaglia's polar method).
  double normal();
  /// Standard normals, drawn in pairs: half the cost of normal() each.
  void fill_normal(std::span<float> values);
  /// True with the given probability.
  bool flip(double probability) { return uniform() < probability; }

 private:
  std::pair<double, double> normal_pair();

  std::uint64_t state_;
};

}  // namespace mehler
