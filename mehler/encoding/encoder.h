#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mehler/encoding/category_coding.h"
#include "mehler/encoding/encoded_batch.h"
#include "mehler/encoding/image_coding.h"
#include "mehler/encoding/number_coding.h"
#include "mehler/encoding/record_rules.h"
#include "mehler/table/modelled_columns.h"
#include "mehler/table/record_stream.h"
#include "mehler/table/schema.h"
#include "mehler/table/table.h"

namespace mehler {

/// Where a schema's columns stand in the batches of one stream.
struct EncoderBinding {
  /// Per modelled column: the child of the batch that it is read from.
  std::vector<std::size_t> children;
  /// Per modelled column: the child that it is a difference to; its own where it is none.
  std::vector<std::size_t> others;
  /// The child that holds the privacy unit, if the schema has one.
  std::optional<std::size_t> privacy_unit;
};

/// Columns to numbers in a fixed centred range, to codes or to pixels, and back. Immutable and
/// thread-safe.
///
/// What methods measure and generators draw are the *modelled* columns: those of the schema, except
/// that its rules make differences and times of day of some and compute others
/// (modelled_columns.h). decode() gives the columns of the schema again, rules obeyed, except for
/// combinations that never occur: whoever draws records looks at those (never_rules.h).
///
/// Privacy: how a record is encoded depends on the schema alone, never on other records. Errors
/// name columns, not values.
class Encoder {
 public:
  /// Throws Error(kInvalidSchema) if a used column's bounds or categories are undeclared.
  explicit Encoder(const Schema& schema);

  const Schema& schema() const { return schema_; }
  /// The modelled columns, in the order of EncodedBatch::columns.
  const std::vector<Column>& columns() const { return columns_; }
  /// What each of them is made of.
  const std::vector<ModelledColumn>& modelled() const { return modelled_; }
  /// The index of a modelled column; throws Error(kInvalidArgument) if there is none of this name.
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

  /// The same, but never refuses: returns what was found, per modelled column.
  std::vector<Finding> encode_and_report(const EncoderBinding& binding,
                                         const ArrowSchema& stream_schema, const ArrowArray& batch,
                                         EncodedBatch& out) const;

  /// What is wrong with modelled column i, in the words of the table's column where that is meant.
  std::string describe_refusal(std::size_t i, Finding refused) const;

  /// Encoded records back to their units, steps, bounds, labels and missing values: all used
  /// columns of the schema, in its order.
  Table decode(const EncodedBatch& batch) const;
  /// The same; `batch` then has what decoding has changed for a fixed total.
  Table decode_and_settle(EncodedBatch& batch) const;

 private:
  Finding encode_modelled(std::size_t i, const ColumnView& view, const ColumnView& other,
                          EncodedColumn& out) const;

  Schema schema_;
  std::vector<ModelledColumn> modelled_;
  std::vector<Column> columns_;
  /// Nothing where decoded columns are all that there is.
  std::shared_ptr<const RecordRules> rules_;
  std::vector<std::variant<NumberCoding, CategoryCoding, ImageCoding>> codings_;
  std::optional<std::size_t> label_;
};

}  // namespace mehler
