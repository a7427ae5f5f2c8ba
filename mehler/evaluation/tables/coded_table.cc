#include "mehler/evaluation/tables/coded_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "mehler/core/error.h"
#include "mehler/encoding/for_each_batch.h"
#include "mehler/table/calendar.h"
#include "mehler/table/table_stream.h"

namespace mehler {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMaxCodes = std::size_t{1} << 16;

/// Codes the batches of one column of numbers.
class NumberReader {
 public:
  NumberReader(const Column& column, const ColumnBins& bins)
      : column_(column), bins_(bins), coding_(column) {}

  void add(const ColumnView& view, CodedColumn& out) {
    raw_.resize(view.rows());
    const bool has_unreadable = contains(coding_.read_values(view, raw_.data()), Finding::kNotDate);
    for (std::size_t row = 0; row < view.rows(); ++row) {
      if ((view.may_miss() && view.is_missing(row)) || std::isnan(raw_[row])) {
        add_missing(out);
      } else if (!std::isfinite(raw_[row]) || (has_unreadable && !is_date(view, row))) {
        ++out.invalid;
        out.codes.push_back(bins_.unknown_code());
        out.numbers.push_back(kNoNumber);
      } else {
        add_number(raw_[row], out);
      }
    }
  }

 private:
  void add_missing(CodedColumn& out) const {
    ++out.missing;
    out.invalid += column_.missing ? 0 : 1;
    out.codes.push_back(bins_.missing_code());
    out.numbers.push_back(kNoNumber);
  }

  void add_number(double value, CodedColumn& out) const {
    const bool is_whole = column_.kind != ColumnKind::kInteger || std::trunc(value) == value;
    const bool is_within = value >= column_.bounds->low && value <= column_.bounds->high;
    out.invalid += is_whole && is_within ? 0 : 1;
    out.codes.push_back(bins_.bin_of(value));
    out.numbers.push_back(value);
  }

  /// Only for batches with text that is no date: reads the one text again.
  bool is_date(const ColumnView& view, std::size_t row) const {
    const std::string_view text = view.text(row);
    return parse_datetime(text).has_value() ||
           (column_.kind == ColumnKind::kDate && parse_date(text).has_value());
  }

  const Column& column_;
  const ColumnBins& bins_;
  NumberCoding coding_;
  std::vector<double> raw_;
};

/// Codes the batches of one column of categories.
class CategoryReader {
 public:
  CategoryReader(const Column& column, const ColumnBins& bins)
      : column_(column), bins_(bins), coding_(column) {}

  void add(const ColumnView& view, CodedColumn& out) {
    raw_.resize(view.rows());
    coding_.encode_column(view, raw_.data());
    for (std::size_t row = 0; row < view.rows(); ++row) {
      if ((view.may_miss() && view.is_missing(row)) || view.is_nan(row)) {
        ++out.missing;
        out.invalid += column_.missing ? 0 : 1;
        out.codes.push_back(bins_.missing_code());
      } else if (raw_[row] == CategoryIndex::kUnknown) {
        ++out.invalid;
        out.codes.push_back(bins_.unknown_code());
      } else {
        out.codes.push_back(static_cast<std::uint16_t>(raw_[row]));
      }
    }
  }

 private:
  const Column& column_;
  const ColumnBins& bins_;
  CategoryCoding coding_;
  std::vector<std::int32_t> raw_;
};

using ColumnReader = std::variant<NumberReader, CategoryReader>;

/// Of every column but that of images.
std::vector<ColumnReader> column_readers(const Encoder& encoder,
                                         const std::vector<ColumnBins>& bins) {
  std::vector<ColumnReader> readers;
  readers.reserve(bins.size());
  for (const Column& column : encoder.columns()) {
    if (column.is_image()) {
      continue;
    }
    MEHLER_ASSERT(readers.size() < bins.size());
    const ColumnBins& of_column = bins[readers.size()];
    if (column.is_number()) {
      readers.emplace_back(std::in_place_type<NumberReader>, column, of_column);
    } else {
      readers.emplace_back(std::in_place_type<CategoryReader>, column, of_column);
    }
  }
  MEHLER_ASSERT(readers.size() == bins.size());
  return readers;
}

/// Adds the bytes of a batch of images, column i of the encoder.
void add_images(const Encoder& encoder, std::size_t i, const ColumnView& view,
                std::vector<std::uint8_t>& pixels) {
  const ImageCoding coding(encoder.columns()[i]);
  const std::size_t before = pixels.size();
  pixels.resize(before + view.rows() * coding.shape().size());
  const Finding found = coding.encode_column(view, pixels.data() + before);
  if (found != Finding::kNone) {
    throw Error(ErrorCode::kInvalidTable, encoder.describe_refusal(i, found));
  }
}

}  // namespace

ColumnBins::ColumnBins(const Column& column, std::size_t bins) : bins_(bins) {
  if (bins < 2 || bins > kMaxBins) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the number of bins must lie in [2, {}], but is {}; the default is {}",
                            kMaxBins, bins, kDefaultBins));
  }
  if (column.is_category()) {
    bins_ = column.labels().size();
    if (code_count() > kMaxCodes) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("column '{}' has {} categories, but evaluation takes at most {}; "
                              "declare fewer and an 'other' category, or ignore the column",
                              column.name, bins_, kMaxCodes - 2));
    }
    return;
  }
  const double width = column.bounds->width();
  // Half a step of slack: 0.3 / 0.1 is a little less than 3.
  const double values = column.step ? std::floor(width / *column.step + 0.5) + 1.0 : HUGE_VAL;
  one_bin_a_value_ = values <= static_cast<double>(bins);
  if (one_bin_a_value_) {
    bins_ = static_cast<std::size_t>(values);
    first_ = column.bounds->low;
    bins_per_unit_ = 1.0 / *column.step;
  } else {
    transform_ = column.transform;
    transform_scale_ = column.transform_scale;
    first_ = column.transformed(column.bounds->low);
    bins_per_unit_ = static_cast<double>(bins) / (column.transformed(column.bounds->high) - first_);
  }
}

std::uint16_t ColumnBins::bin_of(double value) const {
  const double place =
      (transform_number(transform_, transform_scale_, value) - first_) * bins_per_unit_;
  const double bin = one_bin_a_value_ ? std::round(place) : std::floor(place);
  return static_cast<std::uint16_t>(std::clamp(bin, 0.0, static_cast<double>(bins_ - 1)));
}

double ColumnBins::lower_edge(std::size_t bin) const {
  return untransform_number(transform_, transform_scale_,
                            first_ + static_cast<double>(bin) / bins_per_unit_);
}

std::vector<ColumnBins> column_bins(const Encoder& encoder, std::size_t bins) {
  std::vector<ColumnBins> result;
  for (const Column& column : encoder.columns()) {
    if (!column.is_image()) {
      result.emplace_back(column, bins);
    }
  }
  return result;
}

CodedTable read_coded_table(const Encoder& encoder, const std::vector<ColumnBins>& bins,
                            const std::vector<RecordStreamFactory>& parts, const Context& context,
                            std::string_view shown_name) {
  std::vector<ColumnReader> readers = column_readers(encoder, bins);
  CodedTable table;
  table.columns.resize(readers.size());
  for_each_batch(
      parts, encoder, context,
      [&](const EncoderBinding& binding, const ArrowSchema& schema, const ArrowArray& batch) {
        table.rows += static_cast<std::size_t>(batch.length);
        std::size_t next = 0;
        for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
          const ColumnView view(schema, batch, binding.children[i]);
          if (encoder.columns()[i].is_image()) {
            add_images(encoder, i, view, table.pixels);
            continue;
          }
          std::visit([&](auto& reader) { reader.add(view, table.columns[next]); }, readers[next]);
          ++next;
        }
      });
  if (table.rows == 0) {
    throw Error(
        ErrorCode::kInvalidTable,
        fmt::format("{} has a header but no rows; give one with at least one record", shown_name));
  }
  return table;
}

CodedTable read_coded_table(const Encoder& encoder, const std::vector<ColumnBins>& bins,
                            const Table& table) {
  return read_coded_table(encoder, bins, {[&table] {
                            ArrowArrayStream stream = arrow_stream_of({table});
                            return RecordStream(&stream);
                          }},
                          Context{});
}

}  // namespace mehler
