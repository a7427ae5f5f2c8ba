#pragma once

#include <cstddef>

#include "mehler/features/product_accumulator.h"

namespace mehler {

/// Lets tests see how much a slice of records cost. Exists only under tests/.
struct ProductAccumulatorTestPeer {
  /// Records of the last cell whose features were multiplied: of equal ones, one.
  static std::size_t multiplied_records(const ProductAccumulator& accumulator) {
    return accumulator.different_rows_.size();
  }
};

}  // namespace mehler
