#include "mehler/encoding/image_coding.h"

#include <algorithm>

#include "mehler/encoding/table_columns.h"

namespace mehler {

Finding ImageCoding::encode_column(const ColumnView& view, std::uint8_t* out) const {
  if (view.type() == ColumnType::kNull) {
    std::fill_n(out, view.rows() * shape().size(), std::uint8_t{0});
    return view.rows() == 0 ? Finding::kNone : Finding::kMissing;
  }
  return view.copy_bytes(out) ? Finding::kNone : Finding::kMissing;
}

TableColumn ImageCoding::decode(std::span<const std::uint8_t> pixels) const {
  TableColumn result = empty_column(column_);
  result.values = ImageValues{shape(), {pixels.begin(), pixels.end()}};
  return result;
}

}  // namespace mehler
