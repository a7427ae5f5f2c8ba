#include <algorithm>
#include <memory>

#include "mehler/networks/convolution_parameters.h"
#include "mehler/networks/layers.h"
#include "mehler/networks/row_groups.h"
#include "mehler/simd/convolution.h"
#include "mehler/simd/matrix_product.h"
#include "mehler/simd/row_combination.h"

namespace mehler {
namespace {

/// Images that are worked on at once: they stay in a core's cache.
constexpr std::size_t kImagesAtOnce = 8;

using Floats = std::unique_ptr<float[]>;

/// weight[line of the image] of a line of the one that is twice as large.
struct Interpolation {
  Interpolation(std::size_t line, std::size_t lines) {
    // The place is line (lines - 1) / (2 lines - 1); whole numbers keep the corners exact.
    const std::size_t numerator = line * (lines - 1);
    const std::size_t denominator = 2 * lines - 1;
    first = numerator / denominator;
    rest = static_cast<float>(static_cast<double>(numerator % denominator) /
                              static_cast<double>(denominator));
  }

  void for_lines(const auto& work) const {
    work(first, 1.0F - rest);
    if (rest > 0.0F) {
      work(first + 1, rest);
    }
  }

  std::size_t first;  ///< the line above
  float rest;         ///< the share of the line below
};

/// A layer's parts: rows are made twice as wide, a matrix product; then convolved with kernels of
/// one row, each row of a kernel a channel of its own (a band); and the rows of the result are sums
/// of interpolated rows of the bands. All of it is linear, so backward goes the other way with the
/// same numbers.
class Steps {
 public:
  explicit Steps(const UpsampledConvolutionLayer& layer)
      : layer_(layer),
        width_(2 * layer.below.columns),
        flat_{layer.below.rows,
              width_,
              layer.below.channels,
              layer.kernel * layer.channels,
              layer.kernel,
              (layer.kernel - 1) / 2,
              true},
        across_(layer.below.columns * width_, 0.0F) {
    for (std::size_t x = 0; x < width_; ++x) {
      Interpolation(x, layer.below.columns).for_lines([&](std::size_t line, float weight) {
        across_[line * width_ + x] = weight;
      });
    }
    // Row y of the result is the sum over rows i of the kernel of row y + i - before of band i.
    const std::size_t rows = layer.below.rows;
    SparseRows down;
    std::vector<std::vector<SparseRows::Term>> up(layer.kernel * rows);
    for (std::size_t y = 0; y < 2 * rows; ++y) {
      for (std::size_t i = 0; i < layer.kernel; ++i) {
        const std::size_t place = y + i - flat_.before;  // wraps where it is outside
        if (place < 2 * rows) {
          Interpolation(place, rows).for_lines([&](std::size_t line, float weight) {
            down.terms.push_back({i * rows + line, weight});
            up[i * rows + line].push_back({y, weight});
          });
        }
      }
      down.ends.push_back(down.terms.size());
    }
    down_ = std::move(down);
    for (const auto& terms : up) {
      up_.terms.insert(up_.terms.end(), terms.begin(), terms.end());
      up_.ends.push_back(up_.terms.size());
    }
  }

  const ConvolutionSize& flat() const { return flat_; }

  /// weights [channels below][kernel][kernel][channels] as those of the bands, and the way back of
  /// a gradient.
  std::vector<float> to_bands(const float* weights) const {
    std::vector<float> result(flat_.weights());
    for_weights([&](std::size_t plain, std::size_t of_band) { result[of_band] = weights[plain]; });
    return result;
  }
  void from_bands(const float* of_bands, float* weights) const {
    for_weights(
        [&](std::size_t plain, std::size_t of_band) { weights[plain] = of_bands[of_band]; });
  }

  Floats widen(const float* images, std::size_t count) const {
    Floats wide = std::make_unique_for_overwrite<float[]>(count * flat_.input_floats());
    multiply(Transpose::kNo, Transpose::kNo, lines(count), width_, layer_.below.columns, images,
             across_.data(), wide.get(), false);
    return wide;
  }
  void narrow(const float* wide, std::size_t count, float* images) const {
    multiply(Transpose::kNo, Transpose::kYes, lines(count), layer_.below.columns, width_, wide,
             across_.data(), images, false);
  }

  void add_bands(const float* bands, std::size_t count, const float* bias, float* results) const {
    for (std::size_t channel = 0; channel < count * layer_.channels; ++channel) {
      combine_sparse_rows(down_, bias[channel % layer_.channels],
                          bands + channel * layer_.kernel * layer_.below.rows * width_, width_,
                          results + channel * 2 * layer_.below.rows * width_);
    }
  }
  Floats to_bands_of_slopes(const float* slopes, std::size_t count) const {
    Floats bands = std::make_unique_for_overwrite<float[]>(count * flat_.output_floats());
    for (std::size_t channel = 0; channel < count * layer_.channels; ++channel) {
      combine_sparse_rows(up_, 0.0F, slopes + channel * 2 * layer_.below.rows * width_, width_,
                          &bands[channel * layer_.kernel * layer_.below.rows * width_]);
    }
    return bands;
  }

 private:
  std::size_t lines(std::size_t count) const {
    return count * layer_.below.channels * layer_.below.rows;
  }

  void for_weights(const auto& work) const {
    const std::size_t kernel = layer_.kernel;
    std::size_t plain = 0;
    for (std::size_t c = 0; c < layer_.below.channels; ++c) {
      for (std::size_t i = 0; i < kernel; ++i) {
        for (std::size_t j = 0; j < kernel; ++j) {
          for (std::size_t o = 0; o < layer_.channels; ++o, ++plain) {
            work(plain, ((c * kernel + j) * layer_.channels + o) * kernel + i);
          }
        }
      }
    }
  }

  const UpsampledConvolutionLayer& layer_;
  std::size_t width_;
  ConvolutionSize flat_;
  std::vector<float> across_;  ///< [columns][2 columns]
  SparseRows down_;            ///< rows of bands to rows of the result
  SparseRows up_;              ///< and back
};

/// Calls work(first, count) for a few images at a time.
void for_few_images(std::size_t rows, const auto& work) {
  for (std::size_t first = 0; first < rows; first += kImagesAtOnce) {
    work(first, std::min(kImagesAtOnce, rows - first));
  }
}

}  // namespace

void UpsampledConvolutionLayer::initialize(std::span<float> parameters,
                                           SeededRandom& random) const {
  draw_kernels(parameters.first(parameter_count() - channels), below.channels * kernel * kernel,
               random);
}

void UpsampledConvolutionLayer::forward(const float* images, std::size_t rows,
                                        const float* parameters, float* results) const {
  const Steps steps(*this);
  const std::vector<float> weights = steps.to_bands(parameters);
  std::vector<float> bands(std::min(rows, kImagesAtOnce) * steps.flat().output_floats());
  for_few_images(rows, [&](std::size_t first, std::size_t count) {
    convolve(steps.flat(), steps.widen(images + first * input_size(), count).get(), count,
             weights.data(), nullptr, bands.data());
    steps.add_bands(bands.data(), count, parameters + steps.flat().weights(),
                    results + first * output_size());
  });
}

void UpsampledConvolutionLayer::backward(const float* slopes, std::size_t rows,
                                         const float* /*kept*/, const float* parameters,
                                         float* below_slopes) const {
  const Steps steps(*this);
  const std::vector<float> weights =
      turned_weights(steps.flat(), steps.to_bands(parameters).data());
  std::vector<float> wide(std::min(rows, kImagesAtOnce) * steps.flat().input_floats());
  for_few_images(rows, [&](std::size_t first, std::size_t count) {
    convolve(turned(steps.flat()),
             steps.to_bands_of_slopes(slopes + first * output_size(), count).get(), count,
             weights.data(), nullptr, wide.data());
    steps.narrow(wide.data(), count, below_slopes + first * input_size());
  });
}

void UpsampledConvolutionLayer::parameter_gradient(const Matrix& images, const Matrix& slopes,
                                                   std::span<float> gradient,
                                                   WorkerPool& pool) const {
  const Steps steps(*this);
  const std::size_t weights = steps.flat().weights();
  const RowGroups groups(images.rows, kConvolutionGroupImages);
  std::vector<float> sums(groups.count * weights);
  for_tiles(images.rows, groups.group_rows, pool,
            [&](std::size_t group, std::size_t first, std::size_t count) {
              convolution_weight_gradient(
                  steps.flat(), steps.widen(&images.values[first * input_size()], count).get(),
                  steps.to_bands_of_slopes(&slopes.values[first * output_size()], count).get(),
                  count, &sums[group * weights]);
            });
  std::vector<float> of_bands(weights);
  add_groups(sums, groups.count, weights, of_bands.data(), pool);
  steps.from_bands(of_bands.data(), gradient.data());
  sum_slopes_of_channels(slopes, gradient.subspan(weights), pool);
}

}  // namespace mehler
