// Sums the features of a product block over a matrix of values and says how long it took.
//
//   product_sums_benchmark VALUES ROWS COLUMNS ORDER LENGTH_SCALE THREADS REPEATS SUMS
//
// VALUES: float64, [COLUMNS][ROWS], in [-1, 1]. The block is the product of all columns; SUMS
// receives int64, [(ORDER + 1)^COLUMNS], in multiples of 2^-34. Prints {"seconds": best of REPEATS,
// "rho": ..., "scale": ...}.

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/micro/measure.h"
#include "mehler/core/context.h"
#include "mehler/features/product_accumulator.h"

namespace mehler {
namespace {

void run(char** arguments) {
  const auto rows = std::strtoull(arguments[2], nullptr, 10);
  const auto columns = std::strtoull(arguments[3], nullptr, 10);
  const auto features = HermiteFeatures::with_best_rho(std::strtoull(arguments[4], nullptr, 10),
                                                       std::strtod(arguments[5], nullptr));
  const auto threads = std::strtoull(arguments[6], nullptr, 10);
  const auto repeats = std::strtoull(arguments[7], nullptr, 10);
  std::vector<double> values(rows * columns);
  read_raw<double>(arguments[1], values);
  FeatureBlock block;
  block.combination = Combination::kProduct;
  EncodedBatch batch;
  batch.rows = rows;
  for (std::size_t i = 0; i < columns; ++i) {
    block.maps.push_back({FeatureMap::hermite(i, features, false)});
    const auto column = std::span(values).subspan(i * rows, rows);
    batch.columns.push_back({{column.begin(), column.end()}, {}, {}});
  }
  std::vector<std::uint32_t> all_rows(rows);
  std::iota(all_rows.begin(), all_rows.end(), 0U);

  std::vector<std::vector<std::int64_t>> sums(threads);
  const double seconds = shortest_seconds(repeats, [&] {
    run_workers(threads, [&](std::size_t worker) {
      sums[worker].assign(block.dimension(), 0);
      const std::size_t first = rows * worker / threads;
      const std::size_t last = rows * (worker + 1) / threads;
      ProductAccumulator(block).add(batch, std::span(all_rows).subspan(first, last - first),
                                    sums[worker].data());
    });
    for (std::size_t worker = 1; worker < threads; ++worker) {
      for (std::size_t i = 0; i < sums[0].size(); ++i) {
        sums[0][i] += sums[worker][i];
      }
    }
  });
  append_raw<std::int64_t>(arguments[8], sums[0]);
  fmt::print("{{\"seconds\": {}, \"rho\": {}, \"scale\": {}}}\n", seconds, features.rho(),
             features.scale());
}

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) { return mehler::run_with_arguments(argc, argv, 8, mehler::run); }
