#include "mehler/encoding/encoder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/encoding/modelled_values.h"
#include "mehler/encoding/table_columns.h"

namespace mehler {
namespace {

/// Whether a number that is whole can be one of the column's values.
bool takes_whole_numbers(const Column& column) {
  const std::vector<std::string> labels = column.labels();
  return column.kind == ColumnKind::kBoolean || column.other ||
         std::any_of(labels.begin(), labels.end(),
                     [](const std::string& label) { return plain_integer(label).has_value(); });
}

bool type_fits(const Column& column, ColumnType type) {
  if (type == ColumnType::kNull) {
    return true;  // every value is missing, which the encoder accepts or refuses
  }
  switch (column.kind) {
    case ColumnKind::kNumeric:
    case ColumnKind::kInteger:
      return type == ColumnType::kInteger || type == ColumnType::kFloating ||
             type == ColumnType::kDecimal || type == ColumnType::kDuration ||
             type == ColumnType::kTimeOfDay;
    case ColumnKind::kCategorical:
    case ColumnKind::kOrdinal:
    case ColumnKind::kBoolean:
      return type == ColumnType::kText || type == ColumnType::kInteger ||
             type == ColumnType::kBoolean ||
             ((type == ColumnType::kFloating || type == ColumnType::kDecimal) &&
              takes_whole_numbers(column));
    case ColumnKind::kDate:
    case ColumnKind::kDatetime:
      return type == ColumnType::kDate || type == ColumnType::kTimestamp ||
             type == ColumnType::kText;
    case ColumnKind::kImage:
      return type == ColumnType::kBytes;
    case ColumnKind::kIdentifier:
      return type == ColumnType::kText || type == ColumnType::kInteger;
    case ColumnKind::kIgnored:
      return true;
  }
  return false;
}

/// What a column of a type that is not read holds, and what makes one of it that is.
struct UnreadType {
  std::string_view words;
  std::string_view remedy;
};

UnreadType unread_type(const ArrowSchema& column) {
  constexpr std::pair<std::string_view, UnreadType> kTypes[] = {
      {"d:",
       {"decimals of other than 128 bits", "cast it to decimal128 or to 64-bit floats (float64)"}},
      {"+s", {"structs", "give each of their fields a column of its own"}},
      {"+m", {"maps", "give each of their keys a column of its own"}},
      {"+r", {"run-end encoded values", "decode it (pyarrow.compute.run_end_decode)"}},
      {"+u", {"unions", "cast it to one type"}},
      {"+", {"lists", "give each of their elements a column of its own"}},  // and views of lists
      {"ti", {"calendar intervals", "make it a duration, or a number of days or months"}},
      {"z", {"bytes", "cast it to text"}},
      {"Z", {"bytes", "cast it to text"}},
      {"vz", {"bytes", "cast it to text"}},
      {"w:", {"bytes", "cast it to text"}}};
  const std::string_view format =
      column.dictionary != nullptr ? column.dictionary->format : column.format;
  for (const auto& [start, type] : kTypes) {
    if (format.starts_with(start)) {
      return type;
    }
  }
  return {type_words(ColumnType::kUnsupported), "change its type in the table"};
}

/// What is wrong with the columns of a stream.
struct Complaints {
  std::vector<std::string> words;
  std::vector<std::string> absent;  ///< columns, which are told at once
};

/// Where a column stands among the stream's; what is wrong with it goes to `complaints`.
std::size_t find_child(const ArrowSchema& stream_schema, const Column& column,
                       Complaints& complaints) {
  for (std::int64_t i = 0; i < stream_schema.n_children; ++i) {
    const ArrowSchema& child = *stream_schema.children[i];
    if (column.name == child.name) {
      const ColumnType type = column_type(child);
      if (column.is_image() && !type_fits(column, type)) {
        complaints.words.push_back(
            fmt::format("column '{}' is declared an image, but the table holds {} there; images "
                        "are lists of uint8, or PNG files in binary values: convert them, or "
                        "change its kind in the schema",
                        shown(column.name),
                        type == ColumnType::kUnsupported ? "another type" : type_words(type)));
      } else if (type == ColumnType::kUnsupported && !type_fits(column, type)) {
        const UnreadType unread = unread_type(child);
        complaints.words.push_back(fmt::format(
            "column '{}' is declared {}, but the table holds {} there, which are not read; {}, or "
            "declare it ignored",
            shown(column.name), kind_name(column.kind), unread.words, unread.remedy));
      } else if (!type_fits(column, type)) {
        complaints.words.push_back(
            fmt::format("column '{}' is declared {}, but the table holds {} there; change its kind "
                        "in the schema or its type in the table",
                        shown(column.name), kind_name(column.kind), type_words(type)));
      } else if (column.is_image() && type == ColumnType::kBytes &&
                 bytes_of_lists(child) != column.shape->size()) {
        complaints.words.push_back(
            fmt::format("column '{}' is declared an image of {} x {} pixels with {}, {} bytes, but "
                        "the table holds lists of {} bytes there; correct the shape in the schema",
                        shown(column.name), column.shape->rows, column.shape->columns,
                        column.shape->channels == 1 ? "1 channel" : "3 channels",
                        column.shape->size(), bytes_of_lists(child)));
      }
      return static_cast<std::size_t>(i);
    }
  }
  if (std::find(complaints.absent.begin(), complaints.absent.end(), column.name) ==
      complaints.absent.end()) {
    complaints.absent.push_back(column.name);
  }
  return 0;
}

void refuse_all(Complaints complaints) {
  const std::vector<std::string>& absent = complaints.absent;
  if (absent.size() == 1) {
    complaints.words.push_back(
        fmt::format("the table has no column '{}', which the schema describes; add it to the "
                    "table, or remove it from the schema",
                    shown(absent[0])));
  } else if (!absent.empty()) {
    complaints.words.push_back(
        fmt::format("the table does not have {}, which the schema describes; add them to the "
                    "table, or remove them from the schema",
                    quoted_columns(absent)));
  }
  if (!complaints.words.empty()) {
    throw Error(ErrorCode::kInvalidTable,
                fmt::format("{}", fmt::join(complaints.words, ". Also, ")));
  }
}

TableColumn decode_numbers(const Column& column, const NumberCoding& coding,
                           std::span<const double> numbers) {
  std::vector<double> values(numbers.size());
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    values[row] = std::isnan(numbers[row]) ? numbers[row] : coding.decode(numbers[row]);
  }
  return number_column(column, values);
}

TableColumn decode_codes(const Column& column, const CategoryCoding& coding,
                         std::span<const std::int32_t> codes) {
  TableColumn result = empty_column(column);
  std::vector<std::int64_t> booleans;
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < codes.size(); ++row) {
    const bool missing = coding.is_missing(codes[row]);
    if (missing) {
      result.is_missing.resize(codes.size());
      result.is_missing[row] = true;
    }
    MEHLER_ASSERT(missing || (codes[row] >= 0 &&
                              static_cast<std::size_t>(codes[row]) < coding.labels().size()));
    if (column.kind == ColumnKind::kBoolean) {
      booleans.push_back(missing ? 0 : codes[row]);
    } else {
      texts.push_back(missing ? std::string()
                              : coding.labels()[static_cast<std::size_t>(codes[row])]);
    }
  }
  if (column.kind == ColumnKind::kBoolean) {
    result.values = std::move(booleans);
  } else {
    result.values = std::move(texts);
  }
  return result;
}

}  // namespace

Encoder::Encoder(const Schema& schema) : schema_(schema), modelled_(modelled_columns(schema)) {
  schema.require_declared();
  for (const ModelledColumn& modelled : modelled_) {
    const Column& column = modelled.column;
    if (schema_.label() == &schema_.columns()[modelled.source]) {
      label_ = columns_.size();
    }
    columns_.push_back(column);
    if (column.is_number()) {
      codings_.emplace_back(NumberCoding(column));
    } else if (column.is_image()) {
      codings_.emplace_back(ImageCoding(column));
    } else {
      codings_.emplace_back(CategoryCoding(column));
    }
  }
  if (RecordRules::are_needed(schema_)) {
    rules_ = std::make_shared<const RecordRules>(schema_, modelled_);
  }
}

std::size_t Encoder::index_of(std::string_view name) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) {
      return i;
    }
  }
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("the schema uses no column '{}'", shown(name)));
}

EncoderBinding Encoder::bind(const ArrowSchema& stream_schema) const {
  EncoderBinding binding = bind_without_unit(stream_schema);
  if (schema_.privacy_unit()) {
    Complaints complaints;
    binding.privacy_unit =
        find_child(stream_schema, *schema_.find(schema_.privacy_unit()->column), complaints);
    refuse_all(std::move(complaints));
  }
  return binding;
}

EncoderBinding Encoder::bind_without_unit(const ArrowSchema& stream_schema) const {
  std::vector<std::string> unknown;
  for (std::int64_t i = 0; i < stream_schema.n_children; ++i) {
    const char* name = stream_schema.children[i]->name;
    if (!schema_.ignores_others() && schema_.find(name) == nullptr) {
      unknown.emplace_back(name);
    }
  }
  if (!unknown.empty()) {
    throw Error(
        ErrorCode::kInvalidTable,
        fmt::format("the table has {}, which the schema does not describe{}; add {} to the schema, "
                    "with the kind 'ignored' if not to be used, or write \"others\": \"ignored\"",
                    quoted_columns(unknown),
                    unknown.size() == 1 ? suggest_names(unknown[0], schema_.column_names()) : "",
                    unknown.size() == 1 ? "it" : "them"));
  }
  EncoderBinding binding;
  Complaints complaints;
  for (const ModelledColumn& modelled : modelled_) {
    const Column& source = schema_.columns()[modelled.source];
    binding.children.push_back(find_child(stream_schema, source, complaints));
    binding.others.push_back(
        modelled.as == ModelledAs::kDifference
            ? find_child(stream_schema, schema_.columns()[modelled.other], complaints)
            : binding.children.back());
  }
  refuse_all(std::move(complaints));
  return binding;
}

std::vector<Finding> Encoder::encode_and_report(const EncoderBinding& binding,
                                                const ArrowSchema& stream_schema,
                                                const ArrowArray& batch, EncodedBatch& out) const {
  out.rows = static_cast<std::size_t>(batch.length);
  out.columns.resize(columns_.size());
  std::vector<Finding> findings(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const ColumnView view(stream_schema, batch, binding.children[i]);
    if (modelled_[i].as != ModelledAs::kItself) {
      const ColumnView other(stream_schema, batch, binding.others[i]);
      findings[i] = encode_modelled(i, view, other, out.columns[i]);
    } else if (const auto* number = std::get_if<NumberCoding>(&codings_[i])) {
      out.columns[i].numbers.resize(out.rows);
      findings[i] = number->encode_column(view, out.columns[i].numbers.data());
    } else if (const auto* image = std::get_if<ImageCoding>(&codings_[i])) {
      out.columns[i].pixels.resize(out.rows * image->shape().size());
      findings[i] = image->encode_column(view, out.columns[i].pixels.data());
    } else {
      out.columns[i].codes.resize(out.rows);
      findings[i] =
          std::get<CategoryCoding>(codings_[i]).encode_column(view, out.columns[i].codes.data());
    }
  }
  return findings;
}

void Encoder::encode(const EncoderBinding& binding, const ArrowSchema& stream_schema,
                     const ArrowArray& batch, EncodedBatch& out) const {
  const std::vector<Finding> findings = encode_and_report(binding, stream_schema, batch, out);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Finding refused = refused_findings(columns_[i], findings[i]);
    if (refused != Finding::kNone) {
      throw Error(ErrorCode::kInvalidTable, describe_refusal(i, refused));
    }
  }
}

Finding Encoder::encode_modelled(std::size_t i, const ColumnView& view, const ColumnView& other,
                                 EncodedColumn& out) const {
  const ModelledColumn& modelled = modelled_[i];
  const auto& coding = std::get<NumberCoding>(codings_[i]);
  out.numbers.resize(view.rows());
  WipedVector<double>& values = out.numbers;
  Finding found = read_physical(schema_.columns()[modelled.source], view, values);
  if (modelled.as == ModelledAs::kDifference) {
    WipedVector<double> from(view.rows());
    read_physical(schema_.columns()[modelled.other], other, from);  // found where it is encoded
    subtract(from, difference_unit(schema_.columns()[modelled.source]), values);
  } else {
    found |= take_part(modelled, *schema_.columns()[modelled.source].bounds, values);
  }
  return found | coding.encode_values(values);
}

std::string Encoder::describe_refusal(std::size_t i, Finding refused) const {
  const bool means_modelled = refused == Finding::kOutOfRange;
  return mehler::describe_refusal(
      means_modelled ? columns_[i] : schema_.columns()[modelled_[i].source], refused);
}

Table Encoder::decode(const EncodedBatch& batch) const {
  MEHLER_ASSERT(batch.columns.size() == columns_.size());
  std::vector<TableColumn> decoded(schema_.columns().size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    TableColumn& column = decoded[modelled_[i].source];
    if (modelled_[i].as != ModelledAs::kItself) {
      continue;
    }
    if (const auto* number = std::get_if<NumberCoding>(&codings_[i])) {
      column = decode_numbers(columns_[i], *number, batch.columns[i].numbers);
    } else if (const auto* image = std::get_if<ImageCoding>(&codings_[i])) {
      column = image->decode(batch.columns[i].pixels);
    } else {
      column =
          decode_codes(columns_[i], std::get<CategoryCoding>(codings_[i]), batch.columns[i].codes);
    }
  }
  if (rules_) {
    rules_->complete(batch, decoded);
  }
  Table table;
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    if (schema_.columns()[i].is_used()) {
      table.columns.push_back(std::move(decoded[i]));
    }
  }
  return table;
}

Table Encoder::decode_and_settle(EncodedBatch& batch) const {
  Table table = decode(batch);
  if (rules_) {
    rules_->settle(table, modelled_, batch);
  }
  return table;
}

}  // namespace mehler
