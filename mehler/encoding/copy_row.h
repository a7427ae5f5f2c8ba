#pragma once

#include <algorithm>
#include <cstddef>

#include "mehler/encoding/encoded_batch.h"

namespace mehler {

/// to[to_row] = from[from_row], for all columns; both batches are of one encoder.
inline void copy_row(const EncodedBatch& from, std::size_t from_row, EncodedBatch& to,
                     std::size_t to_row) {
  for (std::size_t c = 0; c < to.columns.size(); ++c) {
    if (!to.columns[c].pixels.empty()) {
      const std::size_t bytes = to.columns[c].pixels.size() / to.rows;
      std::copy_n(from.columns[c].pixels.data() + from_row * bytes, bytes,
                  to.columns[c].pixels.data() + to_row * bytes);
    } else if (!to.columns[c].codes.empty()) {
      to.columns[c].codes[to_row] = from.columns[c].codes[from_row];
    } else {
      to.columns[c].numbers[to_row] = from.columns[c].numbers[from_row];
    }
  }
}

}  // namespace mehler
