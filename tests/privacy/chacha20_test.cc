#include "mehler/privacy/chacha20.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace mehler {
namespace {

/// The first bytes of the keystream, in hexadecimal digits; the tests' machines are little-endian.
std::string keystream(const std::array<std::uint32_t, kChaChaKeyWords>& key, std::size_t from,
                      std::size_t bytes) {
  std::vector<std::uint64_t> words(64 * kChaChaStepWords);
  fill_with_chacha20(key, words);
  std::vector<unsigned char> stream(8 * words.size());
  std::memcpy(stream.data(), words.data(), stream.size());
  std::string digits;
  for (std::size_t i = from; i < from + bytes; ++i) {
    constexpr const char* kDigits = "0123456789abcdef";
    digits += {kDigits[stream[i] >> 4], kDigits[stream[i] & 15]};
  }
  return digits;
}

// RFC 8439, appendix A.1: test vectors 1, 2 and 3, whose nonce is 0.

TEST(ChaCha20, HasTheFirstBlocksOfTheRfc) {
  EXPECT_EQ(keystream({}, 0, 64),
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
            "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586");
  EXPECT_EQ(keystream({}, 64, 64),
            "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
            "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f");
}

TEST(ChaCha20, HasTheRfcsBlockOfAnotherKey) {
  EXPECT_EQ(keystream({0, 0, 0, 0, 0, 0, 0, 0x01000000}, 64, 64),
            "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
            "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0");
}

TEST(ChaCha20, CountsItsBlocks) {
  // openssl enc -chacha20 -K 0100000002000000...08000000 -iv 0 of 16,384 zeros: the last 64 bytes.
  EXPECT_EQ(keystream({1, 2, 3, 4, 5, 6, 7, 8}, 255 * 64, 64),
            "7910670c310d9ecd0228fdfee4db3bc7da554ea67c019e2a4eea2580ce445d79"
            "16cc9ddcebb30217a8cf805494b68defba2c1fbed28b8339a4d866a10b8c53d2");
}

}  // namespace
}  // namespace mehler
