#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/tables/coded_columns.h"
#include "mehler/table/record_stream.h"
#include "mehler/table/table.h"

namespace mehler {

/// How the values of one column fall into bins, by the schema alone: two tables of one schema are
/// binned alike, whatever they hold.
///
/// Numbers have bins of equal width over the declared bounds, on the scale of the column's
/// transform if it declares one, or one bin a value where the declared step leaves no more values
/// than bins; categories have one bin a label. Two more codes follow:
/// a missing value, and a value that the schema does not know.
class ColumnBins {
 public:
  static constexpr std::size_t kDefaultBins = 20;
  static constexpr std::size_t kMaxBins = 10'000;

  /// Throws Error(kInvalidArgument) unless 2 <= bins <= kMaxBins and the codes fit into 16 bits.
  ColumnBins(const Column& column, std::size_t bins);

  /// Bins of values; without the two further codes.
  std::size_t bins() const { return bins_; }
  std::uint16_t missing_code() const { return static_cast<std::uint16_t>(bins_); }
  std::uint16_t unknown_code() const { return static_cast<std::uint16_t>(bins_ + 1); }
  std::size_t code_count() const { return bins_ + 2; }

  /// The bin of a finite number in the column's units; beyond the bounds, the first or the last.
  std::uint16_t bin_of(double value) const;
  /// Of a column of numbers: whether a bin has one value.
  bool is_of_values() const { return one_bin_a_value_; }
  /// Of a column of numbers: where a bin begins, in the column's units; `bins()` for the end of the
  /// last one. Where a bin has one value, that value.
  double lower_edge(std::size_t bin) const;

 private:
  std::size_t bins_;
  NumberTransform transform_ = NumberTransform::kNone;
  double transform_scale_ = 1.0;
  double first_ = 0.0;  ///< the lower bound, transformed
  double bins_per_unit_ = 0.0;
  bool one_bin_a_value_ = false;
};

/// The bins of every used column but that of images.
std::vector<ColumnBins> column_bins(const Encoder& encoder,
                                    std::size_t bins = ColumnBins::kDefaultBins);

/// Reads all records of a table, a batch at a time. Values that the schema does not allow are
/// counted, not refused: they are what an evaluation is to find.
///
/// `shown_name` is for messages. Throws Error(kInvalidTable) if there are no records, if the
/// columns are not the schema's or have other types, or if a record lacks its image;
/// Error(kCancelled).
///
/// Privacy: for evaluation, by the data's owner. What is computed from the result is covered by no
/// guarantee.
CodedTable read_coded_table(const Encoder& encoder, const std::vector<ColumnBins>& bins,
                            const std::vector<RecordStreamFactory>& parts, const Context& context,
                            std::string_view shown_name = "the table");

/// The same of a table in memory.
CodedTable read_coded_table(const Encoder& encoder, const std::vector<ColumnBins>& bins,
                            const Table& table);

}  // namespace mehler
