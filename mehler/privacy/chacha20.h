#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mehler {

/// Words of the key, and words that are filled at once.
inline constexpr std::size_t kChaChaKeyWords = 8;
inline constexpr std::size_t kChaChaStepWords = 32;

/// Fills `out` with the keystream of ChaCha20 (RFC 8439) with nonce 0, from block 0 on: each word
/// has two of the RFC's 32-bit words, the earlier one in its low half. The size of `out` is a
/// multiple of kChaChaStepWords.
///
/// For SecureRandom, which never uses a key twice. No table is looked up and no branch taken by a
/// secret, so that neither cache nor time tells of it.
void fill_with_chacha20(std::span<const std::uint32_t, kChaChaKeyWords> key,
                        std::span<std::uint64_t> out);

}  // namespace mehler
