#include "mehler/record_networks/record_layout.h"

namespace mehler {

RecordLayout::RecordLayout(const Encoder& encoder) {
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    const Column& column = encoder.columns()[i];
    RecordPart part;
    if (encoder.label() != i) {
      part.used = true;
      part.is_number = column.is_number();
      part.may_miss = column.is_number() && column.missing;
      part.first = size;
      part.image = column.shape;
      part.width = column.is_image()    ? column.shape->size()
                   : column.is_number() ? (column.missing ? 2 : 1)
                                        : column.code_count();
      size += part.width;
    }
    parts.push_back(part);
  }
}

}  // namespace mehler
