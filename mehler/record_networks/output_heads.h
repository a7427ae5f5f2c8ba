#pragma once

#include <cstddef>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"
#include "mehler/encoding/encoder.h"
#include "mehler/record_networks/record_layout.h"

namespace mehler {

/// One generated column before it is made definite: what training sees.
struct SoftColumn {
  /// Numbers: the value in (-1, 1), per row. Images: that of each byte, [rows][bytes].
  std::vector<float> numbers;
  /// Numbers that may be missing: the probability that the value is there, per row; else empty.
  std::vector<float> presence;
  /// Categories: probabilities of the codes, [rows][codes].
  Matrix probabilities;
};

/// Generated records, or the gradient with respect to them: one SoftColumn per column of the
/// encoder (the label's is empty).
struct SoftBatch {
  std::size_t rows = 0;
  std::vector<SoftColumn> columns;
};

/// Turns a network's outputs into records: tanh for numbers, a logistic for their presence and for
/// pixels (from black to white), softmax for categories. The outputs of an image are planar, as the
/// layers of networks have them: [channels][rows][columns].
class OutputHeads {
 public:
  explicit OutputHeads(const Encoder& encoder) : layout_(encoder) {}

  /// Outputs that the network must have.
  std::size_t outputs() const { return layout_.size; }

  SoftBatch apply(const Matrix& outputs) const;
  /// The same on several threads.
  SoftBatch apply(const Matrix& outputs, WorkerPool& pool) const;

  /// The gradient with respect to the network's outputs, given the gradient with respect to the
  /// records that apply() made of them.
  Matrix backward(const SoftBatch& batch, const SoftBatch& gradient, WorkerPool& pool) const;

  /// Definite records: categories and missing values drawn from their probabilities, bytes of
  /// images from the two nearest to an output, numbers as they are. The label's column is left
  /// empty.
  EncodedBatch draw(const SoftBatch& batch, SeededRandom& random) const;

 private:
  void backward_rows(std::size_t first, std::size_t last, const SoftBatch& batch,
                     const SoftBatch& gradient, Matrix& result) const;
  void apply_head(std::size_t index, const Matrix& outputs, SoftBatch& batch) const;

  RecordLayout layout_;
};

}  // namespace mehler
