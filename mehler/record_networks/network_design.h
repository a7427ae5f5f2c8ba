#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mehler/encoding/encoder.h"
#include "mehler/networks/network.h"

namespace mehler {

/// The networks that make images.
enum class ImageNetwork {
  kFullyConnected,
  kConvolutional,  ///< of one column of images whose sides are multiples of 4
};

/// What a network is given to make different records of: standard normals, numbers that are uniform
/// in (-1, 1), or fair coins, 0 or 1.
enum class NoiseInputs { kNormal, kUniform, kCoins };

/// What a hidden layer is.
enum class HiddenLayers {
  kNormalized,  ///< linear, normalisation, ReLU
  kRectified,   ///< linear with a bias, ReLU
  kLeaky,       ///< linear with a bias, from the second on normalisation, leaky ReLU
};

/// What the network of a generator looks like: noise and the one-hot class in, what OutputHeads
/// wants out.
struct NetworkDesign {
  /// Channels before the first convolution and between the two, and the side of a kernel.
  struct Convolutions {
    std::vector<std::size_t> channels = {16, 8};
    std::size_t kernel = 5;
  };

  std::size_t noise_inputs = 10;
  std::vector<std::size_t> hidden = {200, 200};
  NoiseInputs noise = NoiseInputs::kNormal;
  HiddenLayers hidden_layers = HiddenLayers::kNormalized;
  /// Of normalisations of leaky layers.
  float variance_floor = 1e-5F;
  /// Of a convolutional network; nothing for a fully connected one.
  std::optional<Convolutions> convolutions = {};

  /// The paper's networks of images: 5 numbers of noise, hidden layers of 500.
  static NetworkDesign of_images(ImageNetwork network);
  /// The convolutional one where the columns allow it, else the fully connected one.
  static ImageNetwork best_for(const Schema& schema);
  /// Throws Error(kInvalidArgument) if a network cannot make the columns of a schema.
  static void require_possible(const Schema& schema, ImageNetwork network);

  /// Fully connected: the hidden layers; then linear.
  /// Convolutional: linear, normalisation, ReLU; linear and normalisation to channels of a quarter
  /// of the image's rows and columns; twice upsampling and a convolution, with a ReLU between.
  std::vector<Layer> layers(const Encoder& encoder, std::size_t classes, std::size_t outputs) const;
  Network network(const Encoder& encoder, std::size_t classes, std::size_t outputs,
                  std::uint64_t seed) const;

 private:
  std::vector<Layer> dense_layers(std::size_t inputs, std::size_t outputs) const;
};

/// How many numbers a network of these layers has: parameters and statistics.
std::size_t number_count(const std::vector<Layer>& layers);

}  // namespace mehler
