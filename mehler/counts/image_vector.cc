#include "mehler/counts/image_vector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/simd/matrix_product.h"

namespace mehler {
namespace {

bool is_radius(double radius) { return radius > 0.0 && radius <= ImageVector::kLargestRadius; }

std::vector<float> as_floats(std::span<const double> values) {
  return {values.begin(), values.end()};
}

/// In single precision: nothing relies on the length that is left.
void shorten_roughly(std::span<float> vector, double radius) {
  double squares = 0.0;
  for (const float value : vector) {
    squares += static_cast<double>(value) * value;
  }
  const double norm = std::sqrt(squares);
  if (norm > radius) {
    for (float& value : vector) {
      value = static_cast<float>(value * (radius / norm));
    }
  }
}

}  // namespace

WipedVector<float> ImageVector::turned(std::span<const float> rows_of_scores,
                                       std::size_t rows) const {
  const std::size_t count = scores->size();
  WipedVector<float> shifted(rows_of_scores.begin(), rows_of_scores.end());
  const std::vector<float> origin = as_floats(centre);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::span<float> row(&shifted[r * count], count);
    for (std::size_t i = 0; i < origin.size(); ++i) {
      row[i] -= origin[i];
    }
    if (inner_radius > 0.0) {
      shorten_roughly(row, inner_radius);
    }
  }
  if (direction_count() == 0) {
    return shifted;
  }
  // An entry of a product depends on its row and its column alone (matrix_product.h).
  const std::vector<float> along = as_floats(directions);
  WipedVector<float> found(rows * direction_count());
  multiply(Transpose::kNo, Transpose::kYes, rows, direction_count(), count, shifted.data(),
           along.data(), found.data(), false);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < direction_count(); ++i) {
      found[r * direction_count() + i] *=
          static_cast<float>(keeps_scores ? factors[i] - 1.0 : factors[i]);
    }
  }
  if (!keeps_scores) {
    return found;
  }
  multiply(Transpose::kNo, Transpose::kNo, rows, count, direction_count(), found.data(),
           along.data(), shifted.data(), true);
  return shifted;
}

std::size_t ImageVector::nearest_cell(std::size_t of_class, std::span<const double> x) const {
  std::size_t nearest = 0;
  double least = INFINITY;
  for (std::size_t c = 0; c < cells; ++c) {
    const double* of_cell = &cell_centres[(of_class * cells + c) * x.size()];
    double squares = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      squares += (x[i] - of_cell[i]) * (x[i] - of_cell[i]);
    }
    if (squares < least) {
      least = squares;
      nearest = c;
    }
  }
  return nearest;
}

void ImageVector::evaluate(std::span<const float> rows_of_scores,
                           std::span<const std::uint32_t> classes, std::span<double> vectors,
                           std::span<std::uint32_t> cells_of_rows) const {
  const std::size_t rows = classes.size();
  const std::size_t own = entries();
  MEHLER_ASSERT(rows_of_scores.size() == rows * scores->size() &&
                vectors.size() == rows * dimension());
  const WipedVector<float> values = turned(rows_of_scores, rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::span<double> row = vectors.subspan(r * dimension(), dimension());
    const std::span<double> x = row.first(own);
    for (std::size_t i = 0; i < own; ++i) {
      x[i] = scale * values[r * own + i];
    }
    if (!class_centres.empty()) {
      for (std::size_t i = 0; i < own; ++i) {
        x[i] -= class_centres[classes[r] * own + i];
      }
    }
    shorten(x, radius);
    if (cells > 0) {
      const std::size_t cell = nearest_cell(classes[r], x);
      if (!cells_of_rows.empty()) {
        cells_of_rows[r] = static_cast<std::uint32_t>(cell);
      }
      if (from_cells) {
        for (std::size_t i = 0; i < own; ++i) {
          x[i] -= cell_centres[(classes[r] * cells + cell) * own + i];
        }
        shorten(x, cell_radius);
      }
    }
    if (constant != 0.0) {
      row.back() = constant;
    }
  }
}

void ImageVector::validate(std::string_view what, std::size_t class_count) const {
  const auto require = [&](bool holds, std::string_view complaint) {
    if (!holds) {  // written so that NaN fails too
      throw Error(ErrorCode::kInvalidArgument, fmt::format("{} {}", what, complaint));
    }
  };
  require(scores != nullptr, "has no scores of images");
  const std::size_t count = scores->size();
  require((centre.empty() || centre.size() == count) && direction_count() <= count &&
              directions.size() == direction_count() * count &&
              (keeps_scores || direction_count() > 0) &&
              (class_centres.empty() || class_centres.size() == class_count * entries()) &&
              cells <= kMaxCells && cell_centres.size() == class_count * cells * entries() &&
              (!from_cells || cells > 0),
          "has directions, factors or centres of another size than its images ask for");
  const double others[] = {constant, scale, inner_radius, cell_radius};
  require(
      are_parameters(centre) && are_parameters(directions) && are_parameters(factors) &&
          are_parameters(class_centres) && are_parameters(cell_centres) && are_parameters(others),
      fmt::format("has a number that is not finite or above {}", RecordVector::kLargestParameter));
  require(is_radius(radius) && inner_radius >= 0.0 && inner_radius <= kLargestRadius &&
              (from_cells ? is_radius(cell_radius) : cell_radius == 0.0),
          fmt::format("must have radii in (0, {}]", kLargestRadius));
}

bool ImageVector::operator==(const ImageVector& other) const {
  return hold_the_same(scores, other.scores) && centre == other.centre &&
         inner_radius == other.inner_radius && directions == other.directions &&
         factors == other.factors && keeps_scores == other.keeps_scores && scale == other.scale &&
         class_centres == other.class_centres && radius == other.radius && cells == other.cells &&
         cell_centres == other.cell_centres && from_cells == other.from_cells &&
         cell_radius == other.cell_radius && constant == other.constant;
}

}  // namespace mehler
