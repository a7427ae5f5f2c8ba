#include "mehler/reference/record_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/options.h"
#include "mehler/core/seeded_random.h"
#include "mehler/encoding/pixel_numbers.h"

namespace mehler {
namespace {

constexpr std::size_t kMostMedianRecords = 1000;
constexpr std::size_t kRowsPerTask = 64;

/// Calls work(first row, last row) for all rows, some at a time.
void for_rows(std::size_t rows, WorkerPool& pool, const auto& work) {
  pool.run(ceil_divide(rows, kRowsPerTask), [&](std::size_t task) {
    work(task * kRowsPerTask, std::min(rows, (task + 1) * kRowsPerTask));
  });
}

}  // namespace

RecordVectors::RecordVectors(const Encoder& encoder) {
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    if (encoder.label() == i) {
      continue;
    }
    const Column& column = encoder.columns()[i];
    Part part{.column = i, .first = dimension_, .width = 1};
    if (column.is_image()) {
      part.kind = Part::Kind::kImage;
      part.width = column.shape->size();
    } else if (!column.is_number()) {
      part.kind = Part::Kind::kCategory;
      part.width = column.code_count();
    } else if (column.missing) {
      part.kind = Part::Kind::kNumberOrMissing;
      part.width = 2;
    }
    dimension_ += part.width;
    parts_.push_back(part);
  }
}

Matrix RecordVectors::of(const EncodedBatch& records, std::span<const std::size_t> rows) const {
  Matrix result(rows.size(), dimension_);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i];
    for (const Part& part : parts_) {
      const EncodedColumn& column = records.columns[part.column];
      float* const out = &result.values[i * dimension_ + part.first];
      switch (part.kind) {
        case Part::Kind::kNumber:
          out[0] = static_cast<float>(column.numbers[row]);
          break;
        case Part::Kind::kNumberOrMissing: {
          const bool is_missing = std::isnan(column.numbers[row]);
          out[0] = is_missing ? 0.0F : static_cast<float>(column.numbers[row]);
          out[1] = is_missing ? 1.0F : 0.0F;
          break;
        }
        case Part::Kind::kCategory:
          out[column.codes[row]] = 1.0F;
          break;
        case Part::Kind::kImage:
          std::transform(
              &column.pixels[row * part.width], &column.pixels[row * part.width] + part.width, out,
              [](std::uint8_t pixel) { return static_cast<float>(number_of_pixel(pixel)); });
          break;
      }
    }
  }
  return result;
}

Matrix RecordVectors::of(const SoftBatch& batch, WorkerPool& pool) const {
  Matrix result(batch.rows, dimension_);
  for_rows(batch.rows, pool, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      for (const Part& part : parts_) {
        const SoftColumn& column = batch.columns[part.column];
        float* const out = &result.values[i * dimension_ + part.first];
        switch (part.kind) {
          case Part::Kind::kNumberOrMissing:
            out[0] = column.presence[i] * column.numbers[i];
            out[1] = 1.0F - column.presence[i];
            break;
          case Part::Kind::kCategory:
            std::copy_n(column.probabilities.row(i).begin(), part.width, out);
            break;
          case Part::Kind::kNumber:
          case Part::Kind::kImage:
            std::copy_n(&column.numbers[i * part.width], part.width, out);
            break;
        }
      }
    }
  });
  return result;
}

SoftBatch RecordVectors::gradient_of(const SoftBatch& batch, const Matrix& slopes,
                                     WorkerPool& pool) const {
  SoftBatch result;
  result.rows = batch.rows;
  result.columns.resize(batch.columns.size());
  for (std::size_t i = 0; i < batch.columns.size(); ++i) {
    const SoftColumn& column = batch.columns[i];
    result.columns[i].numbers.resize(column.numbers.size());
    result.columns[i].presence.resize(column.presence.size());
    result.columns[i].probabilities =
        Matrix(column.probabilities.rows, column.probabilities.columns);
  }
  for_rows(batch.rows, pool, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      for (const Part& part : parts_) {
        const SoftColumn& column = batch.columns[part.column];
        SoftColumn& to = result.columns[part.column];
        const float* const slope = &slopes.values[i * dimension_ + part.first];
        switch (part.kind) {
          case Part::Kind::kNumberOrMissing:
            to.numbers[i] = slope[0] * column.presence[i];
            to.presence[i] = slope[0] * column.numbers[i] - slope[1];
            break;
          case Part::Kind::kCategory:
            std::copy_n(slope, part.width, to.probabilities.row(i).begin());
            break;
          case Part::Kind::kNumber:
          case Part::Kind::kImage:
            std::copy_n(slope, part.width, &to.numbers[i * part.width]);
            break;
        }
      }
    }
  });
  return result;
}

std::vector<std::size_t> shuffled(std::size_t total, std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> numbers(total);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  SeededRandom random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const auto left = static_cast<double>(total - i);
    std::swap(numbers[i], numbers[i + static_cast<std::size_t>(random.uniform() * left)]);
  }
  numbers.resize(count);
  return numbers;
}

double median_record_distance(const RecordVectors& vectors, const PublicRecords& records,
                              std::uint64_t seed) {
  const std::size_t total = records.records().rows;
  if (total < 2) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the median distance of two records needs at least two, but there are "
                            "{}; give {}",
                            total, option_words("length-scale")));
  }
  const std::size_t rows = std::min(total, kMostMedianRecords);
  const Matrix of_rows = vectors.of(records.records(), shuffled(total, rows, seed));
  std::vector<double> distances;
  distances.reserve(rows * (rows - 1) / 2);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double squared = 0.0;
      for (std::size_t k = 0; k < of_rows.columns; ++k) {
        const auto difference = static_cast<double>(of_rows.row(i)[k] - of_rows.row(j)[k]);
        squared += difference * difference;
      }
      distances.push_back(std::sqrt(squared));
    }
  }
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

}  // namespace mehler
