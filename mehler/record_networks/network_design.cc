#include "mehler/record_networks/network_design.h"

#include <fmt/format.h>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/options.h"

namespace mehler {
namespace {

/// How much smaller the first image of the convolutional network is.
constexpr std::size_t kShrink = 4;

/// Why the convolutional network cannot make these columns; empty if it can.
std::string obstacle_to_convolutions(const Schema& schema) {
  for (const Column& column : schema.columns()) {
    if (column.is_image()) {
      if (column.shape->rows % kShrink != 0 || column.shape->columns % kShrink != 0) {
        return fmt::format(
            "images of {} x {} pixels, and the convolutional network doubles an "
            "image twice: their sides must be multiples of {}",
            column.shape->rows, column.shape->columns, kShrink);
      }
    } else if (column.is_used() && &column != schema.label()) {
      return fmt::format("a column '{}' besides, and the convolutional network makes images alone",
                         shown(column.name));
    }
  }
  return "";
}

}  // namespace

NetworkDesign NetworkDesign::of_images(ImageNetwork network) {
  NetworkDesign design;
  design.noise_inputs = 5;
  design.hidden = {500, 500};
  if (network == ImageNetwork::kConvolutional) {
    design.hidden = {500};
    design.convolutions = Convolutions();
  }
  return design;
}

ImageNetwork NetworkDesign::best_for(const Schema& schema) {
  return obstacle_to_convolutions(schema).empty() ? ImageNetwork::kConvolutional
                                                  : ImageNetwork::kFullyConnected;
}

void NetworkDesign::require_possible(const Schema& schema, ImageNetwork network) {
  if (schema.image() == nullptr) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} says which network makes images, but the schema has no column of "
                            "images; leave it out",
                            option_words("generator")));
  }
  const std::string obstacle = obstacle_to_convolutions(schema);
  if (network == ImageNetwork::kConvolutional && !obstacle.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the schema has {}; say {} fully-connected", obstacle,
                            option_words("generator")));
  }
}

std::vector<Layer> NetworkDesign::dense_layers(std::size_t inputs, std::size_t outputs) const {
  if (hidden_layers == HiddenLayers::kNormalized) {
    return NetworkShape{inputs, hidden, outputs}.layers();
  }
  const bool leaky = hidden_layers == HiddenLayers::kLeaky;
  const StartingWeights start = leaky ? StartingWeights::kPlain : StartingWeights::kRectified;
  std::vector<Layer> result;
  std::size_t width = inputs;
  for (const std::size_t next : hidden) {
    result.push_back(DenseLayer{width, next, true, start});
    if (leaky && result.size() > 1) {
      result.push_back(NormalizationLayer{next, 1, false, variance_floor});
    }
    result.push_back(ActivationLayer{next, leaky ? ActivationLayer::Function::kLeakyRectifier
                                                 : ActivationLayer::Function::kRectifier});
    width = next;
  }
  result.push_back(DenseLayer{width, outputs, true, start});
  return result;
}

std::vector<Layer> NetworkDesign::layers(const Encoder& encoder, std::size_t classes,
                                         std::size_t outputs) const {
  const std::size_t inputs = noise_inputs + classes;
  if (!convolutions) {
    return dense_layers(inputs, outputs);
  }
  const ImageShape& image = *encoder.schema().image()->shape;
  ImageShape shape{image.rows / kShrink, image.columns / kShrink, convolutions->channels[0]};
  std::vector<Layer> result = dense_layers(inputs, shape.size());
  std::get<DenseLayer>(result.back()).bias = false;  // the normalisation has one
  result.push_back(NormalizationLayer{shape.size(), 1, false});
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t channels = i == 0 ? convolutions->channels[1] : image.channels;
    result.push_back(UpsampledConvolutionLayer{shape, channels, convolutions->kernel});
    shape = {2 * shape.rows, 2 * shape.columns, channels};
    if (i == 0) {
      result.push_back(ActivationLayer{shape.size(), ActivationLayer::Function::kRectifier});
    }
  }
  return result;
}

Network NetworkDesign::network(const Encoder& encoder, std::size_t classes, std::size_t outputs,
                               std::uint64_t seed) const {
  if (encoder.schema().image() == nullptr && hidden_layers == HiddenLayers::kNormalized) {
    return Network(NetworkShape{noise_inputs + classes, hidden, outputs}, seed);
  }
  return Network(layers(encoder, classes, outputs), seed);
}

std::size_t number_count(const std::vector<Layer>& layers) {
  std::size_t numbers = 0;
  for (const Layer& layer : layers) {
    numbers += std::visit(
        [](const auto& of_kind) {
          if constexpr (requires { of_kind.statistics_count(); }) {
            return of_kind.parameter_count() + of_kind.statistics_count();
          } else {
            return of_kind.parameter_count();
          }
        },
        layer);
  }
  return numbers;
}

}  // namespace mehler
