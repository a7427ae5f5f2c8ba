#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mehler {

/// Unpredictable random words: OpenSSL's AES-256 counter generator, seeded by the operating system.
///
/// Privacy: the only source of noise. It has no seed. It runs in a library context of its own,
/// which reads no configuration file, so that neither OPENSSL_CONF nor any other environment
/// variable can exchange the generator. It fails closed: without entropy it throws Error(kInternal)
/// and hands out nothing. A forked child never repeats its parent's words. Not thread-safe; make
/// one per thread.
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
