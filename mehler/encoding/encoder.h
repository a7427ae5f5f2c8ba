#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "mehler/encoding/category_coding.h"
#include "mehler/encoding/encoded_batch.h"
#include "mehler/encoding/number_coding.h"
#include "mehler/table/record_stream.h"
#include "mehler/table/schema.h"
#include "mehler/table/table.h"

namespace mehler {

/// Where a schema's columns stand in the batches of one stream.
struct EncoderBinding {
  /// Per used column of the schema: the child of the batch.
  std::vector<std::size_t> children;
  /// The child that holds the privacy unit, if the schema has one.
  std::optional<std::size_t> privacy_unit;
};

/// Columns to numbers in a fixed centred range, and back. Immutable and thread-safe.
///
/// Privacy: how a record is encoded depends on the schema alone, never on other records. Errors
/// name columns, not values.
class Encoder {
 public:
  /// Throws Error(kInvalidSchema) if a used column's bounds or categories are undeclared.
  explicit Encoder(const Schema& schema);

  const Schema& schema() const { return schema_; }
  /// The used columns, in the order of EncodedBatch::columns.
  const std::vector<Column>& columns() const { return columns_; }
  /// The index of a used column; throws Error(kInvalidArgument) if there is none of this name.
  std::size_t index_of(std::string_view name) const;
  /// Where the label stands among columns(); nothing if the schema has no label.
  std::optional<std::size_t> label() const { return label_; }

  /// Matches a stream's columns to the schema's, the privacy unit's included.
  /// Throws Error(kInvalidTable) for a column that is absent, that the schema does not know, or
  /// whose type does not fit its kind.
  EncoderBinding bind(const ArrowSchema& stream_schema) const;
  /// The same without the privacy unit, which synthetic records do not have. Nothing then limits
  /// how many records of one person are encoded: never use it for private records.
  EncoderBinding bind_without_unit(const ArrowSchema& stream_schema) const;

  /// Encodes a batch of a bound stream; `out` is resized and its storage reused.
  /// Throws Error(kInvalidTable) for a value that the schema refuses.
  void encode(const EncoderBinding& binding, const ArrowSchema& stream_schema,
              const ArrowArray& batch, EncodedBatch& out) const;

  /// The same, but never refuses: returns what was found, per used column.
  std::vector<Finding> encode_and_report(const EncoderBinding& binding,
                                         const ArrowSchema& stream_schema, const ArrowArray& batch,
                                         EncodedBatch& out) const;

  /// Encoded records back to their units, steps, bounds, labels and missing values.
  Table decode(const EncodedBatch& batch) const;

 private:
  Schema schema_;
  std::vector<Column> columns_;
  std::vector<std::variant<NumberCoding, CategoryCoding>> codings_;
  std::optional<std::size_t> label_;
};

}  // namespace mehler
