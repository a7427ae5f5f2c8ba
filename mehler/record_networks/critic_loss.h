#pragma once

#include <cmath>

namespace mehler {

/// What a critic f is trained to make small: of a real record x and a generated one g.
enum class CriticLoss {
  kWasserstein,   ///< -f(x), f(g)
  kCrossEntropy,  ///< -log L(f(x)), -log(1 - L(f(g))), L the logistic function
};

/// One of the derivatives below, at what the critic says.
using LossSlope = double (*)(CriticLoss loss, double said);

/// The derivatives of both by what the critic says, and of what the generator makes small in turn:
/// -f(g), or -log L(f(g)).
inline double slope_of_real(CriticLoss loss, double said) {
  return loss == CriticLoss::kWasserstein ? -1.0 : -1.0 / (1.0 + std::exp(said));
}
inline double slope_of_generated(CriticLoss loss, double said) {
  return loss == CriticLoss::kWasserstein ? 1.0 : 1.0 / (1.0 + std::exp(-said));
}
inline double slope_of_generator(CriticLoss loss, double said) { return slope_of_real(loss, said); }

}  // namespace mehler
