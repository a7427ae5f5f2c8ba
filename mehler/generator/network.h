#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mehler/core/matrix.h"

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
/// Parameters and their gradient are flat, for the optimiser and for files. Deterministic for a
/// seed and a number of threads. Not thread-safe in training; infer() is.
class Network {
 public:
  /// Weights from the seed, uniform as usual for ReLU (He); normalisation starts as the identity.
  Network(NetworkShape shape, std::uint64_t seed);

  const NetworkShape& shape() const { return shape_; }

  /// Outputs [rows][outputs] for inputs [rows][inputs], normalised with the batch's own statistics,
  /// which also move the running ones. Keeps what backward() needs. rows >= 2.
  const Matrix& forward(const Matrix& inputs);

  /// The gradient by the parameters, given the gradient by the outputs of the last forward().
  void backward(const Matrix& output_gradient);

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
    std::vector<float> inverse_deviation;
  };

  NetworkShape shape_;
  std::vector<Layer> layers_;
  std::size_t last_weight_ = 0;  ///< [last hidden][outputs]; the bias follows
  std::vector<float> parameters_;
  std::vector<float> gradient_;
  std::vector<float> statistics_;

  Matrix inputs_;
  std::vector<Trace> traces_;
  Matrix outputs_;
};

}  // namespace mehler
