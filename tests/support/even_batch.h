#pragma once

#include <cmath>
#include <cstdint>

#include "mehler/core/seeded_random.h"
#include "mehler/encoding/encoder.h"

namespace mehler {

/// Records drawn evenly from what the modelled columns can be; where a number may be missing, it is
/// with the probability `missing`.
inline EncodedBatch even_batch(const Encoder& encoder, std::size_t rows, SeededRandom& random,
                               double missing) {
  EncodedBatch batch;
  batch.rows = rows;
  for (const Column& column : encoder.columns()) {
    EncodedColumn values;
    for (std::size_t row = 0; row < rows; ++row) {
      if (column.is_number()) {
        values.numbers.push_back(column.missing && random.flip(missing) ? std::nan("")
                                                                        : 2 * random.uniform() - 1);
      } else {
        values.codes.push_back(static_cast<std::int32_t>(random.next_word() % column.code_count()));
      }
    }
    batch.columns.push_back(std::move(values));
  }
  return batch;
}

}  // namespace mehler
