#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mehler {

/// How a column's values are stored in tables that have types (Parquet, Arrow).
enum class StoredType {
  kUsual,  ///< what the kind suggests: float64, int64, text, boolean, date, timestamp
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat32,
  kFloat64,
  kText,
  kBoolean,
  kDictionary,  ///< text, each category once; of an ordinal column in its order
  kDecimal,     ///< of 128 bits, with the digits that DecimalDigits says
  kTimeSeconds,
  kTimeMilliseconds,
  kTimeMicroseconds,
  kTimeNanoseconds,
  kDurationSeconds,
  kDurationMilliseconds,
  kDurationMicroseconds,
  kDurationNanoseconds,
  kTimestampSeconds,
  kTimestampMilliseconds,  ///< microseconds are the usual type
  kTimestampNanoseconds,
};

/// The digits of a decimal type: in all (1 to 38), and of these after the decimal point.
struct DecimalDigits {
  int precision = 0;
  int scale = 0;
  bool operator==(const DecimalDigits&) const = default;
};

/// What a type of times counts: of a day, of a span or since 1970, in a unit.
struct TimeStorage {
  enum class Meaning { kTimeOfDay, kDuration, kTimestamp };
  Meaning meaning = Meaning::kTimeOfDay;
  char unit = 's';  ///< s, m, u or n, as Arrow's formats write it
  std::int64_t per_second = 1;
  int decimals = 0;  ///< digits of a second
};

/// "int8", "dictionary" and so on: the words of the schema file. kUsual and kDecimal, which needs
/// its digits, have none.
std::string_view stored_type_name(StoredType type);
std::optional<StoredType> stored_type_from_name(std::string_view name);
std::vector<std::string> stored_type_names();

/// "decimal(10,2)": the digits that it names; nothing for another text.
std::optional<DecimalDigits> decimal_digits_from_name(std::string_view name);
/// The name of a type as the schema file writes it, decimals with their digits.
std::string stored_type_text(StoredType type, const DecimalDigits& digits);

/// What a type of times counts; nullptr for the other types.
const TimeStorage* time_storage(StoredType type);

/// The smallest and the largest value of an integer type (uint64: the largest int64); nothing for
/// the other types.
std::optional<std::pair<std::int64_t, std::int64_t>> integer_range(StoredType type);

/// The whole number that a text stands for, if it is written as numbers are printed ("7", not "07"
/// or "+7") and fits 64 bits.
std::optional<std::int64_t> plain_integer(std::string_view text);

}  // namespace mehler
