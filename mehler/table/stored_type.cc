#include "mehler/table/stored_type.h"

#include <array>
#include <charconv>
#include <limits>

#include "mehler/core/error.h"

namespace mehler {
namespace {

struct StoredTypeEntry {
  StoredType type;
  std::string_view name;
  /// Both 0 for what is no integer.
  std::int64_t low = 0;
  std::int64_t high = 0;
};

template <typename Integer>
constexpr StoredTypeEntry integer_entry(StoredType type, std::string_view name) {
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  constexpr auto kHigh = static_cast<std::uint64_t>(std::numeric_limits<Integer>::max());
  return {type, name, static_cast<std::int64_t>(std::numeric_limits<Integer>::min()),
          static_cast<std::int64_t>(kHigh < kLargest ? kHigh : kLargest)};
}

constexpr std::array kStoredTypes = {
    integer_entry<std::int8_t>(StoredType::kInt8, "int8"),
    integer_entry<std::int16_t>(StoredType::kInt16, "int16"),
    integer_entry<std::int32_t>(StoredType::kInt32, "int32"),
    integer_entry<std::int64_t>(StoredType::kInt64, "int64"),
    integer_entry<std::uint8_t>(StoredType::kUint8, "uint8"),
    integer_entry<std::uint16_t>(StoredType::kUint16, "uint16"),
    integer_entry<std::uint32_t>(StoredType::kUint32, "uint32"),
    integer_entry<std::uint64_t>(StoredType::kUint64, "uint64"),
    StoredTypeEntry{StoredType::kFloat32, "float32"},
    StoredTypeEntry{StoredType::kFloat64, "float64"},
    StoredTypeEntry{StoredType::kText, "text"},
    StoredTypeEntry{StoredType::kBoolean, "boolean"},
    StoredTypeEntry{StoredType::kDictionary, "dictionary"},
};

}  // namespace

std::string_view stored_type_name(StoredType type) {
  for (const StoredTypeEntry& entry : kStoredTypes) {
    if (entry.type == type) {
      return entry.name;
    }
  }
  MEHLER_ASSERT(false && "every stored type but the usual one has a name");
}

std::optional<StoredType> stored_type_from_name(std::string_view name) {
  for (const StoredTypeEntry& entry : kStoredTypes) {
    if (entry.name == name) {
      return entry.type;
    }
  }
  return std::nullopt;
}

std::vector<std::string> stored_type_names() {
  std::vector<std::string> names;
  for (const StoredTypeEntry& entry : kStoredTypes) {
    names.emplace_back(entry.name);
  }
  return names;
}

std::optional<std::pair<std::int64_t, std::int64_t>> integer_range(StoredType type) {
  for (const StoredTypeEntry& entry : kStoredTypes) {
    if (entry.type == type && entry.high > 0) {
      return std::pair(entry.low, entry.high);
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> plain_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_plain =
      error == std::errc() && end == text.data() + text.size() && std::to_string(value) == text;
  return is_plain ? std::optional(value) : std::nullopt;
}

}  // namespace mehler
