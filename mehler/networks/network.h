#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/core/worker_pool.h"

namespace mehler {

/// The sizes of a fully connected network.
struct NetworkShape {
  std::size_t inputs = 0;
  std::vector<std::size_t> hidden;
  std::size_t outputs = 0;
  bool operator==(const NetworkShape&) const = default;
};

/// A fully connected network in single precision: linear, batch normalisation, ReLU for each hidden
/// layer, then linear.
///
/// Parameters and their gradient are flat, for the optimiser and for files. Rows are worked on in
/// tiles and groups of fixed size whose sums are added in order, so results are the same for any
/// number of threads. Not thread-safe in training; infer() is.
class Network {
 public:
  /// Weights from the seed, uniform as usual for ReLU (He); normalisation starts as the identity.
  Network(NetworkShape shape, std::uint64_t seed);

  const NetworkShape& shape() const { return shape_; }

  /// Outputs [rows][outputs] for inputs [rows][inputs], normalised with the batch's own statistics,
  /// which also move the running ones. Keeps what backward() needs. rows >= 2.
  const Matrix& forward(const Matrix& inputs, WorkerPool& pool);

  /// The gradient with respect to the parameters, given the gradient with respect to the outputs of
  /// the last forward().
  void backward(const Matrix& output_gradient, WorkerPool& pool);

  /// Outputs with the running statistics.
  Matrix infer(const Matrix& inputs) const;

  std::span<float> parameters() { return parameters_; }
  std::span<const float> parameters() const { return parameters_; }
  std::span<const float> gradient() const { return gradient_; }
  /// Running means and variances of the hidden layers.
  std::span<float> statistics() { return statistics_; }
  std::span<const float> statistics() const { return statistics_; }

 private:
  /// Where a hidden layer's numbers stand in the flat vectors.
  struct Layer {
    std::size_t inputs;
    std::size_t outputs;
    std::size_t weight;  ///< [inputs][outputs]
    std::size_t scale;   ///< gamma; the shift, beta, follows
    std::size_t mean;    ///< in statistics_; the variance follows
  };

  /// What a hidden layer keeps between forward and backward.
  struct Trace {
    Matrix normalized;  ///< before scale and shift
    Matrix output;
    std::vector<float> mean;
    std::vector<float> inverse_deviation;
  };

  /// Turns a tile of a layer's products into its outputs.
  void finish_tile(std::size_t layer, std::size_t first, std::size_t rows);
  /// From the moments of the tiles: mean, deviation and running statistics of a layer.
  void combine_moments(std::size_t layer, std::size_t rows);
  /// Outputs of some rows, from those of the last hidden layer.
  void last_layer(const float* below, std::size_t rows, float* outputs) const;
  /// below^T above, [below.columns][above.columns], into gradient_ at `place`.
  void weight_gradient(const Matrix& below, const Matrix& above, std::size_t place,
                       WorkerPool& pool);

  NetworkShape shape_;
  std::vector<Layer> layers_;
  std::size_t last_weight_ = 0;  ///< [last hidden][outputs]; the bias follows
  std::vector<float> parameters_;
  std::vector<float> gradient_;
  std::vector<float> statistics_;

  Matrix inputs_;
  std::vector<Trace> traces_;
  Matrix outputs_;
  Matrix above_;  ///< gradient with respect to a layer's outputs, on its way down
  Matrix next_above_;
  std::vector<float> tile_sums_;       ///< [tiles][2][width]
  std::vector<float> group_products_;  ///< [groups][size of a weight matrix]
};

}  // namespace mehler
