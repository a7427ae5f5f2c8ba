#include "mehler/estimation/image_candidates.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/images/brightness.h"
#include "mehler/simd/matrix_product.h"

namespace mehler {
namespace {

/// Half-whitened coordinates of one image in the subspace.
void draw_inside(const ImageModel& model, std::size_t of_class, double spread, SeededRandom& random,
                 std::span<float> inside) {
  double left = random.uniform();
  std::size_t cell = 0;
  while (cell + 1 < model.cells && left >= model.shares_of_cells.at(of_class, cell)) {
    left -= model.shares_of_cells.at(of_class, cell++);
  }
  std::vector<float> normals(inside.size());
  random.fill_normal(normals);
  // The root is symmetric: its rows are its columns, which can be added up by vectors.
  const Matrix& root = model.roots[of_class];
  std::vector<double> sums(inside.size(), 0.0);
  for (std::size_t j = 0; j < normals.size(); ++j) {
    const double normal = normals[j];
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += normal * root.values[j * sums.size() + i];
    }
  }
  for (std::size_t i = 0; i < inside.size(); ++i) {
    inside[i] = static_cast<float>(model.class_centres.at(of_class, i) +
                                   model.cell_centres.at(of_class * model.cells + cell, i) +
                                   spread * sums[i]);
  }
}

}  // namespace

ImageCandidates::ImageCandidates(const ImageModel& model, const CandidateStyle& style)
    : model_(model), style_(style) {
  if (style.is_diversified) {
    diversifier_.emplace(model.codec.shape());
  }
}

void ImageCandidates::draw(std::uint64_t seed, std::uint64_t first,
                           std::span<const std::uint32_t> classes,
                           std::span<std::uint8_t> pixels) const {
  const std::size_t rows = classes.size();
  const std::size_t size = model_.codec.dimension();
  const std::size_t directions = model_.widths.size();
  const std::size_t bytes = model_.codec.shape().size();
  MEHLER_ASSERT(pixels.size() == rows * bytes);
  Matrix codes(rows, size);
  Matrix inside(rows, directions);
  for (std::size_t r = 0; r < rows; ++r) {
    SeededRandom random = SeededRandom::of_piece(seed, first + r);
    const double spread =
        style_.least_spread + (style_.most_spread - style_.least_spread) * random.uniform();
    draw_inside(model_, classes[r], spread, random, inside.row(r));
    random.fill_normal(codes.row(r));
    for (std::size_t i = 0; i < size; ++i) {
      codes.row(r)[i] *= model_.deviations[i];
    }
  }
  // What lies outside of the subspace has the part inside of it replaced.
  Matrix replaced(rows, directions);
  multiply(Transpose::kNo, Transpose::kYes, rows, directions, size, codes.values.data(),
           model_.directions.values.data(), replaced.values.data(), false);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t d = 0; d < directions; ++d) {
      inside.row(r)[d] =
          static_cast<float>(inside.row(r)[d] * model_.widths[d]) - replaced.row(r)[d];
    }
  }
  multiply(Transpose::kNo, Transpose::kNo, rows, size, directions, inside.values.data(),
           model_.directions.values.data(), codes.values.data(), true);
  std::vector<double> code(size);
  std::vector<float> image(bytes);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < size; ++i) {
      code[i] = codes.row(r)[i] + model_.centre[i] + model_.outside.at(classes[r], i);
    }
    model_.codec.decode(code, image);
    if (diversifier_) {
      diversifier_->apply(~seed, first + r, image);  // another sequence than the code's
    }
    bytes_of_image(image, pixels.subspan(r * bytes, bytes));
  }
}

}  // namespace mehler
