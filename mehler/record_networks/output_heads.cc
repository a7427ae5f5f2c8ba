#include "mehler/record_networks/output_heads.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/encoding/pixel_numbers.h"
#include "mehler/simd/activations.h"

namespace mehler {

SoftBatch OutputHeads::apply(const Matrix& outputs) const {
  WorkerPool alone(1);
  return apply(outputs, alone);
}

SoftBatch OutputHeads::apply(const Matrix& outputs, WorkerPool& pool) const {
  MEHLER_ASSERT(outputs.columns == layout_.size);
  SoftBatch batch;
  batch.rows = outputs.rows;
  batch.columns.resize(layout_.parts.size());
  pool.run(layout_.parts.size(), [&](std::size_t index) {
    if (layout_.parts[index].used) {
      apply_head(index, outputs, batch);
    }
  });
  return batch;
}

void OutputHeads::apply_head(std::size_t index, const Matrix& outputs, SoftBatch& batch) const {
  const RecordPart& head = layout_.parts[index];
  SoftColumn& column = batch.columns[index];
  if (head.image) {
    column.numbers.resize(head.width * batch.rows);
    for (std::size_t i = 0; i < batch.rows; ++i) {
      const float* output = &outputs.values[i * layout_.size + head.first];
      float* numbers = &column.numbers[i * head.width];
      // The logistic of an output, stretched to (-1, 1), is the tanh of half of it.
      head.for_bytes(
          [&](std::size_t byte, std::size_t place) { numbers[byte] = 0.5F * output[place]; });
    }
    tanh_in_place(column.numbers);
    return;
  }
  if (head.is_number) {
    column.numbers.resize(batch.rows);
    column.presence.resize(head.may_miss ? batch.rows : 0);
    for (std::size_t i = 0; i < batch.rows; ++i) {
      const float* output = &outputs.values[i * layout_.size + head.first];
      column.numbers[i] = output[0];
      if (head.may_miss) {
        column.presence[i] = output[1];
      }
    }
    tanh_in_place(column.numbers);
    logistic_in_place(column.presence);
    return;
  }
  column.probabilities = Matrix(batch.rows, head.width);
  for (std::size_t i = 0; i < batch.rows; ++i) {
    const float* output = &outputs.values[i * layout_.size + head.first];
    const auto logits = column.probabilities.row(i);
    const float largest = *std::max_element(output, output + head.width);
    for (std::size_t c = 0; c < head.width; ++c) {
      logits[c] = std::max(-80.0F, output[c] - largest);
    }
  }
  exponential_in_place(column.probabilities.values);
  for (std::size_t i = 0; i < batch.rows; ++i) {
    const auto probabilities = column.probabilities.row(i);
    float sum = 0.0F;
    for (const float probability : probabilities) {
      sum += probability;
    }
    for (float& probability : probabilities) {
      probability /= sum;
    }
  }
}

Matrix OutputHeads::backward(const SoftBatch& batch, const SoftBatch& gradient,
                             WorkerPool& pool) const {
  Matrix result(batch.rows, layout_.size);
  constexpr std::size_t kRowsPerTask = 512;
  pool.run(ceil_divide(batch.rows, kRowsPerTask), [&](std::size_t task) {
    const std::size_t first = task * kRowsPerTask;
    backward_rows(first, std::min(batch.rows, first + kRowsPerTask), batch, gradient, result);
  });
  return result;
}

void OutputHeads::backward_rows(std::size_t first, std::size_t last, const SoftBatch& batch,
                                const SoftBatch& gradient, Matrix& result) const {
  for (std::size_t h = 0; h < layout_.parts.size(); ++h) {
    const RecordPart& head = layout_.parts[h];
    if (!head.used) {
      continue;
    }
    const SoftColumn& column = batch.columns[h];
    const SoftColumn& slope = gradient.columns[h];
    for (std::size_t i = first; head.image && i < last; ++i) {
      float* out = &result.values[i * layout_.size + head.first];
      const float* numbers = &column.numbers[i * head.width];
      const float* slopes = &slope.numbers[i * head.width];
      head.for_bytes([&](std::size_t byte, std::size_t place) {
        out[place] = 0.5F * slopes[byte] * (1.0F - numbers[byte] * numbers[byte]);
      });
    }
    for (std::size_t i = first; !head.image && i < last; ++i) {
      float* out = &result.values[i * layout_.size + head.first];
      if (head.is_number) {
        out[0] = slope.numbers[i] * (1.0F - column.numbers[i] * column.numbers[i]);
        if (head.may_miss) {
          out[1] = slope.presence[i] * column.presence[i] * (1.0F - column.presence[i]);
        }
        continue;
      }
      const auto p = column.probabilities.row(i);
      const auto g = slope.probabilities.row(i);
      float mean = 0.0F;
      for (std::size_t c = 0; c < head.width; ++c) {
        mean += p[c] * g[c];
      }
      for (std::size_t c = 0; c < head.width; ++c) {
        out[c] = p[c] * (g[c] - mean);
      }
    }
  }
}

EncodedBatch OutputHeads::draw(const SoftBatch& batch, SeededRandom& random) const {
  EncodedBatch records;
  records.rows = batch.rows;
  records.columns.resize(layout_.parts.size());
  for (std::size_t h = 0; h < layout_.parts.size(); ++h) {
    const RecordPart& head = layout_.parts[h];
    const SoftColumn& column = batch.columns[h];
    if (!head.used) {
      continue;
    }
    if (head.image) {
      auto& pixels = records.columns[h].pixels;
      pixels.resize(batch.rows * head.width);
      for (std::size_t place = 0; place < pixels.size(); ++place) {
        pixels[place] =
            pixel_of_number(static_cast<double>(column.numbers[place]), random.uniform());
      }
      continue;
    }
    if (head.is_number) {
      auto& numbers = records.columns[h].numbers;
      numbers.assign(column.numbers.begin(), column.numbers.end());
      for (std::size_t i = 0; head.may_miss && i < batch.rows; ++i) {
        if (!random.flip(static_cast<double>(column.presence[i]))) {
          numbers[i] = std::numeric_limits<double>::quiet_NaN();
        }
      }
      continue;
    }
    records.columns[h].codes.resize(batch.rows);
    for (std::size_t i = 0; i < batch.rows; ++i) {
      const auto p = column.probabilities.row(i);
      double left = random.uniform();
      std::size_t code = 0;
      while (code + 1 < head.width && left >= static_cast<double>(p[code])) {
        left -= static_cast<double>(p[code]);
        ++code;
      }
      records.columns[h].codes[i] = static_cast<std::int32_t>(code);
    }
  }
  return records;
}

}  // namespace mehler
