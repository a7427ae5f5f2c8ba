#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/core/wiping.h"
#include "mehler/core/worker_pool.h"
#include "mehler/measurement/private_batches.h"
#include "mehler/privacy/subsampled_mechanism.h"

namespace mehler {

class PrivateCriticPass;
struct PrivateCriticWeights;

/// How critics that no one sees are trained: a Wasserstein loss with a gradient penalty (Gulrajani
/// and others 2017), -f(x) + f(g) + penalty (|grad f(m)| - 1)^2 + drift f(x)^2, means over a batch
/// of real records x, generated ones g and random mixtures m of both; by Adam.
struct PrivateCriticTraining {
  std::vector<std::size_t> hidden = {64, 32};
  std::size_t batch = 32;
  double learning_rate = 1e-3;
  double penalty = 10.0;
  double drift = 1e-3;

  /// Bytes that all critics take.
  std::size_t bytes(const RecordInputs& inputs, std::size_t critics) const;
};

/// Many critics, each with records of its own, which are trained without noise and never leave.
/// What does is what they say of generated records: gradients with noise.
///
/// Privacy: private. Every record is dealt out to one critic, by SecureRandom, and changes that
/// critic alone, in whatever way. A query draws a critic anew, independently of everything else,
/// and shows one gradient of a norm of at most the clip norm: two critics' answers differ by at
/// most twice that, and the charge is a ReplacedGaussian of the rate 1 / critics. Critics are
/// trained in turn, whatever is queried, so that every critic follows from its own records and from
/// what was released; that is what the charge takes for granted
/// (docs/design/0025-private-training.md). Memory is wiped.
class PrivateCritics {
 public:
  /// `records` must outlive it. As many critics as the plan has shards.
  PrivateCritics(const PrivateBatches& records, const PrivateCriticTraining& training,
                 const SubsampledMechanism& paid);
  ~PrivateCritics();
  PrivateCritics(const PrivateCritics&) = delete;
  PrivateCritics& operator=(const PrivateCritics&) = delete;

  /// Trains the next so many critics, in turn, each for some steps: on batches of its own records,
  /// and for each of these a generated one of its class, of those given, [rows][inputs]. Their
  /// classes take turns: 0, 1, .., the last, 0, 1, .., as many of each.
  void train(const Matrix& generated, std::size_t critics, std::size_t steps, WorkerPool& pool);

  /// Takes a step that was paid for: of each generated record, [queries][inputs], the gradient of
  /// -f by its numbers, shortened to the plan's clip norm, with its noise on every number. What
  /// tells the class has a gradient of 0. Throws Error(kBudgetExceeded) if no step is left,
  /// Error(kInvalidArgument) for a mechanism that was paid for under another schema.
  Matrix noisy_gradients(const Matrix& generated, SubsampledMechanism& paid, WorkerPool& pool);

 private:
  friend struct PrivateCriticsTestPeer;  // tests/ only

  using Rows = WipedVector<std::uint32_t>;

  void train_critic(std::size_t critic, const Matrix& generated, std::size_t steps,
                    PrivateCriticPass& pass);
  /// The class of a record that critics are told; 0 if they are told none.
  std::size_t told_class(std::uint32_t record) const;
  /// Whether the classes of generated records take turns.
  bool classes_take_turns(const Matrix& generated) const;
  /// The gradient of -f by a generated record in multiples of 2^-kGradientGridExponent of the clip
  /// norm: at most 1 long, as integers too.
  void clipped_gradient(std::size_t critic, std::span<const float> generated, double clip_norm,
                        std::span<std::int64_t> gradient);

  const PrivateBatches& records_;
  PrivateCriticTraining training_;
  std::vector<Rows> shards_;
  std::vector<PrivateCriticWeights> critics_;
  std::unique_ptr<PrivateCriticPass> pass_;
  WipedVector<float> slopes_;
  std::size_t next_ = 0;  ///< whose turn it is to be trained
};

}  // namespace mehler
