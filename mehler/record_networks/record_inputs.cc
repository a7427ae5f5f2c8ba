#include "mehler/record_networks/record_inputs.h"

#include <algorithm>
#include <cmath>

#include "mehler/encoding/pixel_numbers.h"

namespace mehler {

RecordInputs::RecordInputs(const Encoder& encoder, const Style& style)
    : layout_(encoder), from_zero_(style.pixels == Pixels::kFromZero) {
  if (style.label == Label::kTold && encoder.label()) {
    label_ = *encoder.label();
    told_classes_ = encoder.columns()[label_].code_count();
  }
}

void RecordInputs::put(const EncodedBatch& records, std::size_t row, float* inputs) const {
  std::fill_n(inputs, size(), 0.0F);
  for (std::size_t c = 0; c < layout_.parts.size(); ++c) {
    const RecordPart& part = layout_.parts[c];
    const EncodedColumn& column = records.columns[c];
    float* const place = inputs + part.first;
    if (!part.used) {
      continue;
    }
    if (part.image) {
      const std::uint8_t* pixels = &column.pixels[row * part.width];
      part.for_bytes([&](std::size_t byte, std::size_t output) {
        place[output] = pixel(static_cast<float>(number_of_pixel(pixels[byte])));
      });
    } else if (!part.is_number) {
      place[column.codes[row]] = 1.0F;
    } else if (!std::isnan(column.numbers[row])) {
      place[0] = static_cast<float>(column.numbers[row]);
      if (part.may_miss) {
        place[1] = 1.0F;
      }
    }
  }
  if (told_classes_ > 0) {
    inputs[layout_.size + static_cast<std::size_t>(records.columns[label_].codes[row])] = 1.0F;
  }
}

}  // namespace mehler
