#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "mehler/core/image_shape.h"
#include "mehler/core/matrix.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"

namespace mehler {

// The layers of a network, as values: sizes without numbers. Parameters, running statistics and
// what a layer must remember from forward to backward are the network's and are handed over.
//
// A layer takes [rows][input_size()] to [rows][output_size()] in single precision. Images are
// planar in here, [channels][rows][columns]: a channel is one piece, which convolutions want.
//
// All layers but normalisation take each row by itself, so results do not depend on how a batch is
// cut into tiles. backward() turns the gradient by a layer's results into that by what it took, of
// which it is given what was kept: what it took or, of a layer in place, what it made of it.
// parameter_gradient() gives the gradient by its parameters, from all rows; layers without
// parameters have none.

/// What weights are drawn from, uniformly between -bound and bound.
enum class StartingWeights {
  kRectified,  ///< bound sqrt(6 / inputs): keeps the variance through a ReLU (He)
  kPlain,      ///< bound sqrt(1 / inputs), as LibTorch has it
};

/// outputs = inputs weights + bias; parameters: the weights [inputs][outputs], then the bias, which
/// starts at 0.
struct DenseLayer {
  static constexpr bool kInPlace = false;

  std::size_t inputs = 0;
  std::size_t outputs = 0;
  bool bias = true;
  StartingWeights start = StartingWeights::kPlain;

  std::size_t input_size() const { return inputs; }
  std::size_t output_size() const { return outputs; }
  std::size_t parameter_count() const { return (inputs + (bias ? 1 : 0)) * outputs; }
  void initialize(std::span<float> parameters, SeededRandom& random) const;
  void forward(const float* below, std::size_t rows, const float* parameters, float* results) const;
  void backward(const float* slopes, std::size_t rows, const float* kept, const float* parameters,
                float* below_slopes) const;
  void parameter_gradient(const Matrix& below, const Matrix& slopes, std::span<float> gradient,
                          WorkerPool& pool) const;
};

/// Each channel of the result is the sum over the channels of an image of their convolutions with a
/// kernel, and a bias; zeros lie around the image, so that the result has its size ("same"). Where
/// a kernel has no centre, the larger half of it lies behind. Parameters: the weights [channels
/// below][kernel][kernel][channels], then the bias, which starts at 0.
struct ConvolutionLayer {
  static constexpr bool kInPlace = false;

  ImageShape below;
  std::size_t channels = 1;
  std::size_t kernel = 5;

  std::size_t input_size() const { return below.size(); }
  std::size_t output_size() const { return below.rows * below.columns * channels; }
  std::size_t parameter_count() const { return (below.channels * kernel * kernel + 1) * channels; }
  void initialize(std::span<float> parameters, SeededRandom& random) const;
  void forward(const float* images, std::size_t rows, const float* parameters,
               float* results) const;
  void backward(const float* slopes, std::size_t rows, const float* kept, const float* parameters,
                float* below_slopes) const;
  void parameter_gradient(const Matrix& images, const Matrix& slopes, std::span<float> gradient,
                          WorkerPool& pool) const;
};

/// The image made twice as high and wide, bilinear between pixels, and then convolved. Corners stay
/// what they were: row y of the larger image lies at (rows - 1) / (2 rows - 1) y of the image,
/// which is what LibTorch's UpsamplingBilinear2d does ("align_corners"). One layer, as the larger
/// image need not be made: a kernel is applied to the rows of the image, widened, and the sums are
/// interpolated. Parameters are those of a ConvolutionLayer.
struct UpsampledConvolutionLayer {
  static constexpr bool kInPlace = false;

  ImageShape below;
  std::size_t channels = 1;
  std::size_t kernel = 5;

  std::size_t input_size() const { return below.size(); }
  std::size_t output_size() const { return 4 * below.rows * below.columns * channels; }
  std::size_t parameter_count() const { return (below.channels * kernel * kernel + 1) * channels; }
  void initialize(std::span<float> parameters, SeededRandom& random) const;
  void forward(const float* images, std::size_t rows, const float* parameters,
               float* results) const;
  void backward(const float* slopes, std::size_t rows, const float* kept, const float* parameters,
                float* below_slopes) const;
  void parameter_gradient(const Matrix& images, const Matrix& slopes, std::span<float> gradient,
                          WorkerPool& pool) const;
};

/// The largest of every 2 x 2 pixels: images of half the rows and columns, of which there are at
/// least 2; a last one without a partner is left out. Of equal pixels the first has the gradient.
struct PoolingLayer {
  static constexpr bool kInPlace = false;

  ImageShape below;

  std::size_t input_size() const { return below.size(); }
  std::size_t output_size() const {
    return (below.rows / 2) * (below.columns / 2) * below.channels;
  }
  std::size_t parameter_count() const { return 0; }
  void forward(const float* images, std::size_t rows, const float* parameters,
               float* results) const;
  void backward(const float* slopes, std::size_t rows, const float* images, const float* parameters,
                float* below_slopes) const;
};

/// A function of each number by itself: max(0, x), the same with a fifth of what is below 0, or
/// 1 / (1 + e^-x).
struct ActivationLayer {
  static constexpr bool kInPlace = true;  ///< forward and backward may overwrite what they take
  enum class Function { kRectifier, kLogistic, kLeakyRectifier };
  static constexpr float kLeak = 0.2F;

  std::size_t size = 0;
  Function function = Function::kRectifier;

  std::size_t input_size() const { return size; }
  std::size_t output_size() const { return size; }
  std::size_t parameter_count() const { return 0; }
  void forward(const float* below, std::size_t rows, const float* parameters, float* results) const;
  void backward(const float* slopes, std::size_t rows, const float* kept, const float* parameters,
                float* below_slopes) const;
};

/// Batch normalisation of features, or of channels of images, and a ReLU behind it if asked for:
/// in training with the mean and the variance of the batch, which also move the running ones; in
/// use with those. A row is [features][positions]; all positions of a feature are normalised
/// together. Parameters: the scales, then the shifts; statistics: the running means, then the
/// variances.
struct NormalizationLayer {
  static constexpr bool kInPlace = true;

  std::size_t features = 0;
  std::size_t positions = 1;
  bool rectified = true;
  float variance_floor = 1e-5F;  ///< added to a variance before it divides

  std::size_t input_size() const { return features * positions; }
  std::size_t output_size() const { return features * positions; }
  std::size_t parameter_count() const { return 2 * features; }
  std::size_t statistics_count() const { return 2 * features; }
  void initialize(std::span<float> parameters, SeededRandom& random) const;

  /// What training keeps from the moments of a batch to its last gradient; per column of a row.
  struct Trace {
    std::vector<float> mean;
    std::vector<float> inverse_deviation;
    std::vector<float> scale;
    std::vector<float> shift;
    // Backward: g becomes factor (g - mean of g - x mean of g x).
    std::vector<float> factor;
    std::vector<float> slope_mean;
    std::vector<float> product_mean;
  };

  /// From the sums of the batch's tiles, [tiles][2][columns]: the trace, and the running
  /// statistics.
  void combine_moments(std::span<const float> tile_sums, std::size_t rows, std::size_t tile_rows,
                       const float* parameters, std::span<float> statistics, Trace& trace) const;
  /// A tile: values become normalised ones, and results are made of them.
  void forward(const Trace& trace, float* values, std::size_t rows, float* results) const;
  /// The gradient by a tile's results becomes that by its scaled values; sums [2][columns] of it.
  void sum_slopes(const Trace& trace, const float* normalized, std::size_t rows, float* slopes,
                  float* sums) const;
  /// From these sums: the gradient by the parameters, and what backward() needs.
  void combine_slopes(std::span<const float> tile_sums, std::size_t rows, std::size_t tile_rows,
                      const float* parameters, std::span<float> gradient, Trace& trace) const;
  /// The gradient by a tile's scaled values becomes that by what came in.
  void backward(const Trace& trace, const float* normalized, std::size_t rows, float* slopes) const;
  /// With running statistics: what scale() multiplies with and adds, per column.
  struct Scaling {
    std::vector<float> factor;
    std::vector<float> offset;
  };
  Scaling scaling(const float* parameters, std::span<const float> statistics) const;
  void scale(const Scaling& scaling, float* values, std::size_t rows) const;
};

using Layer = std::variant<DenseLayer, NormalizationLayer, ActivationLayer, ConvolutionLayer,
                           UpsampledConvolutionLayer, PoolingLayer>;

}  // namespace mehler
