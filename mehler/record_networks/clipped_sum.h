#pragma once

#include <span>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/core/worker_pool.h"
#include "mehler/networks/network.h"
#include "mehler/record_networks/critic_loss.h"

namespace mehler {

/// How long the gradient of a single record may be.
struct Clipping {
  enum class Of {
    kWhole,
    /// Each weight matrix and each bias on its own: the whole is up to sqrt(tensors) times as long.
    kEachTensor,
  };

  double norm = 1.0;
  Of of = Of::kWhole;
};

/// Where each weight matrix and each bias of a network stands among its parameters.
std::vector<std::span<float>> tensors_of(const Network& critic, std::span<float> numbers);

/// The sum over records, [rows][critic.inputs()], of the gradients of a critic's loss, of real or
/// of generated ones, each shortened. The critic has dense layers and activations alone. The same
/// for any number of threads.
///
/// Privacy: not a private sum; single precision, and for generated and public records alone. What
/// private records have is ClippedGradients.
std::vector<float> clipped_sum(const Network& critic, CriticLoss loss, LossSlope slope,
                               const Clipping& clipping, const Matrix& records, WorkerPool& pool);

}  // namespace mehler
