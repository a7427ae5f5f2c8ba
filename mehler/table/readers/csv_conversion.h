#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mehler/table/readers/column_selection.h"
#include "mehler/table/readers/stream_export.h"

namespace arrow {
class Array;
class DataType;
}  // namespace arrow

namespace mehler {

/// Makes values of the texts of one CSV column that Arrow cannot read by itself.
class TextConversion {
 public:
  virtual ~TextConversion() = default;

  virtual std::shared_ptr<arrow::DataType> type() const = 0;

  /// The values of texts; a missing or empty text is a missing value. At the first that is not
  /// written so, nullptr, and its place in `bad_row`.
  virtual std::shared_ptr<arrow::Array> convert(const arrow::Array& texts,
                                                std::int64_t& bad_row) const = 0;

  /// What its texts should be: "a number with a decimal comma".
  virtual std::string words() const = 0;
};

/// What a column needs, by the schema or, without one, as it was recognised: nullptr if nothing.
std::shared_ptr<const TextConversion> conversion_of(const std::string& column,
                                                    const PartContext& part);

/// One entry per column of the batches, nullptr where they stay as they are.
using TextConversions = std::vector<std::shared_ptr<const TextConversion>>;

/// The batches with converted columns. A text that is not as it should be is an Error
/// (kInvalidTable) that names the column and the number of the record.
std::unique_ptr<BatchSource> convert_batches(std::unique_ptr<BatchSource> batches,
                                             TextConversions conversions, PartContext part);

}  // namespace mehler
