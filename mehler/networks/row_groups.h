#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "mehler/core/integer_math.h"
#include "mehler/core/worker_pool.h"

namespace mehler {

/// Runs work(tile, first row, number of rows) for every tile of `tile_rows` rows.
void for_tiles(std::size_t rows, std::size_t tile_rows, WorkerPool& pool, const auto& work) {
  pool.run(ceil_divide(rows, tile_rows), [&](std::size_t tile) {
    const std::size_t first = tile * tile_rows;
    work(tile, first, std::min(tile_rows, rows - first));
  });
}

/// Gradients by parameters are sums over rows: of at most 16 groups of at least `fewest` rows, so
/// that several threads have work and the sums do not depend on how many.
struct RowGroups {
  RowGroups(std::size_t rows, std::size_t fewest)
      : group_rows(ceil_divide(rows, std::min(std::size_t{16}, ceil_divide(rows, fewest)))),
        count(ceil_divide(rows, group_rows)) {}

  std::size_t group_rows;
  std::size_t count;
};

/// result[i] = the sum over groups of sums[group * size + i], in the order of the groups.
inline void add_groups(const std::vector<float>& sums, std::size_t groups, std::size_t size,
                       float* result, WorkerPool& pool) {
  constexpr std::size_t kSumsPerTask = 8192;
  for_tiles(size, kSumsPerTask, pool, [&](std::size_t, std::size_t first, std::size_t count) {
    std::copy_n(&sums[first], count, result + first);
    for (std::size_t group = 1; group < groups; ++group) {
      const float* part = &sums[group * size + first];
      for (std::size_t i = 0; i < count; ++i) {
        result[first + i] += part[i];
      }
    }
  });
}

}  // namespace mehler
