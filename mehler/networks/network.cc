#include "mehler/networks/network.h"

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/networks/row_groups.h"
#include "mehler/simd/normalization.h"

namespace mehler {
namespace {

/// Rows that are taken through the layers at once. A tile of a 200-wide layer stays in a core's
/// cache, and so do the images of a smaller one; a batch of 200 images is then several tiles.
constexpr std::size_t kTileRows = 256;
constexpr std::size_t kSmallTileRows = 64;

bool is_normalization(const Layer& layer) {
  return std::holds_alternative<NormalizationLayer>(layer);
}

bool is_in_place(const Layer& layer) {
  return std::visit([](const auto& of_kind) { return of_kind.kInPlace; }, layer);
}

std::size_t output_size(const Layer& layer) {
  return std::visit([](const auto& of_kind) { return of_kind.output_size(); }, layer);
}

std::size_t input_size(const Layer& layer) {
  return std::visit([](const auto& of_kind) { return of_kind.input_size(); }, layer);
}

std::size_t parameter_count(const Layer& layer) {
  return std::visit([](const auto& of_kind) { return of_kind.parameter_count(); }, layer);
}

/// Calls work(layer) with the layer as what it is, unless it is a normalisation.
void visit_row_by_row(const Layer& layer, const auto& work) {
  std::visit(
      [&]<class Kind>(const Kind& of_kind) {
        if constexpr (!std::is_same_v<Kind, NormalizationLayer>) {
          work(of_kind);
        }
      },
      layer);
}

/// Gives matrices their shapes; they keep their memory if they have them already.
void shape_all(std::vector<Matrix>& matrices, std::size_t rows,
               const std::vector<std::size_t>& widths) {
  matrices.resize(widths.size());
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (matrices[i].rows != rows || matrices[i].columns != widths[i]) {
      matrices[i] = Matrix(rows, widths[i]);
    }
  }
}

float* rows_of(Matrix& matrix, std::size_t first) { return &matrix.values[first * matrix.columns]; }

}  // namespace

std::vector<Layer> NetworkShape::layers() const {
  MEHLER_ASSERT(inputs >= 1 && outputs >= 1 && !hidden.empty());
  std::vector<Layer> result;
  std::size_t width = inputs;
  for (const std::size_t next : hidden) {
    result.push_back(DenseLayer{width, next, false, StartingWeights::kRectified});
    result.push_back(NormalizationLayer{next, 1, true});
    width = next;
  }
  result.push_back(DenseLayer{width, outputs, true, StartingWeights::kPlain});
  return result;
}

Network::Network(std::vector<Layer> layers, std::uint64_t seed)
    : Network(std::move(layers), seed, kSmallTileRows) {}

Network::Network(const NetworkShape& shape, std::uint64_t seed)
    : Network(shape.layers(), seed, kTileRows) {}

Network::Network(std::vector<Layer> layers, std::uint64_t seed, std::size_t most_tile_rows)
    : layers_(std::move(layers)), most_tile_rows_(most_tile_rows) {
  MEHLER_ASSERT(!layers_.empty() && !is_in_place(layers_[0]));
  find_places();
  gradient_.assign(parameters_.size(), 0.0F);
  SeededRandom random(seed);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    std::visit(
        [&](const auto& layer) {
          if constexpr (requires { layer.initialize(std::span<float>(), random); }) {
            layer.initialize(
                std::span(parameters_).subspan(places_[l].parameters, layer.parameter_count()),
                random);
          }
        },
        layers_[l]);
  }
}

void Network::find_places() {
  values_widths_ = {input_size(layers_[0])};
  std::size_t parameters = 0;
  std::size_t first = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    MEHLER_ASSERT(l == 0 || input_size(layer) == output_size(layers_[l - 1]));
    Place place;
    place.parameters = parameters;
    place.statistics = statistics_.size();
    parameters += parameter_count(layer);
    if (is_normalization(layer)) {
      // Normalised values take the place of what came in, unless that is still needed.
      place.normalized = values_widths_.size() - 1;
      if (std::holds_alternative<ActivationLayer>(layers_[l - 1])) {
        place.normalized = values_widths_.size();
        values_widths_.push_back(input_size(layer));
      }
      statistics_.resize(place.statistics + normalization(l).features, 0.0F);  // means
      statistics_.resize(place.statistics + normalization(l).statistics_count(), 1.0F);
      segments_.push_back({first, l});
      first = l + 1;
    }
    if (!is_in_place(layer) || is_normalization(layer)) {
      values_widths_.push_back(output_size(layer));
    }
    place.values = values_widths_.size() - 1;
    places_.push_back(place);
  }
  segments_.push_back({first, layers_.size()});
  parameters_.assign(parameters, 0.0F);
  // The gradient by what a layer in place has taken overwrites the one by its results.
  for (std::size_t l = layers_.size(); l-- > 0;) {
    if (l + 1 == layers_.size() || !is_in_place(layers_[l + 1])) {
      slopes_widths_.push_back(output_size(layers_[l]));
    }
    places_[l].slopes = slopes_widths_.size() - 1;
  }
  traces_.resize(layers_.size());
}

std::size_t Network::inputs() const { return input_size(layers_.front()); }

std::size_t Network::outputs() const { return output_size(layers_.back()); }

std::size_t Network::tile_rows_for(std::size_t rows) const {
  if (most_tile_rows_ == kTileRows) {
    return kTileRows;
  }
  return ceil_divide(rows, ceil_divide(rows, most_tile_rows_));
}

const NormalizationLayer& Network::normalization(std::size_t layer) const {
  return std::get<NormalizationLayer>(layers_[layer]);
}

std::size_t Network::values_below(std::size_t layer) const {
  return layer == 0 ? 0 : places_[layer - 1].values;
}

std::span<const float> Network::parameters_of(std::size_t layer) const {
  return std::span(parameters_).subspan(places_[layer].parameters, parameter_count(layers_[layer]));
}

std::span<float> Network::gradient_of(std::size_t layer) {
  return std::span(gradient_).subspan(places_[layer].parameters, parameter_count(layers_[layer]));
}

std::span<float> Network::statistics_of(std::size_t layer) {
  return std::span(statistics_)
      .subspan(places_[layer].statistics, normalization(layer).statistics_count());
}

void Network::forward_tile(const Segment& segment, std::size_t tile, std::size_t first,
                           std::size_t rows) {
  // The tile is normalised where it is used next, which is while it is in the cache.
  if (segment.first > 0) {
    const std::size_t l = segment.first - 1;
    normalization(l).forward(traces_[l], rows_of(values_[places_[l].normalized], first), rows,
                             rows_of(values_[places_[l].values], first));
  }
  for (std::size_t l = segment.first; l < segment.last; ++l) {
    visit_row_by_row(layers_[l], [&](const auto& layer) {
      layer.forward(rows_of(values_[values_below(l)], first), rows, parameters_of(l).data(),
                    rows_of(values_[places_[l].values], first));
    });
  }
  if (segment.last < layers_.size()) {
    const std::size_t columns = normalization(segment.last).input_size();
    float* values = rows_of(values_[places_[segment.last].normalized], first);
    if (places_[segment.last].normalized != values_below(segment.last)) {
      std::copy_n(rows_of(values_[values_below(segment.last)], first), rows * columns, values);
    }
    float* sums = &tile_sums_[2 * tile * columns];
    column_moments(values, rows, {sums, columns}, {sums + columns, columns});
  }
}

const Matrix& Network::forward(const Matrix& inputs, WorkerPool& pool) {
  MEHLER_ASSERT(inputs.columns == this->inputs() && inputs.rows >= 2);
  const std::size_t rows = inputs.rows;
  const std::size_t tile_rows = tile_rows_for(rows);
  shape_all(values_, rows, values_widths_);
  values_[0].values = inputs.values;
  for (const Segment& segment : segments_) {
    const bool has_next = segment.last < layers_.size();
    if (has_next) {
      tile_sums_.resize(2 * ceil_divide(rows, tile_rows) * input_size(layers_[segment.last]));
    }
    for_tiles(rows, tile_rows, pool, [&](std::size_t tile, std::size_t first, std::size_t count) {
      forward_tile(segment, tile, first, count);
    });
    if (has_next) {
      const std::size_t l = segment.last;
      normalization(l).combine_moments(tile_sums_, rows, tile_rows, parameters_of(l).data(),
                                       statistics_of(l), traces_[l]);
    }
  }
  return values_[places_.back().values];
}

void Network::backward_tile(const Segment& segment, std::size_t tile, std::size_t first,
                            std::size_t rows, Matrix* input_gradient) {
  if (segment.last < layers_.size()) {
    const std::size_t l = segment.last;
    normalization(l).backward(traces_[l], rows_of(values_[places_[l].normalized], first), rows,
                              rows_of(slopes_[places_[l].slopes], first));
  }
  for (std::size_t l = segment.last; l-- > segment.first;) {
    Matrix* below = l > 0 ? &slopes_[places_[l - 1].slopes] : input_gradient;
    if (below != nullptr) {
      visit_row_by_row(layers_[l], [&](const auto& layer) {
        layer.backward(rows_of(slopes_[places_[l].slopes], first), rows,
                       rows_of(values_[values_below(l)], first), parameters_of(l).data(),
                       rows_of(*below, first));
      });
    }
  }
  if (segment.first > 0) {
    const std::size_t l = segment.first - 1;
    const std::size_t columns = normalization(l).input_size();
    normalization(l).sum_slopes(traces_[l], rows_of(values_[places_[l].normalized], first), rows,
                                rows_of(slopes_[places_[l].slopes], first),
                                &tile_sums_[2 * tile * columns]);
  }
}

void Network::backward(const Matrix& output_gradient, WorkerPool& pool, Matrix* input_gradient) {
  const std::size_t rows = values_.empty() ? 0 : values_[0].rows;
  MEHLER_ASSERT(rows >= 2 && output_gradient.rows == rows && output_gradient.columns == outputs());
  const std::size_t tile_rows = tile_rows_for(rows);
  shape_all(slopes_, rows, slopes_widths_);
  slopes_[places_.back().slopes].values = output_gradient.values;
  if (input_gradient != nullptr) {
    *input_gradient = Matrix(rows, inputs());
  }
  for (std::size_t s = segments_.size(); s-- > 0;) {
    const Segment& segment = segments_[s];
    const bool has_next = segment.first > 0;
    if (has_next) {
      tile_sums_.resize(2 * ceil_divide(rows, tile_rows) * output_size(layers_[segment.first - 1]));
    }
    for_tiles(rows, tile_rows, pool, [&](std::size_t tile, std::size_t first, std::size_t count) {
      backward_tile(segment, tile, first, count, input_gradient);
    });
    for (std::size_t l = segment.first; l < segment.last; ++l) {
      visit_row_by_row(layers_[l], [&](const auto& layer) {
        const Matrix& slopes = slopes_[places_[l].slopes];
        if constexpr (requires {
                        layer.parameter_gradient(slopes, slopes, gradient_of(l), pool);
                      }) {
          layer.parameter_gradient(values_[values_below(l)], slopes, gradient_of(l), pool);
        }
      });
    }
    if (has_next) {
      const std::size_t l = segment.first - 1;
      normalization(l).combine_slopes(tile_sums_, rows, tile_rows, parameters_of(l).data(),
                                      gradient_of(l), traces_[l]);
    }
  }
}

std::vector<NormalizationLayer::Scaling> Network::scalings() const {
  std::vector<NormalizationLayer::Scaling> result(layers_.size());
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    if (is_normalization(layers_[l])) {
      result[l] = normalization(l).scaling(
          parameters_of(l).data(),
          std::span(statistics_)
              .subspan(places_[l].statistics, normalization(l).statistics_count()));
    }
  }
  return result;
}

void Network::infer_rows(const float* inputs, std::size_t rows,
                         const std::vector<NormalizationLayer::Scaling>& scalings,
                         float* outputs) const {
  std::vector<float> below(inputs, inputs + rows * this->inputs());
  std::vector<float> results;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    if (is_normalization(layers_[l])) {
      normalization(l).scale(scalings[l], below.data(), rows);
      continue;
    }
    visit_row_by_row(layers_[l], [&](const auto& layer) {
      if (layer.kInPlace) {
        layer.forward(below.data(), rows, nullptr, below.data());
        return;
      }
      results.resize(rows * layer.output_size());
      layer.forward(below.data(), rows, parameters_of(l).data(), results.data());
      std::swap(below, results);
    });
  }
  std::copy_n(below.data(), rows * this->outputs(), outputs);
}

Matrix Network::infer(const Matrix& inputs) const {
  WorkerPool alone(1);
  return infer(inputs, alone);
}

Matrix Network::infer(const Matrix& inputs, WorkerPool& pool) const {
  MEHLER_ASSERT(inputs.columns == this->inputs());
  const std::vector<NormalizationLayer::Scaling> of_layers = scalings();
  Matrix outputs(inputs.rows, this->outputs());
  for_tiles(inputs.rows, most_tile_rows_, pool,
            [&](std::size_t, std::size_t first, std::size_t count) {
              infer_rows(&inputs.values[first * inputs.columns], count, of_layers,
                         &outputs.values[first * outputs.columns]);
            });
  return outputs;
}

}  // namespace mehler
