#include "mehler/table/type_in_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "mehler/core/error.h"
#include "mehler/table/column_checks.h"
#include "mehler/table/column_view.h"

namespace mehler {
namespace {

StoredType type_of_letter(std::string_view format) {
  constexpr std::pair<std::string_view, StoredType> kTypes[] = {
      {"c", StoredType::kInt8},    {"C", StoredType::kUint8},   {"s", StoredType::kInt16},
      {"S", StoredType::kUint16},  {"i", StoredType::kInt32},   {"I", StoredType::kUint32},
      {"l", StoredType::kInt64},   {"L", StoredType::kUint64},  {"f", StoredType::kFloat32},
      {"g", StoredType::kFloat64}, {"b", StoredType::kBoolean}, {"u", StoredType::kText},
      {"U", StoredType::kText},    {"vu", StoredType::kText}};
  const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [&](const auto& entry) { return entry.first == format; });
  return found == std::end(kTypes) ? StoredType::kUsual : found->second;
}

/// "time[ms]", "duration[us]", "timestamp[ns]": microseconds of a timestamp are as usual.
StoredType type_of_time(std::string_view format, ColumnType type) {
  const std::string unit = format[2] == 's' ? "s" : std::string(1, format[2]) + "s";
  return stored_type_from_name(fmt::format("{}[{}]",
                                           type == ColumnType::kTimeOfDay  ? "time"
                                           : type == ColumnType::kDuration ? "duration"
                                                                           : "timestamp",
                                           unit))
      .value_or(StoredType::kUsual);
}

/// The digits of a decimal type ("d:10,2") that synthetic tables can have.
std::optional<DecimalDigits> digits_of_decimals(std::string_view format) {
  constexpr int kMostDecimals = 12;  // of a column
  const std::string name =
      fmt::format("decimal({})", format.substr(std::min<std::size_t>(2, format.size())));
  const auto digits = decimal_digits_from_name(name);
  return digits && digits->scale <= kMostDecimals ? digits : std::nullopt;
}

/// A column of times of day or durations as its type holds it: numbers without digits of their own
/// have those of the unit, bounds between two units are the units around them, and 24:00 is the
/// last unit of the day (time_bytes() of table.cc writes it so).
Column in_units(Column column, const TimeStorage& times) {
  constexpr double kSecondsOfDay = 86'400.0;
  const bool is_numeric = column.kind == ColumnKind::kNumeric;
  if (is_numeric && !column.decimals && !column.step) {
    column.decimals = times.decimals;
    if (column.bounds) {
      const auto per_second = static_cast<double>(times.per_second);
      const auto in_unit = [&](double bound, double unit) {
        const double units = bound * per_second;
        return std::fabs(units) >= 0x1p52 || std::round(units) / per_second == bound
                   ? bound
                   : unit / per_second;
      };
      column.bounds =
          Interval{in_unit(column.bounds->low, std::floor(column.bounds->low * per_second)),
                   in_unit(column.bounds->high, std::ceil(column.bounds->high * per_second))};
    }
  }
  if (times.meaning == TimeStorage::Meaning::kTimeOfDay && column.bounds &&
      column.bounds->high == kSecondsOfDay) {
    const double per_second =
        std::pow(10.0, is_numeric ? column.decimals.value_or(times.decimals) : 0);
    column.bounds->high = (kSecondsOfDay * per_second - 1.0) / per_second;
  }
  return column;
}

bool fits(const Column& column) {
  try {
    check_column(column);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

TypeInTable type_in_table(const ArrowSchema& column) {
  const ColumnType type = column_type(column);
  const bool is_dictionary = column.dictionary != nullptr;
  const char* format = is_dictionary ? column.dictionary->format : column.format;
  TypeInTable result;
  switch (type) {
    case ColumnType::kText:
      result.type = is_dictionary ? StoredType::kDictionary : StoredType::kText;
      break;
    case ColumnType::kBoolean:
    case ColumnType::kInteger:
    case ColumnType::kFloating:
      result.type = type_of_letter(format);
      break;
    case ColumnType::kDecimal:
      if (const auto digits = digits_of_decimals(format)) {
        result.type = StoredType::kDecimal;
        result.decimal_digits = *digits;
      }
      break;
    case ColumnType::kTimestamp:
      result.timezone = std::strchr(format, ':') + 1;  // "tsu:Europe/Paris"
      result.type = type_of_time(format, type);
      break;
    case ColumnType::kTimeOfDay:
    case ColumnType::kDuration:
      result.type = type_of_time(format, type);
      break;
    default:
      break;
  }
  return result;
}

Schema stored_like(const Schema& schema, const ArrowSchema& table) {
  std::vector<Column> columns = schema.columns();
  std::vector<Column> exact = columns;
  for (std::int64_t i = 0; i < table.n_children; ++i) {
    const ArrowSchema& child = *table.children[i];
    const auto place = std::find_if(columns.begin(), columns.end(), [&](const Column& column) {
      return column.name == child.name;
    });
    if (place == columns.end() || !place->is_used() || place->is_image()) {
      continue;
    }
    const TypeInTable stored = type_in_table(child);
    Column typed = *place;
    typed.type = stored.type;
    typed.decimal_digits = stored.decimal_digits;
    typed.timezone = typed.kind == ColumnKind::kDatetime ? stored.timezone : std::string();
    if (fits(typed)) {
      exact[static_cast<std::size_t>(place - columns.begin())] = typed;
      *place = std::move(typed);
    } else if (const TimeStorage* times = time_storage(typed.type)) {
      typed = in_units(std::move(typed), *times);
      if (fits(typed)) {
        *place = std::move(typed);
      }
    }
  }
  try {
    return schema.with_columns(std::move(columns));
  } catch (const Error&) {  // a rule between columns, which rounded ones would break
    return schema.with_columns(std::move(exact));
  }
}

}  // namespace mehler
