// Sums the Hermite features of a matrix of values and says how long it took.
//
//   hermite_sums_benchmark VALUES ROWS COLUMNS ORDER LENGTH_SCALE THREADS REPEATS SUMS
//
// VALUES: float64, [COLUMNS][ROWS], in [-1, 1]. SUMS receives int64, [COLUMNS][ORDER + 1], in
// multiples of 2^-20. Prints {"seconds": best of REPEATS, "rho": ..., "scale": ...,
// "instruction_set": ...}.

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "benchmarks/micro/measure.h"
#include "mehler/core/context.h"
#include "mehler/features/feature_map.h"
#include "mehler/simd/hermite_sums.h"

namespace mehler {
namespace {

void run(char** arguments) {
  const std::string values_path = arguments[1];
  const auto rows = std::strtoull(arguments[2], nullptr, 10);
  const auto columns = std::strtoull(arguments[3], nullptr, 10);
  const auto order = std::strtoull(arguments[4], nullptr, 10);
  const double length_scale = std::strtod(arguments[5], nullptr);
  const auto threads = std::strtoull(arguments[6], nullptr, 10);
  const auto repeats = std::strtoull(arguments[7], nullptr, 10);
  std::vector<double> values(rows * columns);
  read_raw<double>(values_path, values);
  const auto features = HermiteFeatures::with_best_rho(order, length_scale);
  const HermiteRecursion recursion = features.recursion();
  std::vector<std::int64_t> sums;
  const double best = shortest_seconds(repeats, [&] {
    std::vector<std::vector<std::int64_t>> partial(threads);
    run_workers(threads, [&](std::size_t worker) {
      partial[worker].assign(columns * features.dimension(), 0);
      const std::size_t first = rows * worker / threads;
      const std::size_t last = rows * (worker + 1) / threads;
      for (std::size_t column = 0; column < columns; ++column) {
        add_hermite_sums(recursion, {&values[column * rows + first], last - first}, kGridExponent,
                         {&partial[worker][column * features.dimension()], features.dimension()});
      }
    });
    sums = partial[0];
    for (std::size_t worker = 1; worker < threads; ++worker) {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += partial[worker][i];
      }
    }
  });
  append_raw<std::int64_t>(arguments[8], sums);
  fmt::print("{{\"seconds\": {}, \"rho\": {}, \"scale\": {}, \"instruction_set\": \"{}\"}}\n", best,
             features.rho(), features.scale(), active_instruction_set());
}

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) { return mehler::run_with_arguments(argc, argv, 8, mehler::run); }
