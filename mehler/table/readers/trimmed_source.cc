#include "mehler/table/readers/trimmed_source.h"

#include <algorithm>
#include <cstring>

namespace mehler {

void SpaceTrimmer::trim(std::string_view piece, std::string& out) {
  for (const char c : piece) {
    if (state_ == State::kInQuotes) {
      out.push_back(c);
      if (c == '"') {
        state_ = State::kAfterQuote;
      }
      continue;
    }
    if (c == '"' && state_ != State::kInField) {
      // At a field's start a quote opens; after a quote it makes a doubled one, and the text goes
      // on.
      out.push_back(c);
      state_ = State::kInQuotes;
      continue;
    }
    if (c == delimiter_ || c == '\n' || c == '\r') {
      pending_.clear();
      out.push_back(c);
      state_ = State::kFieldStart;
      continue;
    }
    if (c == ' ' || c == '\t') {
      if (state_ != State::kFieldStart) {
        pending_.push_back(c);
        state_ = State::kInField;
      }
      continue;
    }
    out += pending_;
    pending_.clear();
    out.push_back(c);
    state_ = State::kInField;
  }
}

TrimmedSource::TrimmedSource(std::unique_ptr<ByteSource> inner, char delimiter)
    : inner_(std::move(inner)), trimmer_(delimiter) {}

std::size_t TrimmedSource::read(std::span<char> out) {
  constexpr std::size_t kPieceBytes = 1 << 18;
  while (place_ == trimmed_.size()) {
    untrimmed_.resize(kPieceBytes);
    const std::size_t count = inner_->read(untrimmed_);
    if (count == 0) {
      return 0;
    }
    trimmed_.clear();
    place_ = 0;
    trimmer_.trim(std::string_view(untrimmed_).substr(0, count), trimmed_);
  }
  const std::size_t count = std::min(out.size(), trimmed_.size() - place_);
  std::memcpy(out.data(), trimmed_.data() + place_, count);
  place_ += count;
  return count;
}

}  // namespace mehler
