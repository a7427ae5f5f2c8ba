#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "mehler/table/readers/byte_source.h"

namespace mehler {

/// Finds out whether a CSV text ends inside quotes. The text may come in pieces of any size.
class QuoteWatch {
 public:
  /// `line`: the number of the line that the text begins with.
  QuoteWatch(char delimiter, std::size_t line) : delimiter_(delimiter), line_(line) {}

  void look_at(std::string_view piece);

  /// Whether the text so far ends inside quotes.
  bool is_open() const { return is_open_ && !after_quote_; }
  /// The line of the quote that was opened last.
  std::size_t opening_line() const { return opening_line_; }

 private:
  char delimiter_;
  std::size_t line_;
  std::size_t opening_line_ = 0;
  bool is_open_ = false;
  bool after_quote_ = false;  ///< the last byte was a quote inside quotes: it closes, or doubles
  char last_ = '\n';
};

/// A CSV text that must not end inside quotes: everything after a quote that nobody closes would be
/// taken for one field, and the records in it would be lost without a word.
class QuoteWatchedSource : public ByteSource {
 public:
  /// `what` begins the message.
  QuoteWatchedSource(std::unique_ptr<ByteSource> inner, QuoteWatch watch, std::string what);

  /// Counts the bytes that were read, for whoever outlives this.
  std::shared_ptr<const std::atomic<std::uint64_t>> bytes() const { return bytes_; }

  /// Throws Error(kInvalidTable) at the end of a text that ends inside quotes.
  std::size_t read(std::span<char> out) override;

 private:
  std::unique_ptr<ByteSource> inner_;
  QuoteWatch watch_;
  std::string what_;
  std::shared_ptr<std::atomic<std::uint64_t>> bytes_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
};

}  // namespace mehler
