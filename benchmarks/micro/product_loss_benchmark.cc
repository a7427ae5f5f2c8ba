// Takes the loss of a product block and its gradient, and says how long it took.
//
//   product_loss_benchmark FOLDER ROWS COLUMNS ORDER LENGTH_SCALE THREADS REPEATS
//
// ROWS generated records of COLUMNS numbers, one class; the block is the product of all of them.
// FOLDER receives raw float32: values and gradient [COLUMNS][ROWS], targets [(ORDER + 1)^COLUMNS].
// Prints a JSON object: what else the loss is made of, the loss, the shortest seconds of REPEATS,
// and the MB by which their first one raised the peak memory.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "benchmarks/micro/measure.h"
#include "mehler/core/seeded_random.h"
#include "mehler/generator/neural/product_loss.h"

namespace mehler {
namespace {

constexpr double kRecords = 48'842.0;
constexpr double kTargetDeviation = 100.0;

void run(char** arguments) {
  const std::string folder = arguments[1];
  const auto rows = std::strtoull(arguments[2], nullptr, 10) / 2 * 2;
  const auto columns = std::strtoull(arguments[3], nullptr, 10);
  const auto features = HermiteFeatures::with_best_rho(std::strtoull(arguments[4], nullptr, 10),
                                                       std::strtod(arguments[5], nullptr));
  const auto threads = std::strtoull(arguments[6], nullptr, 10);
  const auto repeats = std::strtoull(arguments[7], nullptr, 10);

  SeededRandom random(1);
  FeatureBlock block;
  block.combination = Combination::kProduct;
  SoftBatch batch;
  batch.rows = rows;
  batch.columns.resize(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    block.maps.push_back({FeatureMap::hermite(i, features, false)});
    batch.columns[i].numbers.resize(rows);
    for (float& value : batch.columns[i].numbers) {
      value = static_cast<float>(std::clamp(0.4 * random.normal(), -1.0, 1.0));
    }
    append_raw<float>(folder + "/values", batch.columns[i].numbers);
  }
  std::vector<float> targets(block.dimension());
  for (float& target : targets) {
    target = static_cast<float>(kTargetDeviation * random.normal());
  }
  append_raw<float>(folder + "/targets", targets);

  const ProductLoss loss(block, std::move(targets));
  WorkerPool pool(threads);
  SoftBatch gradient = batch;
  double value = 0.0;
  const auto evaluate = [&] {
    for (SoftColumn& column : gradient.columns) {
      std::fill(column.numbers.begin(), column.numbers.end(), 0.0F);
    }
    value = loss.add_class(0, {0, rows, kRecords}, 1.0 / static_cast<double>(block.dimension()),
                           batch, &gradient, pool);
  };
  const double memory_before = peak_memory_megabytes();
  evaluate();
  const double memory = peak_memory_megabytes() - memory_before;
  const double seconds = shortest_seconds(repeats, evaluate);
  for (const SoftColumn& column : gradient.columns) {
    append_raw<float>(folder + "/gradient", column.numbers);
  }
  fmt::print(
      "{{\"rho\": {}, \"scale\": {}, \"records\": {}, \"loss\": {}, \"seconds\": {}, "
      "\"workspace_megabytes\": {}}}\n",
      features.rho(), features.scale(), kRecords, value, seconds, memory);
}

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) { return mehler::run_with_arguments(argc, argv, 7, mehler::run); }
