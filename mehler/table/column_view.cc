#include "mehler/table/column_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"

namespace mehler {
namespace {

ColumnType type_of_format(std::string_view format) {
  if (format.size() == 1) {
    switch (format[0]) {
      case 'n':
        return ColumnType::kNull;
      case 'b':
        return ColumnType::kBoolean;
      case 'c':
      case 'C':
      case 's':
      case 'S':
      case 'i':
      case 'I':
      case 'l':
      case 'L':
        return ColumnType::kInteger;
      case 'e':
      case 'f':
      case 'g':
        return ColumnType::kFloating;
      case 'u':
      case 'U':
        return ColumnType::kText;
      default:
        return ColumnType::kUnsupported;
    }
  }
  if (format == "vu") {
    return ColumnType::kText;
  }
  if (format == "tdD" || format == "tdm") {
    return ColumnType::kDate;
  }
  if (format.starts_with("ts") && format.size() >= 4 && format[3] == ':' &&
      std::string_view("smun").find(format[2]) != std::string_view::npos) {
    return ColumnType::kTimestamp;
  }
  if (format.size() == 3 && std::string_view("smun").find(format[2]) != std::string_view::npos) {
    if (format.starts_with("tD")) {
      return ColumnType::kDuration;
    }
    if (format.starts_with("tt")) {
      return ColumnType::kTimeOfDay;
    }
  }
  if (format.starts_with("d:")) {
    // "d:precision,scale[,bits]"; only the default of 128 bits is read.
    const std::size_t comma = format.find(',');
    const std::size_t bits = comma == std::string_view::npos ? comma : format.find(',', comma + 1);
    const bool wide = bits == std::string_view::npos || format.substr(bits + 1) == "128";
    return comma != std::string_view::npos && wide ? ColumnType::kDecimal
                                                   : ColumnType::kUnsupported;
  }
  return ColumnType::kUnsupported;
}

/// IEEE half precision.
double half_to_double(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  double value = 0.0;
  if (exponent == 31) {
    value = mantissa == 0 ? HUGE_VAL : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, -24);
  } else {
    value = std::ldexp(1024 + mantissa, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

template <typename Raw>
const Raw* values(const ArrowArray& array, std::size_t offset) {
  return static_cast<const Raw*>(array.buffers[1]) + offset;
}

template <typename Raw>
void convert(const ArrowArray& array, std::size_t offset, std::size_t rows, double* out) {
  const Raw* raw = values<Raw>(array, offset);
  for (std::size_t row = 0; row < rows; ++row) {
    out[row] = static_cast<double>(raw[row]);
  }
}

std::int64_t floor_divide(std::int64_t value, std::int64_t divisor) {
  const std::int64_t quotient = value / divisor;
  return value % divisor < 0 ? quotient - 1 : quotient;
}

/// Days from milliseconds, or microseconds from nanoseconds: rounded down.
void convert_divided(const ArrowArray& array, std::size_t offset, std::size_t rows,
                     std::int64_t divisor, double* out) {
  const auto* raw = values<std::int64_t>(array, offset);
  for (std::size_t row = 0; row < rows; ++row) {
    out[row] = static_cast<double>(floor_divide(raw[row], divisor));
  }
}

void scale(double factor, std::size_t rows, double* out) {
  for (std::size_t row = 0; row < rows; ++row) {
    out[row] *= factor;
  }
}

/// Times of day and durations, in seconds.
void convert_seconds(const char* format, const ArrowArray& array, std::size_t offset,
                     std::size_t rows, double* out) {
  const char unit = format[2];
  if (format[1] == 't' && (unit == 's' || unit == 'm')) {
    convert<std::int32_t>(array, offset, rows, out);
  } else {
    convert<std::int64_t>(array, offset, rows, out);
  }
  const double per_second = unit == 's' ? 1.0 : unit == 'm' ? 1e3 : unit == 'u' ? 1e6 : 1e9;
  for (std::size_t row = 0; row < rows; ++row) {
    out[row] /= per_second;
  }
}

void convert_decimals(const char* format, const ArrowArray& array, std::size_t offset,
                      std::size_t rows, double* out) {
  const int decimal_places = std::atoi(std::strchr(format, ',') + 1);
  const auto* raw = static_cast<const char*>(array.buffers[1]) + 16 * offset;
  for (std::size_t row = 0; row < rows; ++row) {
    std::uint64_t low = 0;
    std::int64_t high = 0;
    std::memcpy(&low, raw + 16 * row, 8);
    std::memcpy(&high, raw + 16 * row + 8, 8);
    const long double whole =
        std::ldexp(static_cast<long double>(high), 64) + static_cast<long double>(low);
    out[row] = static_cast<double>(whole / std::pow(10.0L, decimal_places));
  }
}

/// Up to here a floating-point type holds every whole number.
double largest_exact(char format) {
  constexpr double kOfHalf = 0x1p11;
  constexpr double kOfFloat = 0x1p24;
  constexpr double kOfDouble = 0x1p53;
  return (format == 'e' ? kOfHalf : format == 'f' ? kOfFloat : kOfDouble) - 1.0;
}

/// A decimal without a fraction, if it fits 64 bits.
std::optional<std::string> whole_decimal_text(const char* format, const ArrowArray& array,
                                              std::size_t place) {
  int128 value = 0;
  std::memcpy(&value, static_cast<const char*>(array.buffers[1]) + 16 * place, sizeof(value));
  for (int places = std::atoi(std::strchr(format, ',') + 1); places != 0 && value != 0;) {
    if (places > 0) {
      if (value % 10 != 0) {
        return std::nullopt;
      }
      value /= 10;
      --places;
    } else {
      if (__builtin_mul_overflow(value, int128{10}, &value)) {
        return std::nullopt;
      }
      ++places;
    }
  }
  const auto narrow = static_cast<std::int64_t>(value);
  return narrow == value ? std::optional(fmt::format("{}", narrow)) : std::nullopt;
}

/// An Arrow string view: 4 bytes of length, then 12 bytes of text, or a prefix, a buffer and an
/// offset.
std::string_view text_of_view(const ArrowArray& array, std::size_t place) {
  const char* entry = static_cast<const char*>(array.buffers[1]) + 16 * place;
  std::int32_t length = 0;
  std::memcpy(&length, entry, 4);
  if (length <= 12) {
    return {entry + 4, static_cast<std::size_t>(length)};
  }
  std::int32_t buffer = 0;
  std::int32_t start = 0;
  std::memcpy(&buffer, entry + 8, 4);
  std::memcpy(&start, entry + 12, 4);
  return {static_cast<const char*>(array.buffers[2 + buffer]) + start,
          static_cast<std::size_t>(length)};
}

template <typename Offset>
std::string_view text_of_offsets(const ArrowArray& array, std::size_t place) {
  const auto* offsets = static_cast<const Offset*>(array.buffers[1]) + place;
  return {static_cast<const char*>(array.buffers[2]) + offsets[0],
          static_cast<std::size_t>(offsets[1] - offsets[0])};
}

}  // namespace

std::string_view type_words(ColumnType type) {
  switch (type) {
    case ColumnType::kNull:
      return "no values";
    case ColumnType::kBoolean:
      return "true and false";
    case ColumnType::kInteger:
      return "whole numbers";
    case ColumnType::kFloating:
      return "floating-point numbers";
    case ColumnType::kDecimal:
      return "decimal numbers";
    case ColumnType::kText:
      return "text";
    case ColumnType::kDate:
      return "dates";
    case ColumnType::kTimestamp:
      return "timestamps";
    case ColumnType::kDuration:
      return "durations";
    case ColumnType::kTimeOfDay:
      return "times of day";
    case ColumnType::kBytes:
      return "lists of bytes";
    case ColumnType::kUnsupported:
      break;
  }
  return "values of a type that is not supported";
}

std::size_t bytes_of_lists(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  constexpr std::string_view kFixedLists = "+w:";
  if (!format.starts_with(kFixedLists) || schema.n_children != 1 ||
      std::string_view(schema.children[0]->format) != "C") {
    return 0;
  }
  std::size_t bytes = 0;
  const char* end = format.data() + format.size();
  const auto [stop, error] = std::from_chars(format.data() + kFixedLists.size(), end, bytes);
  return error == std::errc() && stop == end ? bytes : 0;
}

ColumnType column_type(const ArrowSchema& schema) {
  if (bytes_of_lists(schema) > 0) {
    return ColumnType::kBytes;
  }
  return type_of_format(schema.dictionary != nullptr ? schema.dictionary->format : schema.format);
}

ColumnView::ColumnView(const ArrowSchema& schema, const ArrowArray& batch, std::size_t index)
    : ColumnView(*schema.children[index], *batch.children[index], batch.offset, batch.length) {}

ColumnView::ColumnView(const ArrowSchema& schema, const ArrowArray& array, std::int64_t offset,
                       std::int64_t rows)
    : format_(schema.format),
      list_bytes_(bytes_of_lists(schema)),
      array_(&array),
      offset_(static_cast<std::size_t>(array.offset + offset)),
      rows_(static_cast<std::size_t>(rows)),
      type_(column_type(schema)) {
  if (array.null_count != 0 && array.n_buffers > 0 && type_ != ColumnType::kNull) {
    validity_ = static_cast<const std::uint8_t*>(array.buffers[0]);
  }
  if (schema.dictionary != nullptr) {
    MEHLER_ASSERT(array.dictionary != nullptr);
    dictionary_.reset(
        new ColumnView(*schema.dictionary, *array.dictionary, 0, array.dictionary->length));
  }
}

bool ColumnView::is_missing(std::size_t row) const {
  if (type_ == ColumnType::kNull) {
    return true;
  }
  const std::size_t place = offset_ + row;
  if (validity_ != nullptr && ((validity_[place / 8] >> (place % 8)) & 1) == 0) {
    return true;
  }
  return dictionary_ != nullptr && dictionary_->may_miss() &&
         dictionary_->is_missing(dictionary_index(row));
}

void ColumnView::copy_numbers(double* out) const { copy_range(0, rows_, out); }

void ColumnView::copy_range(std::size_t first, std::size_t count, double* out) const {
  if (type_ == ColumnType::kNull) {
    std::fill_n(out, count, 0.0);
    return;
  }
  if (dictionary_ != nullptr) {
    std::vector<double> meanings(dictionary_->rows());
    dictionary_->copy_numbers(meanings.data());
    for (std::size_t row = 0; row < count; ++row) {
      out[row] = is_missing(first + row) ? 0.0 : meanings[dictionary_index(first + row)];
    }
    return;
  }
  const ArrowArray& array = *array_;
  const std::size_t offset = offset_ + first;
  switch (format_[0]) {
    case 'b': {
      const auto* bits = static_cast<const std::uint8_t*>(array.buffers[1]);
      for (std::size_t row = 0; row < count; ++row) {
        const std::size_t place = offset + row;
        out[row] = (bits[place / 8] >> (place % 8)) & 1;
      }
      return;
    }
    case 'c':
      return convert<std::int8_t>(array, offset, count, out);
    case 'C':
      return convert<std::uint8_t>(array, offset, count, out);
    case 's':
      return convert<std::int16_t>(array, offset, count, out);
    case 'S':
      return convert<std::uint16_t>(array, offset, count, out);
    case 'i':
      return convert<std::int32_t>(array, offset, count, out);
    case 'I':
      return convert<std::uint32_t>(array, offset, count, out);
    case 'l':
      return convert<std::int64_t>(array, offset, count, out);
    case 'L':
      return convert<std::uint64_t>(array, offset, count, out);
    case 'e': {
      const auto* raw = values<std::uint16_t>(array, offset);
      for (std::size_t row = 0; row < count; ++row) {
        out[row] = half_to_double(raw[row]);
      }
      return;
    }
    case 'f':
      return convert<float>(array, offset, count, out);
    case 'g':
      return convert<double>(array, offset, count, out);
    case 'd':
      return convert_decimals(format_, array, offset, count, out);
    case 't':
      if (format_[1] == 'd' && format_[2] == 'D') {
        return convert<std::int32_t>(array, offset, count, out);
      }
      if (format_[1] == 'd') {
        return convert_divided(array, offset, count, 86'400'000, out);
      }
      if (format_[1] == 't' || format_[1] == 'D') {
        return convert_seconds(format_, array, offset, count, out);
      }
      if (format_[2] == 'n') {
        return convert_divided(array, offset, count, 1000, out);
      }
      convert<std::int64_t>(array, offset, count, out);
      return scale(format_[2] == 's' ? 1e6 : format_[2] == 'm' ? 1e3 : 1.0, count, out);
    default:
      break;
  }
  MEHLER_ASSERT(false && "copy_numbers is called for columns of numbers only");
}

bool ColumnView::copy_bytes(std::uint8_t* out) const {
  MEHLER_ASSERT(type_ == ColumnType::kBytes);
  if (rows_ == 0) {
    return true;
  }
  const ArrowArray* bytes = array_->n_children == 1 ? array_->children[0] : nullptr;
  if (bytes == nullptr || bytes->n_buffers != 2 || bytes->buffers[1] == nullptr ||
      static_cast<std::size_t>(bytes->length) / list_bytes_ < offset_ + rows_) {
    throw Error(ErrorCode::kInvalidTable,
                "a column of lists of bytes holds fewer bytes than its rows have; the producer of "
                "the table is at fault");
  }
  const std::size_t first = static_cast<std::size_t>(bytes->offset) + offset_ * list_bytes_;
  const std::size_t count = rows_ * list_bytes_;
  std::memcpy(out, static_cast<const std::uint8_t*>(bytes->buffers[1]) + first, count);
  bool are_all_there = true;
  const auto* validity = static_cast<const std::uint8_t*>(bytes->buffers[0]);
  for (std::size_t i = 0; bytes->null_count != 0 && validity != nullptr && i < count; ++i) {
    if (((validity[(first + i) / 8] >> ((first + i) % 8)) & 1) == 0) {
      out[i] = 0;
      are_all_there = false;
    }
  }
  for (std::size_t row = 0; may_miss() && row < rows_; ++row) {
    if (is_missing(row)) {
      std::fill_n(out + row * list_bytes_, list_bytes_, std::uint8_t{0});
      are_all_there = false;
    }
  }
  return are_all_there;
}

std::string_view ColumnView::text(std::size_t row) const {
  if (dictionary_ != nullptr) {
    return dictionary_->text(dictionary_index(row));
  }
  MEHLER_ASSERT(type_ == ColumnType::kText);
  switch (format_[0]) {
    case 'u':
      return text_of_offsets<std::int32_t>(*array_, offset_ + row);
    case 'U':
      return text_of_offsets<std::int64_t>(*array_, offset_ + row);
    default:
      return text_of_view(*array_, offset_ + row);
  }
}

std::string ColumnView::integer_text(std::size_t row) const {
  if (dictionary_ != nullptr) {
    return dictionary_->integer_text(dictionary_index(row));
  }
  const std::size_t place = offset_ + row;
  switch (format_[0]) {
    case 'b':
      return (static_cast<const std::uint8_t*>(array_->buffers[1])[place / 8] >> (place % 8)) & 1
                 ? "true"
                 : "false";
    case 'l':
      return fmt::format("{}", *values<std::int64_t>(*array_, place));
    case 'L':
      return fmt::format("{}", *values<std::uint64_t>(*array_, place));
    default:
      break;
  }
  double value = 0.0;  // 32 bits and fewer are exact in a double
  copy_range(row, 1, &value);
  return fmt::format("{}", static_cast<std::int64_t>(value));
}

std::optional<std::string> ColumnView::whole_text(std::size_t row) const {
  if (dictionary_ != nullptr) {
    return dictionary_->whole_text(dictionary_index(row));
  }
  if (type_ == ColumnType::kDecimal) {
    return whole_decimal_text(format_, *array_, offset_ + row);
  }
  if (type_ != ColumnType::kFloating) {
    return integer_text(row);
  }
  double value = 0.0;
  copy_range(row, 1, &value);
  if (!(std::fabs(value) <= largest_exact(format_[0])) || std::trunc(value) != value) {
    return std::nullopt;
  }
  return fmt::format("{}", static_cast<std::int64_t>(value));
}

bool ColumnView::is_nan(std::size_t row) const {
  if (type_ != ColumnType::kFloating) {
    return false;
  }
  if (dictionary_ != nullptr) {
    return dictionary_->is_nan(dictionary_index(row));
  }
  double value = 0.0;
  copy_range(row, 1, &value);
  return std::isnan(value);
}

std::size_t ColumnView::dictionary_index(std::size_t row) const {
  const std::size_t place = offset_ + row;
  const auto index = [&]() -> std::size_t {
    switch (format_[0]) {
      case 'c':
      case 'C':
        return *values<std::uint8_t>(*array_, place);
      case 's':
      case 'S':
        return *values<std::uint16_t>(*array_, place);
      case 'i':
      case 'I':
        return *values<std::uint32_t>(*array_, place);
      default:
        return *values<std::uint64_t>(*array_, place);
    }
  }();
  if (index >= dictionary_->rows()) {
    throw Error(
        ErrorCode::kInvalidTable,
        "a dictionary column points outside its dictionary; the producer of the table is at "
        "fault");
  }
  return index;
}

}  // namespace mehler
