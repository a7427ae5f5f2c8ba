#include <cmath>
#include <limits>

#include "mehler/networks/layers.h"
#include "mehler/networks/row_groups.h"
#include "mehler/simd/normalization.h"

namespace mehler {
namespace {

constexpr float kMomentum = 0.1F;

/// The least that comes out.
float floor_of(const NormalizationLayer& layer) {
  return layer.rectified ? 0.0F : -std::numeric_limits<float>::infinity();
}

/// A number of each feature, once for each of its positions.
void spread(std::span<const float> by_feature, std::size_t positions, std::vector<float>& columns) {
  columns.resize(by_feature.size() * positions);
  for (std::size_t f = 0; f < by_feature.size(); ++f) {
    std::fill_n(&columns[f * positions], positions, by_feature[f]);
  }
}

/// Calls work(sums of a tile's columns [2][columns], rows of the tile, column) for all tiles and
/// columns of a feature.
void for_columns_of(const NormalizationLayer& layer, std::size_t feature,
                    std::span<const float> tile_sums, std::size_t rows, std::size_t tile_rows,
                    const auto& work) {
  const std::size_t columns = layer.input_size();
  for (std::size_t first = 0, tile = 0; first < rows; first += tile_rows, ++tile) {
    for (std::size_t p = 0; p < layer.positions; ++p) {
      work(&tile_sums[2 * tile * columns], static_cast<double>(std::min(tile_rows, rows - first)),
           feature * layer.positions + p);
    }
  }
}

}  // namespace

void NormalizationLayer::initialize(std::span<float> parameters, SeededRandom& /*random*/) const {
  std::fill_n(parameters.begin(), features, 1.0F);
}

void NormalizationLayer::combine_moments(std::span<const float> tile_sums, std::size_t rows,
                                         std::size_t tile_rows, const float* parameters,
                                         std::span<float> statistics, Trace& trace) const {
  const std::size_t columns = input_size();
  std::vector<float> means(features);
  std::vector<float> inverse_deviations(features);
  const auto count = static_cast<double>(rows * positions);
  for (std::size_t f = 0; f < features; ++f) {
    double sum = 0.0;
    for_columns_of(*this, f, tile_sums, rows, tile_rows,
                   [&](const float* sums, double, std::size_t column) {
                     sum += static_cast<double>(sums[column]);
                   });
    const double mean = sum / count;
    // Squares around the mean of a column of a tile, moved to the mean of all.
    double squares = 0.0;
    for_columns_of(*this, f, tile_sums, rows, tile_rows,
                   [&](const float* sums, double of_tile, std::size_t column) {
                     const double gap = static_cast<double>(sums[column]) / of_tile - mean;
                     squares += static_cast<double>(sums[columns + column]) + of_tile * gap * gap;
                   });
    const auto variance = static_cast<float>(squares / count);
    means[f] = static_cast<float>(mean);
    inverse_deviations[f] = 1.0F / std::sqrt(variance + variance_floor);
    float& running_mean = statistics[f];
    float& running_variance = statistics[features + f];
    running_mean += kMomentum * (means[f] - running_mean);
    running_variance += kMomentum * (variance - running_variance);
  }
  spread(means, positions, trace.mean);
  spread(inverse_deviations, positions, trace.inverse_deviation);
  spread({parameters, features}, positions, trace.scale);
  spread({parameters + features, features}, positions, trace.shift);
}

void NormalizationLayer::forward(const Trace& trace, float* values, std::size_t rows,
                                 float* results) const {
  normalize_and_rectify(values, rows, trace.mean, trace.inverse_deviation, trace.scale, trace.shift,
                        floor_of(*this), results);
}

void NormalizationLayer::sum_slopes(const Trace& trace, const float* normalized, std::size_t rows,
                                    float* slopes, float* sums) const {
  const std::size_t columns = input_size();
  rectified_gradient_sums(slopes, rows, normalized, trace.scale, trace.shift, floor_of(*this),
                          {sums, columns}, {sums + columns, columns});
}

void NormalizationLayer::combine_slopes(std::span<const float> tile_sums, std::size_t rows,
                                        std::size_t tile_rows, const float* parameters,
                                        std::span<float> gradient, Trace& trace) const {
  const std::size_t columns = input_size();
  std::vector<float> factors(features);
  std::vector<float> means(features);
  std::vector<float> product_means(features);
  const auto count = static_cast<double>(rows * positions);
  for (std::size_t f = 0; f < features; ++f) {
    double sum = 0.0;
    double product_sum = 0.0;
    for_columns_of(*this, f, tile_sums, rows, tile_rows,
                   [&](const float* sums, double, std::size_t column) {
                     sum += static_cast<double>(sums[column]);
                     product_sum += static_cast<double>(sums[columns + column]);
                   });
    gradient[f] = static_cast<float>(product_sum);
    gradient[features + f] = static_cast<float>(sum);
    factors[f] = parameters[f] * trace.inverse_deviation[f * positions];
    means[f] = static_cast<float>(sum / count);
    product_means[f] = static_cast<float>(product_sum / count);
  }
  spread(factors, positions, trace.factor);
  spread(means, positions, trace.slope_mean);
  spread(product_means, positions, trace.product_mean);
}

void NormalizationLayer::backward(const Trace& trace, const float* normalized, std::size_t rows,
                                  float* slopes) const {
  normalization_gradient(slopes, rows, normalized, trace.factor, trace.slope_mean,
                         trace.product_mean);
}

NormalizationLayer::Scaling NormalizationLayer::scaling(const float* parameters,
                                                        std::span<const float> statistics) const {
  std::vector<float> factors(features);
  std::vector<float> offsets(features);
  for (std::size_t f = 0; f < features; ++f) {
    factors[f] = parameters[f] / std::sqrt(statistics[features + f] + variance_floor);
    offsets[f] = parameters[features + f] - factors[f] * statistics[f];
  }
  Scaling result;
  spread(factors, positions, result.factor);
  spread(offsets, positions, result.offset);
  return result;
}

void NormalizationLayer::scale(const Scaling& scaling, float* values, std::size_t rows) const {
  scale_and_rectify(values, rows, scaling.factor, scaling.offset, floor_of(*this));
}

}  // namespace mehler
