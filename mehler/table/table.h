#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "mehler/table/arrow_c_interface.h"
#include "mehler/table/column.h"

namespace mehler {

/// Images of one shape, one after another.
struct ImageValues {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;  ///< [images][shape.size()]

  /// Images.
  std::size_t size() const { return shape.size() == 0 ? 0 : pixels.size() / shape.size(); }
  bool operator==(const ImageValues&) const = default;
};

/// One column of records that need no protection, in its own units.
struct TableColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kNumeric;

  /// Numeric columns hold doubles; integers, dates (days) and datetimes (microseconds) hold int64;
  /// booleans hold int64 0 or 1; categorical and ordinal columns hold text. One entry per row.
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>,
               ImageValues>
      values;
  /// Rows whose value is missing; empty when none is.
  std::vector<bool> is_missing;

  /// How typed formats store the values, and the zone they show times in: as in Column. Texts of an
  /// integer type are whole numbers, of a boolean one "true" and "false".
  StoredType type = StoredType::kUsual;
  DecimalDigits decimal_digits = {};
  std::string timezone = {};
  /// With StoredType::kDictionary: every text that there can be.
  std::vector<std::string> labels = {};

  std::size_t rows() const;
};

/// Records that need no protection, in memory: what decoding gives and what table writers take.
struct Table {
  std::vector<TableColumn> columns;

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().rows(); }

  /// Adds the rows of a table with the same columns; of any table, if this one has no columns yet.
  void append(const Table& more);

  /// Copies the table into the Arrow C data interface: a struct array of float64, int64, utf8,
  /// bool, date32 and timestamp[us] columns, or of the columns' own types; images are fixed-size
  /// lists of uint8 whose field says the shape (image_field.h). The caller owns both and releases
  /// them.
  void export_to_arrow(ArrowSchema* schema, ArrowArray* array) const;
};

}  // namespace mehler
