#pragma once

#include <span>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/core/worker_pool.h"
#include "mehler/networks/network.h"
#include "mehler/record_networks/critic_loss.h"

namespace mehler {

/// Where each weight matrix and each bias of a network stands among its parameters.
std::vector<std::span<float>> tensors_of(const Network& critic, std::span<float> numbers);

/// The sum over records, [rows][critic.inputs()], of the gradients of a critic's loss of real ones,
/// where *each weight matrix and each bias* of a record's gradient is shortened to the clip norm on
/// its own: a record's whole gradient is up to sqrt(tensors) times as long. The same for any number
/// of threads.
///
/// Privacy: not a private sum; single precision, and for public records alone. What private
/// trainings have is ClippedGradients.
std::vector<float> sum_clipped_by_tensor(const Network& critic, CriticLoss loss, double clip_norm,
                                         const Matrix& records, WorkerPool& pool);

}  // namespace mehler
