#include <cmath>

#include "mehler/networks/layers.h"
#include "mehler/networks/row_groups.h"
#include "mehler/simd/matrix_product.h"

namespace mehler {
namespace {

/// The fewest rows of a group that weight gradients are summed in.
constexpr std::size_t kGroupRows = 512;
/// Where there are fewer groups, they are cut by inputs, which changes no number.
constexpr std::size_t kFewestTasks = 8;

}  // namespace

void DenseLayer::initialize(std::span<float> parameters, SeededRandom& random) const {
  const double bound =
      std::sqrt((start == StartingWeights::kRectified ? 6.0 : 1.0) / static_cast<double>(inputs));
  for (float& weight : parameters.first(inputs * outputs)) {
    weight = static_cast<float>(bound * (2.0 * random.uniform() - 1.0));
  }
}

void DenseLayer::forward(const float* below, std::size_t rows, const float* parameters,
                         float* results) const {
  for (std::size_t i = 0; bias && i < rows; ++i) {
    std::copy_n(parameters + inputs * outputs, outputs, results + i * outputs);
  }
  multiply(Transpose::kNo, Transpose::kNo, rows, outputs, inputs, below, parameters, results, bias);
}

void DenseLayer::backward(const float* slopes, std::size_t rows, const float* /*kept*/,
                          const float* parameters, float* below_slopes) const {
  multiply(Transpose::kNo, Transpose::kYes, rows, inputs, outputs, slopes, parameters, below_slopes,
           false);
}

void DenseLayer::parameter_gradient(const Matrix& below, const Matrix& slopes,
                                    std::span<float> gradient, WorkerPool& pool) const {
  const std::size_t rows = below.rows;
  const RowGroups groups(rows, kGroupRows);
  const std::size_t parts = std::min(ceil_divide(kFewestTasks, groups.count), inputs);
  // One group's sums are the gradient.
  std::vector<float> sums(groups.count == 1 ? 0 : groups.count * inputs * outputs);
  float* const to = groups.count == 1 ? gradient.data() : sums.data();
  pool.run(groups.count * parts, [&](std::size_t task) {
    const std::size_t first = task / parts * groups.group_rows;
    const std::size_t count = std::min(groups.group_rows, rows - first);
    const std::size_t from = task % parts * inputs / parts;
    const std::size_t width = (task % parts + 1) * inputs / parts - from;
    multiply(Transpose::kYes, Transpose::kNo, width, outputs, count,
             &below.values[first * inputs + from], inputs, &slopes.values[first * outputs], outputs,
             to + (task / parts * inputs + from) * outputs, outputs, false);
  });
  if (groups.count > 1) {
    add_groups(sums, groups.count, inputs * outputs, gradient.data(), pool);
  }
  if (bias) {
    std::vector<double> of_bias(outputs, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < outputs; ++j) {
        of_bias[j] += static_cast<double>(slopes.values[i * outputs + j]);
      }
    }
    std::copy(of_bias.begin(), of_bias.end(), &gradient[inputs * outputs]);
  }
}

}  // namespace mehler
