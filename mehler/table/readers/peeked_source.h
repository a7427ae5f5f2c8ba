#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mehler/table/readers/byte_source.h"

namespace mehler {

/// A source whose next bytes can be looked at before they are read.
class PeekedSource : public ByteSource {
 public:
  explicit PeekedSource(std::unique_ptr<ByteSource> inner);

  /// The next `count` bytes, fewer only if the source ends before. Valid until the next call.
  std::string_view peek(std::size_t count);

  /// Drops `count` bytes that have been peeked at.
  void skip(std::size_t count);

  /// First what was peeked at, then straight from the inner source, without a copy.
  std::size_t read(std::span<char> out) override;

 private:
  std::unique_ptr<ByteSource> inner_;
  std::string held_;
  std::size_t place_ = 0;  ///< held_[place_ ..) has not been read
};

}  // namespace mehler
