#include "mehler/record_networks/network_inputs.h"

#include <algorithm>
#include <vector>

#include "mehler/core/integer_math.h"

namespace mehler {
namespace {

void fill_noise(NoiseInputs kind, std::span<float> values, SeededRandom& random) {
  if (kind == NoiseInputs::kNormal) {
    random.fill_normal(values);
    return;
  }
  for (float& value : values) {
    value = kind == NoiseInputs::kCoins ? (random.flip(0.5) ? 1.0F : 0.0F)
                                        : static_cast<float>(2.0 * random.uniform() - 1.0);
  }
}

}  // namespace

std::size_t draw_class(const std::vector<double>& probabilities, SeededRandom& random) {
  double left = random.uniform();
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (probabilities[i] > 0.0) {
      chosen = i;
      if (left < probabilities[i]) {
        break;
      }
      left -= probabilities[i];
    }
  }
  return chosen;
}

Matrix make_inputs(const NetworkDesign& design, std::span<const std::size_t> classes,
                   std::size_t class_count, SeededRandom& random, WorkerPool& pool) {
  Matrix inputs(classes.size(), design.noise_inputs + class_count);
  // Some rows have a seed of their own, so that the threads do not matter.
  constexpr std::size_t kRowsPerSeed = 512;
  std::vector<std::uint64_t> seeds(ceil_divide(classes.size(), kRowsPerSeed));
  for (std::uint64_t& seed : seeds) {
    seed = random.next_word();
  }
  pool.run(seeds.size(), [&](std::size_t task) {
    SeededRandom of_task(seeds[task]);
    const std::size_t last = std::min(classes.size(), (task + 1) * kRowsPerSeed);
    for (std::size_t i = task * kRowsPerSeed; i < last; ++i) {
      const auto row = inputs.row(i);
      fill_noise(design.noise, row.first(design.noise_inputs), of_task);
      if (class_count > 0) {
        row[design.noise_inputs + classes[i]] = 1.0F;
      }
    }
  });
  return inputs;
}

}  // namespace mehler
