#include "mehler/privacy/secure_random.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <set>
#include <type_traits>

#include "mehler/core/seeded_random.h"

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

TEST(SecureRandom, AForkedChildDoesNotRepeatItsParent) {
  SecureRandom random;
  (void)random.next_word();  // a buffer is there to be copied
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::uint64_t word = random.next_word();
    const bool written = write(pipe_ends[1], &word, sizeof(word)) == sizeof(word);
    _exit(written ? 0 : 1);
  }
  std::uint64_t childs_word = 0;
  ASSERT_EQ(read(pipe_ends[0], &childs_word, sizeof(childs_word)),
            static_cast<ssize_t>(sizeof(childs_word)));
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_NE(random.next_word(), childs_word);
}

TEST(SecureRandom, IsNotASeededGenerator) {
  static_assert(!std::is_constructible_v<SecureRandom, std::uint64_t>);
  static_assert(!std::is_convertible_v<SeededRandom, SecureRandom>);
  static_assert(!std::is_constructible_v<SecureRandom, SeededRandom>);
  static_assert(!std::is_copy_constructible_v<SecureRandom>);
}

}  // namespace
}  // namespace mehler
