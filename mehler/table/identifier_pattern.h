#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace mehler {

/// How identifiers of synthetic records are made up: "P{6 digits}", "{4 letters}-{row}", "{uuid}".
/// {N digits} and {N letters} are drawn, {row} is the record's number from 1, {uuid} a random UUID;
/// "{{" and "}}" stand for braces.
///
/// Privacy: made from the pattern, a seed and the record's number; never from records.
class IdentifierPattern {
 public:
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  /// Throws Error(kInvalidSchema), with a message that goes on from a column's name, for a pattern
  /// that is empty, has no part that changes, an unknown part, or more than 10^18 values.
  explicit IdentifierPattern(std::string_view pattern);

  /// How many different identifiers there are; kUnlimited with {row} or {uuid}.
  std::uint64_t count() const { return is_unlimited_ ? kUnlimited : drawn_; }

  /// The identifier of record `row`, counted from 0. Those of one seed and different rows below
  /// count() are different.
  std::string make(std::uint64_t seed, std::uint64_t row) const;

 private:
  enum class Part { kText, kDigits, kLetters, kRow, kUuid };
  struct Piece {
    Part part = Part::kText;
    std::string text;      ///< of kText
    std::size_t size = 0;  ///< of kDigits and kLetters
  };
  void add_part(std::string_view words);
  void add_text(char c);

  std::vector<Piece> pieces_;
  std::uint64_t drawn_ = 1;  ///< number of values of all digits and letters together
  bool is_unlimited_ = false;
};

}  // namespace mehler
