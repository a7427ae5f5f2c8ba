#include "mehler/table/readers/quote_watched_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"

namespace mehler {

void QuoteWatch::look_at(std::string_view piece) {
  const auto lines_in = [](std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  };
  std::size_t place = 0;
  while (place < piece.size()) {
    if (after_quote_) {
      after_quote_ = false;
      if (piece[place] == '"') {  // a doubled quote; the field goes on
        last_ = piece[place++];
        continue;
      }
      is_open_ = false;
    }
    const std::size_t quote = std::min(piece.find('"', place), piece.size());
    const std::string_view before = piece.substr(place, quote - place);
    line_ += lines_in(before);
    if (!before.empty()) {
      last_ = before.back();
    }
    if (quote == piece.size()) {
      return;
    }
    if (is_open_) {
      after_quote_ = true;
    } else if (last_ == delimiter_ || last_ == '\n' || last_ == '\r') {
      is_open_ = true;
      opening_line_ = line_;
    }
    last_ = '"';
    place = quote + 1;
  }
}

QuoteWatchedSource::QuoteWatchedSource(std::unique_ptr<ByteSource> inner, QuoteWatch watch,
                                       std::string what)
    : inner_(std::move(inner)), watch_(watch), what_(std::move(what)) {}

std::size_t QuoteWatchedSource::read(std::span<char> out) {
  const std::size_t count = inner_->read(out);
  *bytes_ += count;
  watch_.look_at(std::string_view(out.data(), count));
  if (count == 0 && watch_.is_open()) {
    throw Error(
        ErrorCode::kInvalidTable,
        fmt::format("{} has a quote, opened on line {}, that is not closed before the end of "
                    "the file; close it, or restore the end of the file if it was cut off",
                    what_, watch_.opening_line()));
  }
  return count;
}

}  // namespace mehler
