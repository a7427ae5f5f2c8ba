#include "mehler/core/sha256.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace mehler {
namespace sha256_test {
namespace {

std::string in_hexadecimal(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

TEST(Sha256, HasTheValuesOfTheStandard) {
  EXPECT_EQ(in_hexadecimal(sha256("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(in_hexadecimal(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(in_hexadecimal(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(in_hexadecimal(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfEveryLengthAroundABlockIsThatOfAnotherImplementation) {
  // All digests of lengths 0 to 200 one after another, hashed once more; by Python's hashlib.
  std::string digests;
  for (std::size_t length = 0; length <= 200; ++length) {
    std::string bytes;
    for (std::size_t i = 0; i < length; ++i) {
      bytes.push_back(static_cast<char>(7 * i + length));
    }
    digests += sha256(bytes);
  }
  EXPECT_EQ(in_hexadecimal(sha256(digests)),
            "e673d33f6940a6d3856d0d305fd88363ae0ba3b96e2411d8ddd5e0dd443f4525");
}

}  // namespace
}  // namespace sha256_test
}  // namespace mehler
