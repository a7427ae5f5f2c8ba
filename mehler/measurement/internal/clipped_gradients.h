#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mehler/core/wiping.h"
#include "mehler/core/worker_pool.h"
#include "mehler/encoding/encoded_batch.h"
#include "mehler/networks/network.h"
#include "mehler/record_networks/critic_loss.h"
#include "mehler/record_networks/record_inputs.h"

namespace mehler {

/// Exact sums of clipped gradients of a critic's loss of real records.
///
/// The gradient of a dense layer's weights by one record is the outer product of what the layer
/// takes, a (with a 1 for the bias), and of the slope by what it gives, d; so its squared norm,
/// over all layers, is the sum of |a|^2 |d|^2, and no record's gradient is ever stored. a is
/// rounded to multiples of 2^-14, d is scaled so that the norm is at most 1 in units of the clip
/// norm and is then cut to multiples of 2^-24, toward 0. Products are multiples of 2^-38, and their
/// sums in double precision are exact (exact_products.h).
///
/// Privacy: what a record adds depends on that record and on the critic alone, bit for bit: not on
/// its place, on the other records, or on threads. Its 2-norm is at most 1, also as the integers
/// that are summed (docs/design/0025-private-training.md). Memory is wiped.
class ClippedGradients {
 public:
  /// The critic: dense layers with a bias, each but the last followed by a rectifier, leaky or not,
  /// and one number at the end. Others are refused with Error(kInvalidArgument): a layer that
  /// normalises over records would mix them. Inputs must outlive it.
  static void require_critic(const Network& critic, std::size_t inputs);

  explicit ClippedGradients(const RecordInputs& inputs) : inputs_(inputs) {}

  /// Adds what these rows of the records contribute to the sums, [parameters], in multiples of
  /// 2^-kGradientGridExponent of the clip norm. The same for any number of threads. A record whose
  /// gradient is no number adds nothing.
  void add(const Network& critic, CriticLoss loss, double clip_norm, const EncodedBatch& records,
           std::span<const std::uint32_t> rows, WorkerPool& pool, std::span<std::int64_t> sums);

 private:
  /// One dense layer, and what is kept of it for some records.
  struct Step {
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::size_t place = 0;  ///< of its parameters
    std::optional<ActivationLayer> activation;
    WipedVector<float> below;    ///< what it takes, [rows][inputs]
    WipedVector<float> slopes;   ///< by what it gives, [rows][outputs]
    WipedVector<double> taken;   ///< a: rounded, with a 1 behind, [rows][inputs + 1]
    WipedVector<double> errors;  ///< d: scaled and cut, [rows][outputs]
  };

  void set_up(const Network& critic, std::size_t rows);
  void forward(const Network& critic, std::size_t first, std::size_t count);
  void backward(const Network& critic, CriticLoss loss, std::size_t first, std::size_t count);
  void clip(double clip_norm, std::size_t row);
  void add_products(std::size_t rows, WorkerPool& pool, std::span<std::int64_t> sums);

  const RecordInputs& inputs_;
  std::vector<Step> steps_;
  WipedVector<float> said_;  ///< what the critic says, [rows]
};

}  // namespace mehler
