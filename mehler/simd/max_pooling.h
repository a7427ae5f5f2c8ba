#pragma once

#include <cstddef>

namespace mehler {

// The largest of every 2 x 2 pixels of `planes` planes, [rows][columns] each; a last row or column
// without a partner is left out. There are at least 2 rows and 2 columns. Both functions run on the
// calling thread and are thread-safe; each plane is taken by itself.

/// results: [planes][rows / 2][columns / 2].
void max_pool(const float* images, std::size_t planes, std::size_t rows, std::size_t columns,
              float* results);

/// The gradient by the pixels, given that by the results: each result's goes to the first of the
/// pixels that are the largest (by rows, then by columns), all others have 0.
void max_pool_gradient(const float* images, const float* slopes, std::size_t planes,
                       std::size_t rows, std::size_t columns, float* gradient);

}  // namespace mehler
