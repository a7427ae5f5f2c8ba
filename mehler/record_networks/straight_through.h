#pragma once

#include <cstddef>
#include <span>

#include "mehler/core/matrix.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"
#include "mehler/record_networks/record_inputs.h"

namespace mehler {

/// Makes definite records of a network's outputs, as a critic takes them, and takes gradients back
/// as if they were not definite: straight-through Gumbel-softmax (Jang, Gu and Poole 2017). A
/// critic never sees soft codes, by which it would tell generated records from real ones at once.
class StraightThrough {
 public:
  static constexpr double kTemperature = 0.66;

  /// `inputs` must outlive it.
  explicit StraightThrough(const RecordInputs& inputs) : inputs_(inputs) {}

  /// Definite records, and what they were made of.
  struct Drawn {
    Matrix records;  ///< [rows][inputs.size()]
    Matrix soft;     ///< [rows][outputs]: values, probabilities of presence and of codes
  };

  /// A category has the code of the largest of output + Gumbel noise, so each with its softmax's
  /// probability; a number is there with its logistic's. `classes` has one for each row, if inputs
  /// tell them.
  Drawn draw(const Matrix& outputs, std::span<const std::size_t> classes, SeededRandom& random,
             WorkerPool& pool) const;

  /// The gradient by the outputs, given that by the records.
  Matrix backward(const Drawn& drawn, const Matrix& record_gradient, WorkerPool& pool) const;

 private:
  void draw_row(std::span<const float> outputs, SeededRandom& random, std::span<float> record,
                std::span<float> soft) const;
  void backward_row(std::span<const float> record, std::span<const float> soft,
                    std::span<const float> slopes, std::span<float> result) const;

  const RecordInputs& inputs_;
};

}  // namespace mehler
