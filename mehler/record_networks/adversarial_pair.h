#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"
#include "mehler/networks/adam.h"
#include "mehler/networks/network.h"
#include "mehler/networks/rms_prop.h"
#include "mehler/networks/running_mean.h"
#include "mehler/record_networks/adversarial_design.h"
#include "mehler/record_networks/straight_through.h"

namespace mehler {

/// A generator and the critic that it learns from. Real records are not met here: the caller gives
/// what they make of the critic's gradient.
class AdversarialPair {
 public:
  /// All but the random numbers must outlive it. `generator` is trained in its place.
  AdversarialPair(const AdversarialDesign& design, Network& generator, const RecordInputs& inputs,
                  SeededRandom random);

  const Network& critic() const { return critic_; }

  /// A step of the critic, given the gradient of its loss by real records; the part of generated
  /// ones, one of each of these classes, is added. `classes` says only how many where networks are
  /// not told them.
  void step_critic(std::span<const float> of_real, std::span<const std::size_t> classes,
                   std::uint64_t step, WorkerPool& pool);

  void step_generator(std::span<const std::size_t> classes, std::uint64_t step, WorkerPool& pool);

  /// After the last step: the generator has the weights that are kept.
  void finish();

  /// Throws Error(kInvalidArgument) if a weight is no number any more. `remedy` is what to do then.
  void require_numbers(std::uint64_t step, std::string_view remedy) const;

 private:
  /// Whichever optimiser a design asks for.
  class AnyOptimizer {
   public:
    AnyOptimizer(AdversarialDesign::Optimizer kind, std::size_t parameters);
    void step(std::span<float> parameters, std::span<const float> gradient, double rate,
              WorkerPool& pool);

   private:
    std::optional<Adam> adam_;
    std::optional<RmsProp> rms_prop_;
  };

  /// New generated records, by the statistics of their own batch.
  StraightThrough::Drawn draw(std::span<const std::size_t> classes, WorkerPool& pool);
  /// What the mean over generated records of the loss changes by with what the critic says of each.
  Matrix slopes_of_mean(const Matrix& said, LossSlope slope) const;
  /// The mean gradient of the critic's loss by generated records.
  std::vector<float> gradient_of_generated(const Matrix& records, WorkerPool& pool);

  const AdversarialDesign& design_;
  Network& generator_;
  StraightThrough heads_;
  std::size_t told_classes_;
  SeededRandom random_;
  Network critic_;
  AnyOptimizer critic_optimizer_;
  AnyOptimizer generator_optimizer_;
  std::optional<RunningMean> mean_;
};

}  // namespace mehler
