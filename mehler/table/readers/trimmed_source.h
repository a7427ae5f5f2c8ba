#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mehler/table/readers/byte_source.h"

namespace mehler {

/// Drops spaces and tabs around the fields of a CSV text: after a delimiter or a line's start, and
/// before a delimiter or a line's end. What stands in quotes is kept, and so is a delimiter that is
/// itself a tab.
///
/// The text may come in pieces of any size.
class SpaceTrimmer {
 public:
  explicit SpaceTrimmer(char delimiter) : delimiter_(delimiter) {}

  /// Appends to `out` what remains of the next piece. Spaces that end the text are dropped.
  void trim(std::string_view piece, std::string& out);

 private:
  enum class State { kFieldStart, kInField, kInQuotes, kAfterQuote };

  char delimiter_;
  State state_ = State::kFieldStart;
  std::string pending_;  ///< spaces that are kept if the field goes on after them
};

/// A CSV text without the spaces around its fields.
class TrimmedSource : public ByteSource {
 public:
  TrimmedSource(std::unique_ptr<ByteSource> inner, char delimiter);

  std::size_t read(std::span<char> out) override;

 private:
  std::unique_ptr<ByteSource> inner_;
  SpaceTrimmer trimmer_;
  std::string untrimmed_;
  std::string trimmed_;
  std::size_t place_ = 0;  ///< trimmed_[place_ ..) has not been read
};

}  // namespace mehler
