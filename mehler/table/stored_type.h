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
};

/// "int8", "dictionary" and so on: the words of the schema file. kUsual has none.
std::string_view stored_type_name(StoredType type);
std::optional<StoredType> stored_type_from_name(std::string_view name);
std::vector<std::string> stored_type_names();

/// The smallest and the largest value of an integer type (uint64: the largest int64); nothing for
/// the other types.
std::optional<std::pair<std::int64_t, std::int64_t>> integer_range(StoredType type);

/// The whole number that a text stands for, if it is written as numbers are printed ("7", not "07"
/// or "+7") and fits 64 bits.
std::optional<std::int64_t> plain_integer(std::string_view text);

}  // namespace mehler
