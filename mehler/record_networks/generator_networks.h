#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/core/seeded_random.h"
#include "mehler/networks/network.h"
#include "mehler/record_networks/network_design.h"

namespace mehler {

/// The classes of the label; 0 without one.
std::size_t label_classes(const Encoder& encoder);

/// The network that makes records, which may be told their class, or one for each class.
class GeneratorNetworks {
 public:
  /// One network, whose inputs behind the design's noise tell the class.
  GeneratorNetworks(NetworkDesign design, Network network);

  /// Networks that begin with the seed's weights. One: told the label's class, if there is a label.
  /// One per class: told nothing; there is a label.
  GeneratorNetworks(const Encoder& encoder, NetworkDesign design, bool one_per_class,
                    std::uint64_t seed);

  /// What files say of networks whose numbers are elsewhere, and back. Throws
  /// Error(kInvalidRelease) for a text that describes none, or another number of values than they
  /// have.
  std::string to_json() const;
  static GeneratorNetworks from_json(const std::string& text, const Encoder& encoder,
                                     std::span<const float> values);
  /// All numbers: of each network the parameters, then the statistics.
  std::vector<float> values() const;

  const NetworkDesign& design() const { return design_; }
  bool one_per_class() const { return networks_.size() > 1; }
  std::size_t class_inputs() const { return class_inputs_; }
  std::vector<Network>& networks() { return networks_; }
  const std::vector<Network>& networks() const { return networks_; }

  /// Outputs for records of given classes, with new noise.
  Matrix draw_outputs(std::span<const std::size_t> classes, SeededRandom& random) const;

 private:
  NetworkDesign design_;
  std::vector<Network> networks_;
  std::size_t class_inputs_ = 0;
};

}  // namespace mehler
