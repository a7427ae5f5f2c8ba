#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mehler {

/// Unpredictable random words from the operating system: getrandom(2), 4 kB at a time. A word is
/// handed out once and wiped; there is no other state.
///
/// Privacy: the only source of noise. It has no seed and no option, and asks no library that could
/// be told to use another generator: a configuration of OpenSSL, or a host program, can put an
/// engine in the place of OpenSSL's generator, or of the cipher inside it, whatever the library
/// context (docs/design/0004-exact-sums-and-noise.md). It fails closed: without entropy it throws
/// Error(kInternal) and hands out nothing. A child of fork() never repeats its parent's words,
/// whatever its process id. Not thread-safe; make one per thread.
class SecureRandom {
 public:
  SecureRandom();
  ~SecureRandom();
  SecureRandom(const SecureRandom&) = delete;
  SecureRandom& operator=(const SecureRandom&) = delete;

  /// 64 independent fair bits.
  std::uint64_t next_word();

 private:
  void refill();

  static constexpr std::size_t kBufferWords = 512;
  std::array<std::uint64_t, kBufferWords> buffer_;
  std::size_t used_ = kBufferWords;
  std::uint64_t process_generation_ = 0;
};

}  // namespace mehler
