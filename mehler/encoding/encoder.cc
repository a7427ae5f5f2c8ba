#include "mehler/encoding/encoder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"

namespace mehler {
namespace {

bool type_fits(ColumnKind kind, ColumnType type) {
  if (type == ColumnType::kNull) {
    return true;  // every value is missing, which the encoder accepts or refuses
  }
  switch (kind) {
    case ColumnKind::kNumeric:
    case ColumnKind::kInteger:
      return type == ColumnType::kInteger || type == ColumnType::kFloating ||
             type == ColumnType::kDecimal || type == ColumnType::kDuration ||
             type == ColumnType::kTimeOfDay;
    case ColumnKind::kCategorical:
    case ColumnKind::kOrdinal:
    case ColumnKind::kBoolean:
      return type == ColumnType::kText || type == ColumnType::kInteger ||
             type == ColumnType::kBoolean;
    case ColumnKind::kDate:
    case ColumnKind::kDatetime:
      return type == ColumnType::kDate || type == ColumnType::kTimestamp ||
             type == ColumnType::kText;
    case ColumnKind::kIdentifier:
      return type == ColumnType::kText || type == ColumnType::kInteger;
    case ColumnKind::kIgnored:
      return true;
  }
  return false;
}

/// Where a column stands among the stream's; what is wrong with it goes to `complaints`.
std::size_t find_child(const ArrowSchema& stream_schema, const Column& column,
                       std::vector<std::string>& complaints) {
  for (std::int64_t i = 0; i < stream_schema.n_children; ++i) {
    const ArrowSchema& child = *stream_schema.children[i];
    if (column.name == child.name) {
      const ColumnType type = column_type(child);
      if (!type_fits(column.kind, type)) {
        complaints.push_back(
            fmt::format("column '{}' is declared {}, but the table holds {} there; change its kind "
                        "in the schema or its type in the table",
                        shown(column.name), kind_name(column.kind), type_words(type)));
      }
      return static_cast<std::size_t>(i);
    }
  }
  complaints.push_back(
      fmt::format("the table has no column '{}', which the schema describes; add it to the table, "
                  "or remove it from the schema",
                  shown(column.name)));
  return 0;
}

void refuse_all(const std::vector<std::string>& complaints) {
  if (!complaints.empty()) {
    throw Error(ErrorCode::kInvalidTable, fmt::format("{}", fmt::join(complaints, ". Also, ")));
  }
}

/// A column of the declared name, kind and type, without values yet.
TableColumn empty_column(const Column& column) {
  TableColumn result;
  result.name = column.name;
  result.kind = column.kind;
  result.type = column.type;
  result.decimal_digits = column.decimal_digits;
  result.timezone = column.timezone;
  if (column.type == StoredType::kDictionary) {
    result.labels = column.labels();
  }
  return result;
}

/// A value that single precision holds, still within the bounds.
double to_single(double value, const Interval& bounds) {
  auto single = static_cast<float>(value);
  if (static_cast<double>(single) > bounds.high) {
    single = std::nextafter(single, static_cast<float>(bounds.low));
  } else if (static_cast<double>(single) < bounds.low) {
    single = std::nextafter(single, static_cast<float>(bounds.high));
  }
  return single;
}

TableColumn decode_numbers(const Column& column, const NumberCoding& coding,
                           std::span<const double> numbers) {
  TableColumn result = empty_column(column);
  if (std::any_of(numbers.begin(), numbers.end(), [](double v) { return std::isnan(v); })) {
    result.is_missing.resize(numbers.size());
  }
  std::vector<double> values(numbers.size());
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const bool missing = std::isnan(numbers[row]);
    if (missing) {
      result.is_missing[row] = true;
    }
    values[row] = missing ? 0.0 : coding.decode(numbers[row]);
    if (column.type == StoredType::kFloat32 && !missing) {
      values[row] = to_single(values[row], *column.bounds);
    }
  }
  if (column.kind == ColumnKind::kNumeric) {
    result.values = std::move(values);
  } else {
    result.values = std::vector<std::int64_t>(values.begin(), values.end());
  }
  return result;
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

Encoder::Encoder(const Schema& schema) : schema_(schema) {
  schema.require_declared();
  for (const Column& column : schema.columns()) {
    if (!column.is_used()) {
      continue;
    }
    if (schema.label() == &column) {
      label_ = columns_.size();
    }
    columns_.push_back(column);
    if (column.is_number()) {
      codings_.emplace_back(NumberCoding(column));
    } else {
      codings_.emplace_back(CategoryCoding(column));
    }
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
    std::vector<std::string> complaints;
    binding.privacy_unit =
        find_child(stream_schema, *schema_.find(schema_.privacy_unit()->column), complaints);
    refuse_all(complaints);
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
  std::vector<std::string> complaints;
  for (const Column& column : columns_) {
    binding.children.push_back(find_child(stream_schema, column, complaints));
  }
  refuse_all(complaints);
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
    if (const auto* number = std::get_if<NumberCoding>(&codings_[i])) {
      out.columns[i].numbers.resize(out.rows);
      findings[i] = number->encode_column(view, out.columns[i].numbers.data());
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
      throw Error(ErrorCode::kInvalidTable, describe_refusal(columns_[i], refused));
    }
  }
}

Table Encoder::decode(const EncodedBatch& batch) const {
  MEHLER_ASSERT(batch.columns.size() == columns_.size());
  Table table;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (const auto* number = std::get_if<NumberCoding>(&codings_[i])) {
      table.columns.push_back(decode_numbers(columns_[i], *number, batch.columns[i].numbers));
    } else {
      table.columns.push_back(
          decode_codes(columns_[i], std::get<CategoryCoding>(codings_[i]), batch.columns[i].codes));
    }
  }
  return table;
}

}  // namespace mehler
