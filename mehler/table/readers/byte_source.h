#pragma once

#include <cstddef>
#include <span>

namespace mehler {

/// Bytes that are read once, from front to back: a file, or what a filter makes of another source.
/// Not thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills a part of `out`, which is not empty, and returns how much; 0 only at the end. Throws
  /// Error.
  virtual std::size_t read(std::span<char> out) = 0;

  /// Fills all of `out` unless the end comes first.
  std::size_t read_fully(std::span<char> out) {
    std::size_t filled = 0;
    while (filled < out.size()) {
      const std::size_t count = read(out.subspan(filled));
      if (count == 0) {
        break;
      }
      filled += count;
    }
    return filled;
  }
};

}  // namespace mehler
