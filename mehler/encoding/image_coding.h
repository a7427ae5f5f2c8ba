#pragma once

#include <cstdint>
#include <span>

#include "mehler/encoding/findings.h"
#include "mehler/table/column_view.h"
#include "mehler/table/table.h"

namespace mehler {

/// One column of images to bytes and back.
class ImageCoding {
 public:
  /// The column is an image, which has a shape.
  explicit ImageCoding(const Column& column) : column_(column) {}

  /// Copies a column of lists of shape().size() bytes into out[0 .. rows * shape().size()).
  Finding encode_column(const ColumnView& view, std::uint8_t* out) const;

  TableColumn decode(std::span<const std::uint8_t> pixels) const;

  const ImageShape& shape() const { return *column_.shape; }

 private:
  Column column_;
};

}  // namespace mehler
