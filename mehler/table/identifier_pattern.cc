#include "mehler/table/identifier_pattern.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/seeded_random.h"

namespace mehler {
namespace {

constexpr std::uint64_t kMostDrawn = 1'000'000'000'000'000'000;  // 10^18
constexpr std::size_t kLongestPattern = 200;

[[noreturn]] void refuse_pattern(const std::string& complaint) {
  throw Error(ErrorCode::kInvalidSchema, "has a \"make\" " + complaint);
}

std::uint64_t mixed(std::uint64_t value) { return SeededRandom(value).next_word(); }

/// A permutation of [0, count), another for each key: a Feistel network on the next even number of
/// bits, walked along until it is back in the range.
std::uint64_t permuted(std::uint64_t value, std::uint64_t count, std::uint64_t key) {
  const auto bits = static_cast<unsigned>(std::bit_width(count - 1));
  const unsigned half = bits < 2 ? 1 : (bits + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  constexpr std::uint64_t kRounds = 6;
  do {
    std::uint64_t left = value >> half;
    std::uint64_t right = value & mask;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t next = left ^ (mixed(key + mixed(right ^ (round << 40))) & mask);
      left = right;
      right = next;
    }
    value = (left << half) | right;
  } while (value >= count);
  return value;
}

/// Of version 4. The last 62 bits are a permutation of the row, so that no two rows share one.
std::string uuid_of(std::uint64_t seed, std::uint64_t row) {
  const std::uint64_t high = mixed(mixed(seed + 1) + row);
  constexpr std::uint64_t kLowValues = std::uint64_t{1} << 62;
  const std::uint64_t low = permuted(row % kLowValues, kLowValues, mixed(seed + 2));
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xfff, 0x8000 | (low >> 48), low & 0xffffffffffff);
}

}  // namespace

IdentifierPattern::IdentifierPattern(std::string_view pattern) {
  if (pattern.empty() || pattern.size() > kLongestPattern) {
    refuse_pattern(fmt::format(
        "that is empty or longer than {} bytes; write it as \"P{{6 digits}}\"", kLongestPattern));
  }
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      add_text(pattern[i++]);
    } else if (pattern[i] == '{') {
      const std::size_t end = rest.find('}');
      if (end == std::string_view::npos) {
        refuse_pattern("with a brace that is not closed; write \"{{\" for a brace itself");
      }
      add_part(rest.substr(1, end - 1));
      i += end;
    } else if (pattern[i] == '}') {
      refuse_pattern("with a closing brace alone; write \"}}\" for a brace itself");
    } else {
      add_text(pattern[i]);
    }
  }
  if (drawn_ == 1 && !is_unlimited_) {
    refuse_pattern(
        "in which nothing changes from record to record; add {6 digits}, {4 letters}, {row} or "
        "{uuid}");
  }
}

void IdentifierPattern::add_text(char c) {
  if (pieces_.empty() || pieces_.back().part != Part::kText) {
    pieces_.push_back({Part::kText, "", 0});
  }
  pieces_.back().text.push_back(c);
}

void IdentifierPattern::add_part(std::string_view words) {
  if (words == "row" || words == "uuid") {
    pieces_.push_back({words == "row" ? Part::kRow : Part::kUuid, "", 0});
    is_unlimited_ = true;
    return;
  }
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), size);
  const std::string_view unit = words.substr(static_cast<std::size_t>(end - words.data()));
  const bool is_digits = unit == " digits" || unit == " digit";
  const bool is_letters = unit == " letters" || unit == " letter";
  if (error != std::errc() || size < 1 || !(is_digits || is_letters)) {
    refuse_pattern(
        fmt::format("with the unknown part '{{{}}}'; allowed are {{6 digits}}, {{4 letters}} (any "
                    "number of them), {{row}} and {{uuid}}",
                    shown(words)));
  }
  for (std::size_t i = 0; i < size; ++i) {
    drawn_ *= is_digits ? 10 : 26;
    if (drawn_ > kMostDrawn) {
      refuse_pattern("with more than 10^18 values; use fewer digits and letters, or {uuid}");
    }
  }
  pieces_.push_back({is_digits ? Part::kDigits : Part::kLetters, "", size});
}

std::string IdentifierPattern::make(std::uint64_t seed, std::uint64_t row) const {
  std::uint64_t drawn = drawn_ == 1 ? 0 : permuted(row % drawn_, drawn_, mixed(seed));
  std::string result;
  for (const Piece& piece : pieces_) {
    switch (piece.part) {
      case Part::kText:
        result += piece.text;
        break;
      case Part::kRow:
        result += fmt::format("{}", row + 1);
        break;
      case Part::kUuid:
        result += uuid_of(seed, row);
        break;
      case Part::kDigits:
      case Part::kLetters: {
        const std::uint64_t radix = piece.part == Part::kDigits ? 10 : 26;
        for (std::size_t i = 0; i < piece.size; ++i, drawn /= radix) {
          const char first = piece.part == Part::kDigits ? '0' : 'A';
          result.push_back(static_cast<char>(first + static_cast<char>(drawn % radix)));
        }
        break;
      }
    }
  }
  return result;
}

}  // namespace mehler
