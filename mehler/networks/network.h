#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/core/worker_pool.h"
#include "mehler/networks/layers.h"

namespace mehler {

/// The sizes of a fully connected network: linear, batch normalisation, ReLU for each hidden layer,
/// then linear.
struct NetworkShape {
  std::size_t inputs = 0;
  std::vector<std::size_t> hidden;
  std::size_t outputs = 0;

  std::vector<Layer> layers() const;
};

/// A network in single precision: layers one behind the other.
///
/// Parameters and their gradient are flat, in the order of the layers, for the optimiser and for
/// files. Rows are worked on in tiles and groups whose sizes depend on the batch alone and whose
/// sums are added in order, so results are the same for any number of threads. Not thread-safe in
/// training; infer() is.
class Network {
 public:
  /// Weights from the seed; normalisation starts as the identity. The first layer is neither a
  /// normalisation nor an activation, and each takes as many numbers as the one before gives.
  Network(std::vector<Layer> layers, std::uint64_t seed);
  /// A fully connected one.
  Network(const NetworkShape& shape, std::uint64_t seed);

  const std::vector<Layer>& layers() const { return layers_; }
  std::size_t inputs() const;
  std::size_t outputs() const;

  /// Outputs [rows][outputs] for inputs [rows][inputs], normalised with the batch's own statistics,
  /// which also move the running ones. Keeps what backward() needs. rows >= 2.
  const Matrix& forward(const Matrix& inputs, WorkerPool& pool);

  /// The gradient with respect to the parameters, given the gradient with respect to the outputs of
  /// the last forward(); and the one with respect to its inputs, if that is asked for.
  void backward(const Matrix& output_gradient, WorkerPool& pool, Matrix* input_gradient = nullptr);

  /// Outputs with the running statistics.
  Matrix infer(const Matrix& inputs) const;
  /// The same on several threads.
  Matrix infer(const Matrix& inputs, WorkerPool& pool) const;

  std::span<float> parameters() { return parameters_; }
  std::span<const float> parameters() const { return parameters_; }
  std::span<const float> gradient() const { return gradient_; }
  /// Running means and variances of the normalisations.
  std::span<float> statistics() { return statistics_; }
  std::span<const float> statistics() const { return statistics_; }

 private:
  /// Where a layer's numbers stand.
  struct Place {
    std::size_t parameters = 0;  ///< in the flat vectors
    std::size_t statistics = 0;
    std::size_t values = 0;      ///< its results in values_
    std::size_t normalized = 0;  ///< of a normalisation: its normalised values in values_
    std::size_t slopes = 0;      ///< the gradient by its results in slopes_
  };
  /// Layers [first, last) between two normalisations: rows go through them tile by tile.
  struct Segment {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  Network(std::vector<Layer> layers, std::uint64_t seed, std::size_t most_tile_rows);

  void find_places();
  std::size_t tile_rows_for(std::size_t rows) const;
  const NormalizationLayer& normalization(std::size_t layer) const;
  /// What a layer takes, in values_.
  std::size_t values_below(std::size_t layer) const;
  std::span<const float> parameters_of(std::size_t layer) const;
  std::span<float> gradient_of(std::size_t layer);
  std::span<float> statistics_of(std::size_t layer);

  void forward_tile(const Segment& segment, std::size_t tile, std::size_t first, std::size_t rows);
  void backward_tile(const Segment& segment, std::size_t tile, std::size_t first, std::size_t rows,
                     Matrix* input_gradient);
  /// Outputs of some rows, on the calling thread.
  void infer_rows(const float* inputs, std::size_t rows,
                  const std::vector<NormalizationLayer::Scaling>& scalings, float* outputs) const;
  std::vector<NormalizationLayer::Scaling> scalings() const;

  std::vector<Layer> layers_;
  std::vector<Place> places_;
  std::vector<Segment> segments_;
  std::size_t most_tile_rows_;
  std::vector<float> parameters_;
  std::vector<float> gradient_;
  std::vector<float> statistics_;

  std::vector<Matrix> values_;  ///< the inputs, and what the layers make of them
  std::vector<Matrix> slopes_;
  std::vector<std::size_t> values_widths_;
  std::vector<std::size_t> slopes_widths_;
  std::vector<NormalizationLayer::Trace> traces_;  ///< of the layers that are normalisations
  std::vector<float> tile_sums_;                   ///< of one of them, [tiles][2][columns]
};

}  // namespace mehler
