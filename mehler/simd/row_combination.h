#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mehler {

// Weighted sums of rows: the inner loop of small transforms, blurs and means, where a call of the
// matrix product would cost more than the product.

/// result[c] = sum_i weights[i] rows[i stride + c], the terms added one after the other, each
/// product rounded: the same bits on every instruction set. Rows may overlap (a stride of 1 is a
/// convolution); the result may not share memory with them.
void combine_rows(std::span<const float> weights, const float* rows, std::size_t stride,
                  std::span<float> result);
void combine_rows(std::span<const double> weights, const double* rows, std::size_t stride,
                  std::span<double> result);

/// A matrix with few entries other than 0, row by row.
struct SparseRows {
  struct Term {
    std::size_t column;
    float weight;
  };
  std::vector<Term> terms;
  std::vector<std::size_t> ends;  ///< of each row: where its terms end
};

/// result[i][c] = start + the sum over the terms of row i of the matrix of their weights times
/// rows[their column][c]: fused multiply-adds in the order of the terms, for rows of `width` floats
/// side by side. The result may not share memory with them.
void combine_sparse_rows(const SparseRows& matrix, float start, const float* rows,
                         std::size_t width, float* result);

}  // namespace mehler
