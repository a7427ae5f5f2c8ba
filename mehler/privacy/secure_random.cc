#include "mehler/privacy/secure_random.h"

#include <pthread.h>
#include <sys/random.h>

#include <atomic>
#include <cerrno>
#include <mutex>

#include "mehler/core/error.h"
#include "mehler/core/wiping.h"
#include "mehler/privacy/chacha20.h"

namespace mehler {
namespace {

/// Counts forks: a child's buffers are copies of its parent's and must not be used. A count, not
/// the process id, which a later child can have again.
std::atomic<std::uint64_t> fork_count{0};

[[noreturn]] void fail() {
  throw Error(
      ErrorCode::kInternal,
      "the system's random generator gave no random numbers, so no noise was drawn and nothing was "
      "released; check that getrandom works in this environment");
}

void watch_forks() {
  static std::once_flag watch;
  std::call_once(watch, [] {
    if (pthread_atfork(nullptr, nullptr,
                       [] { fork_count.fetch_add(1, std::memory_order_relaxed); }) != 0) {
      fail();
    }
  });
}

using Key = std::array<std::uint32_t, kChaChaKeyWords>;

/// Waits until the system has entropy, at boot. So few bytes come all at once or not at all.
Key fresh_key() {
  Key key;
  ssize_t bytes = 0;
  do {
    bytes = getrandom(key.data(), sizeof(key), 0);
  } while (bytes < 0 && errno == EINTR);
  if (bytes != static_cast<ssize_t>(sizeof(key))) {
    fail();
  }
  return key;
}

}  // namespace

SecureRandom::SecureRandom() : buffer_{} { watch_forks(); }

SecureRandom::~SecureRandom() { wipe_memory(buffer_.data(), sizeof(buffer_)); }

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
  process_generation_ = fork_count.load(std::memory_order_relaxed);
  Key key = fresh_key();
  fill_with_chacha20(key, buffer_);
  wipe_memory(key.data(), sizeof(key));
  used_ = 0;
}

}  // namespace mehler
