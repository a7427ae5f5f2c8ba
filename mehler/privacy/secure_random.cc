#include "mehler/privacy/secure_random.h"

#include <pthread.h>
#include <sys/random.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <span>

#include "mehler/core/error.h"
#include "mehler/core/wiping.h"

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

/// Waits until the system has entropy, at boot. More than 256 bytes may come in several parts.
void fill_from_system(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = getrandom(bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      fail();
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
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
  fill_from_system(std::as_writable_bytes(std::span(buffer_)));
  used_ = 0;
}

}  // namespace mehler
