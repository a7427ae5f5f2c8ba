#include "mehler/images/cosine_transform.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mehler/core/error.h"
#include "mehler/core/wiping.h"
#include "mehler/simd/row_combination.h"

namespace mehler {
namespace {

/// The first `frequencies` rows of the orthonormal DCT-II matrix of the size.
std::vector<double> cosine_matrix(std::size_t frequencies, std::size_t size) {
  std::vector<double> matrix(frequencies * size);
  const double length = static_cast<double>(size);
  for (std::size_t k = 0; k < frequencies; ++k) {
    const double factor = std::sqrt((k > 0 ? 2.0 : 1.0) / length);
    for (std::size_t i = 0; i < size; ++i) {
      const double angle =
          std::numbers::pi * (static_cast<double>(i) + 0.5) * static_cast<double>(k) / length;
      matrix[k * size + i] = factor * std::cos(angle);
    }
  }
  return matrix;
}

std::vector<double> turned(const std::vector<double>& matrix, std::size_t rows,
                           std::size_t columns) {
  std::vector<double> result(matrix.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      result[c * rows + r] = matrix[r * columns + c];
    }
  }
  return result;
}

}  // namespace

CosineTransform::CosineTransform(std::size_t rows, std::size_t columns, std::size_t limit_down,
                                 std::size_t limit_across, std::size_t denominator)
    : rows_(rows), columns_(columns) {
  MEHLER_ASSERT(rows > 0 && columns > 0 && limit_down > 0 && limit_across > 0);
  // k / L + l / L' < 1 in whole numbers: no frequency depends on how a quotient is rounded.
  const auto is_kept = [&](std::size_t down, std::size_t across) {
    return down < rows && across < columns &&
           denominator * (down * limit_across + across * limit_down) < limit_down * limit_across;
  };
  for (std::size_t down = 0; is_kept(down, 0); ++down) {
    std::size_t across = 0;
    for (; is_kept(down, across); ++across) {
      waves_.push_back({down, across});
    }
    counts_.push_back(across);
  }
  down_ = cosine_matrix(counts_.size(), rows);
  across_ = cosine_matrix(counts_.front(), columns);
  down_turned_ = turned(down_, counts_.size(), rows);
  across_turned_ = turned(across_, counts_.front(), columns);
}

void CosineTransform::forward(std::span<const double> field, std::span<double> transformed) const {
  MEHLER_ASSERT(field.size() == rows_ * columns_ && transformed.size() == waves_.size());
  WipedVector<double> half(columns_);
  for (std::size_t k = 0, place = 0; k < counts_.size(); place += counts_[k++]) {
    combine_rows(std::span(down_).subspan(k * rows_, rows_), field.data(), columns_, half);
    combine_rows(half, across_turned_.data(), counts_.front(),
                 transformed.subspan(place, counts_[k]));
  }
}

void CosineTransform::backward(std::span<const double> transformed, std::span<double> field) const {
  MEHLER_ASSERT(field.size() == rows_ * columns_ && transformed.size() == waves_.size());
  WipedVector<double> halves(counts_.size() * columns_);
  for (std::size_t k = 0, place = 0; k < counts_.size(); place += counts_[k++]) {
    combine_rows(transformed.subspan(place, counts_[k]), across_.data(), columns_,
                 std::span(halves).subspan(k * columns_, columns_));
  }
  for (std::size_t r = 0; r < rows_; ++r) {
    combine_rows(std::span(down_turned_).subspan(r * counts_.size(), counts_.size()), halves.data(),
                 columns_, field.subspan(r * columns_, columns_));
  }
}

}  // namespace mehler
