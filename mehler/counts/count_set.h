#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/counts/count_block.h"

namespace mehler {

/// Everything that is counted of a table.
class CountSet {
 public:
  /// The memory that the counts of all blocks may take, 8 bytes a number.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

  /// Throws Error(kInvalidArgument) for no block, a name given twice, a marginal of too many
  /// columns, of one column twice or of a single cell, invalid ranges, or counts that take more
  /// than kMaxBytes.
  CountSet(const Encoder& encoder, std::vector<CountBlock> blocks);

  const std::vector<CountBlock>& blocks() const { return blocks_; }
  /// Numbers that are released, over all blocks.
  std::size_t dimension() const;

  /// The specification as a JSON text, and back. The text is part of a release.
  std::string to_json(const Encoder& encoder) const;
  static CountSet from_json(const Encoder& encoder, std::string_view text);

  bool operator==(const CountSet&) const = default;

 private:
  std::vector<CountBlock> blocks_;
};

/// The bytes that the counts of these blocks take in a release.
std::size_t bytes_of(std::span<const CountBlock> blocks);

/// Throws Error(kInvalidArgument) if no column has more than one possible value: there would be
/// nothing to count.
void require_varying_column(const Encoder& encoder);

}  // namespace mehler
