#include "mehler/table/readers/peeked_source.h"

#include <algorithm>
#include <cstring>

#include "mehler/core/error.h"

namespace mehler {

PeekedSource::PeekedSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {}

std::string_view PeekedSource::peek(std::size_t count) {
  if (held_.size() - place_ < count) {
    held_.erase(0, place_);
    place_ = 0;
    const std::size_t before = held_.size();
    held_.resize(count);
    const std::size_t added = inner_->read_fully(std::span(held_).subspan(before));
    held_.resize(before + added);
  }
  return std::string_view(held_).substr(place_, count);
}

void PeekedSource::skip(std::size_t count) {
  MEHLER_ASSERT(count <= held_.size() - place_);
  place_ += count;
}

std::size_t PeekedSource::read(std::span<char> out) {
  const std::size_t held = held_.size() - place_;
  if (held == 0) {
    return inner_->read(out);
  }
  const std::size_t count = std::min(held, out.size());
  std::memcpy(out.data(), held_.data() + place_, count);
  place_ += count;
  if (place_ == held_.size()) {
    held_ = std::string();
    place_ = 0;
  }
  return count;
}

}  // namespace mehler
