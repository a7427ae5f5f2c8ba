#include "mehler/privacy/secure_random.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <pthread.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr unsigned int kSecurityBits = 256;

/// Counts forks: a child's buffers are copies of its parent's and must not be used.
std::atomic<std::uint64_t> fork_count{0};

std::uint64_t process_generation() {
  static std::once_flag watch;
  std::call_once(watch, [] {
    pthread_atfork(nullptr, nullptr, [] { fork_count.fetch_add(1, std::memory_order_relaxed); });
  });
  return fork_count.load(std::memory_order_relaxed);
}

[[noreturn]] void fail() {
  throw Error(
      ErrorCode::kInternal,
      "the system's random generator gave no random numbers, so no noise was drawn and nothing was "
      "released; check that /dev/urandom and getrandom work in this environment");
}

/// A context that nobody has configured. Shared: OpenSSL serialises what needs it.
OSSL_LIB_CTX* library_context() {
  static const std::unique_ptr<OSSL_LIB_CTX, decltype(&OSSL_LIB_CTX_free)> context(
      OSSL_LIB_CTX_new(), &OSSL_LIB_CTX_free);
  if (context == nullptr) {
    fail();
  }
  return context.get();
}

}  // namespace

SecureRandom::SecureRandom() : buffer_{}, process_generation_(process_generation()) {}

SecureRandom::~SecureRandom() { OPENSSL_cleanse(buffer_.data(), sizeof(buffer_)); }

std::uint64_t SecureRandom::next_word() {
  if (used_ == kBufferWords || process_generation_ != fork_count.load(std::memory_order_relaxed)) {
    refill();
  }
  const std::uint64_t word = buffer_[used_];
  buffer_[used_++] = 0;
  return word;
}

void SecureRandom::refill() {
  used_ = kBufferWords;
  if (RAND_priv_bytes_ex(library_context(), reinterpret_cast<unsigned char*>(buffer_.data()),
                         sizeof(buffer_), kSecurityBits) != 1) {
    fail();
  }
  process_generation_ = process_generation();
  used_ = 0;
}

}  // namespace mehler
