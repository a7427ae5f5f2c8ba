#include "mehler/privacy/secure_random.h"

#define OPENSSL_SUPPRESS_DEPRECATED  // a host program may still use what OpenSSL discourages
#include <gtest/gtest.h>
#include <openssl/rand.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <type_traits>

#include "mehler/core/seeded_random.h"

namespace {

/// What getpid() returns in this program, libraries included; 0 for the truth.
pid_t seen_process_id = 0;

}  // namespace

extern "C" pid_t getpid() noexcept {
  return seen_process_id != 0 ? seen_process_id : static_cast<pid_t>(syscall(SYS_getpid));
}

namespace mehler {
namespace {

TEST(SecureRandom, NeverRepeatsAcrossInstances) {
  std::set<std::uint64_t> words;
  for (int i = 0; i < 20; ++i) {
    SecureRandom random;
    for (int j = 0; j < 2000; ++j) {
      words.insert(random.next_word());
    }
  }
  EXPECT_EQ(words.size(), 40'000u);  // a repeat among honest words has probability 5e-11
}

TEST(SecureRandom, BitsAreFair) {
  SecureRandom random;
  constexpr int kWords = 100'000;
  std::array<int, 64> ones{};
  for (int i = 0; i < kWords; ++i) {
    const std::uint64_t word = random.next_word();
    for (int bit = 0; bit < 64; ++bit) {
      ones[bit] += static_cast<int>((word >> bit) & 1);
    }
  }
  // Each count is binomial; 6 standard deviations fail for 64 bits with probability 1.3e-7.
  for (const int count : ones) {
    EXPECT_NEAR(count, kWords / 2, 6 * std::sqrt(kWords / 4.0));
  }
}

/// The first word that a child of this process draws from `random`.
std::uint64_t word_of_child(SecureRandom& random) {
  int pipe_ends[2];
  EXPECT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  EXPECT_GE(child, 0);
  if (child == 0) {
    const std::uint64_t word = random.next_word();
    const bool written = write(pipe_ends[1], &word, sizeof(word)) == sizeof(word);
    _exit(written ? 0 : 1);
  }
  std::uint64_t word = 0;
  EXPECT_EQ(read(pipe_ends[0], &word, sizeof(word)), static_cast<ssize_t>(sizeof(word)));
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  return word;
}

TEST(SecureRandom, AForkedChildDoesNotRepeatItsParent) {
  SecureRandom random;
  (void)random.next_word();  // a buffer is there to be copied
  const std::uint64_t word = word_of_child(random);
  EXPECT_NE(random.next_word(), word);
}

TEST(SecureRandom, AChildWithItsParentsProcessIdDoesNotRepeatIt) {
  SecureRandom random;
  (void)random.next_word();
  // As after a process id has come round: whoever compares ids sees no fork.
  seen_process_id = getpid();
  const std::uint64_t first = word_of_child(random);
  const std::uint64_t second = word_of_child(random);
  const std::uint64_t of_buffer = random.next_word();
  SecureRandom other;
  const std::set<std::uint64_t> words = {first, second, of_buffer, other.next_word()};
  seen_process_id = 0;
  EXPECT_EQ(words.size(), 4u);
}

/// Random numbers that anybody can predict, where OpenSSL asks for them.
int predictable_bytes(unsigned char* bytes, int count) {
  std::fill_n(bytes, count, 0x42);
  return 1;
}

TEST(SecureRandom, AHostProgramsGeneratorForOpensslIsNotAsked) {
  const RAND_METHOD predictable = {nullptr, predictable_bytes, nullptr,
                                   nullptr, predictable_bytes, nullptr};
  const RAND_METHOD* before = RAND_get_rand_method();
  ASSERT_EQ(RAND_set_rand_method(&predictable), 1);
  std::uint64_t of_openssl = 0;
  EXPECT_EQ(RAND_priv_bytes_ex(nullptr, reinterpret_cast<unsigned char*>(&of_openssl), 8, 256), 1);
  SecureRandom random;
  const std::uint64_t word = random.next_word();
  RAND_set_rand_method(before);
  EXPECT_EQ(of_openssl, 0x4242424242424242u);  // it was in effect
  EXPECT_NE(word, of_openssl);
}

TEST(SecureRandom, IsNotASeededGenerator) {
  static_assert(!std::is_constructible_v<SecureRandom, std::uint64_t>);
  static_assert(!std::is_convertible_v<SeededRandom, SecureRandom>);
  static_assert(!std::is_constructible_v<SecureRandom, SeededRandom>);
  static_assert(!std::is_copy_constructible_v<SecureRandom>);
}

}  // namespace
}  // namespace mehler
