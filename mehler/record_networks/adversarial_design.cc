#include "mehler/record_networks/adversarial_design.h"

#include <algorithm>

namespace mehler {

double LearningRate::at(std::uint64_t step) const {
  const double share = std::min(1.0, static_cast<double>(step) / static_cast<double>(steps));
  return first + share * (last - first);
}

AdversarialDesign AdversarialDesign::of_dp_cgan() {
  AdversarialDesign design;
  design.loss = CriticLoss::kCrossEntropy;
  design.inputs = {RecordInputs::Label::kTold, RecordInputs::Pixels::kFromZero};
  design.generator.noise = NoiseInputs::kUniform;
  design.generator.noise_inputs = 100;
  design.generator.hidden_layers = HiddenLayers::kRectified;
  design.generator.hidden = {128};
  design.generator_optimizer = Optimizer::kAdam;
  design.generator_rate = {1e-3, 1e-3};
  design.critic_hidden = {128};
  design.critic_activation = ActivationLayer::Function::kRectifier;
  design.critic_start = StartingWeights::kRectified;
  design.critic_optimizer = Optimizer::kGradientDescent;
  design.critic_rate = {0.1, 0.052, 10'000};
  return design;
}

std::vector<Layer> AdversarialDesign::critic_layers(std::size_t taken) const {
  std::vector<Layer> layers;
  for (const std::size_t width : critic_hidden) {
    layers.push_back(DenseLayer{taken, width, true, critic_start});
    layers.push_back(ActivationLayer{width, critic_activation});
    taken = width;
  }
  layers.push_back(DenseLayer{taken, 1, true, critic_start});
  return layers;
}

}  // namespace mehler
