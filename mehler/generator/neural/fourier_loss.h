#pragma once

#include <cstddef>
#include <vector>

#include "mehler/core/worker_pool.h"
#include "mehler/features/feature_map.h"
#include "mehler/generator/neural/product_loss.h"
#include "mehler/record_networks/output_heads.h"

namespace mehler {

/// The part of the embedding loss that random Fourier features make (embedding_loss.h), of numbers
/// or of all pixels of an image.
class FourierLoss {
 public:
  /// `targets`: the map's noisy sums, [class][dimension].
  FourierLoss(const FeatureMap& map, std::vector<std::vector<float>> targets);

  /// scale times the sum over features of r1 r2, the residuals of the two halves of a class's rows;
  /// adds to `gradient` unless it is null. The same for any number of threads.
  double add_class(std::size_t row_of_sums, const ClassRows& rows, double scale,
                   const SoftBatch& batch, SoftBatch* gradient, WorkerPool& pool) const;

 private:
  /// Angles [rows][count] of some rows and frequencies.
  void fill_angles(const Matrix& numbers, std::size_t first_row, std::size_t rows,
                   std::size_t first_frequency, std::size_t count, float* angles) const;

  /// The numbers of a class's rows, [rows][inputs]: those of the columns, or of an image's bytes.
  /// One that may be missing counts as much as it is there.
  Matrix gather(const ClassRows& rows, const SoftBatch& batch) const;
  /// Adds what the numbers' slopes, [rows][inputs], are worth to the records from `first` on.
  void scatter(const float* slopes, std::size_t first, std::size_t rows, const SoftBatch& batch,
               SoftBatch& gradient) const;

  std::vector<std::size_t> columns_;
  std::size_t inputs_;  ///< numbers of a record
  std::size_t frequencies_;
  float share_;                 ///< 1 / sqrt(frequencies)
  std::vector<float> weights_;  ///< [frequencies][inputs]
  std::vector<std::vector<float>> targets_;
};

}  // namespace mehler
