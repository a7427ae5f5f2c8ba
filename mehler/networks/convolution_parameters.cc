#include "mehler/networks/convolution_parameters.h"

#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace mehler {
namespace {

/// Sums that do not wait for each other.
double sum_of_floats(const float* values, std::size_t count) {
  std::array<float, 16> sums = {};
  std::size_t i = 0;
  for (; i + sums.size() <= count; i += sums.size()) {
    for (std::size_t lane = 0; lane < sums.size(); ++lane) {
      sums[lane] += values[i + lane];
    }
  }
  const double rest = std::accumulate(values + i, values + count, 0.0);
  return std::accumulate(sums.begin(), sums.end(), rest);
}

}  // namespace

void draw_kernels(std::span<float> weights, std::size_t numbers, SeededRandom& random) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(numbers));
  for (float& weight : weights) {
    weight = static_cast<float>(bound * (2.0 * random.uniform() - 1.0));
  }
}

void sum_slopes_of_channels(const Matrix& slopes, std::span<float> gradient, WorkerPool& pool) {
  const std::size_t positions = slopes.columns / gradient.size();
  pool.run(gradient.size(), [&](std::size_t channel) {
    double sum = 0.0;
    for (std::size_t row = 0; row < slopes.rows; ++row) {
      sum += sum_of_floats(&slopes.values[row * slopes.columns + channel * positions], positions);
    }
    gradient[channel] = static_cast<float>(sum);
  });
}

ConvolutionSize turned(const ConvolutionSize& size) {
  ConvolutionSize result = size;
  std::swap(result.inputs, result.outputs);
  result.before = size.kernel - 1 - size.before;
  return result;
}

std::vector<float> turned_weights(const ConvolutionSize& size, const float* weights) {
  const std::size_t places = size.kernel_rows() * size.kernel;
  std::vector<float> result(size.weights());
  for (std::size_t c = 0; c < size.inputs; ++c) {
    for (std::size_t place = 0; place < places; ++place) {
      for (std::size_t o = 0; o < size.outputs; ++o) {
        result[(o * places + places - 1 - place) * size.inputs + c] =
            weights[(c * places + place) * size.outputs + o];
      }
    }
  }
  return result;
}

}  // namespace mehler
