#include "mehler/table/stored_type.h"

#include <fmt/format.h>

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
    StoredTypeEntry{StoredType::kTimeSeconds, "time[s]"},
    StoredTypeEntry{StoredType::kTimeMilliseconds, "time[ms]"},
    StoredTypeEntry{StoredType::kTimeMicroseconds, "time[us]"},
    StoredTypeEntry{StoredType::kTimeNanoseconds, "time[ns]"},
    StoredTypeEntry{StoredType::kDurationSeconds, "duration[s]"},
    StoredTypeEntry{StoredType::kDurationMilliseconds, "duration[ms]"},
    StoredTypeEntry{StoredType::kDurationMicroseconds, "duration[us]"},
    StoredTypeEntry{StoredType::kDurationNanoseconds, "duration[ns]"},
    StoredTypeEntry{StoredType::kTimestampSeconds, "timestamp[s]"},
    StoredTypeEntry{StoredType::kTimestampMilliseconds, "timestamp[ms]"},
    StoredTypeEntry{StoredType::kTimestampNanoseconds, "timestamp[ns]"},
};

using Meaning = TimeStorage::Meaning;
constexpr std::array<std::pair<StoredType, TimeStorage>, 11> kTimeStorages = {{
    {StoredType::kTimeSeconds, {Meaning::kTimeOfDay, 's', 1, 0}},
    {StoredType::kTimeMilliseconds, {Meaning::kTimeOfDay, 'm', 1'000, 3}},
    {StoredType::kTimeMicroseconds, {Meaning::kTimeOfDay, 'u', 1'000'000, 6}},
    {StoredType::kTimeNanoseconds, {Meaning::kTimeOfDay, 'n', 1'000'000'000, 9}},
    {StoredType::kDurationSeconds, {Meaning::kDuration, 's', 1, 0}},
    {StoredType::kDurationMilliseconds, {Meaning::kDuration, 'm', 1'000, 3}},
    {StoredType::kDurationMicroseconds, {Meaning::kDuration, 'u', 1'000'000, 6}},
    {StoredType::kDurationNanoseconds, {Meaning::kDuration, 'n', 1'000'000'000, 9}},
    {StoredType::kTimestampSeconds, {Meaning::kTimestamp, 's', 1, 0}},
    {StoredType::kTimestampMilliseconds, {Meaning::kTimestamp, 'm', 1'000, 3}},
    {StoredType::kTimestampNanoseconds, {Meaning::kTimestamp, 'n', 1'000'000'000, 9}},
}};

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

std::optional<DecimalDigits> decimal_digits_from_name(std::string_view name) {
  constexpr std::string_view kStart = "decimal(";
  const std::size_t comma = name.find(',');
  if (!name.starts_with(kStart) || !name.ends_with(')') || comma == std::string_view::npos) {
    return std::nullopt;
  }
  std::string_view scale = name.substr(comma + 1, name.size() - comma - 2);
  scale.remove_prefix(scale.starts_with(' ') ? 1 : 0);
  const auto precision = plain_integer(name.substr(kStart.size(), comma - kStart.size()));
  const auto after_point = plain_integer(scale);
  constexpr std::int64_t kMostDigits = 38;
  if (!precision || !after_point || *precision < 1 || *precision > kMostDigits ||
      *after_point < 0 || *after_point > *precision) {
    return std::nullopt;
  }
  return DecimalDigits{static_cast<int>(*precision), static_cast<int>(*after_point)};
}

std::string stored_type_text(StoredType type, const DecimalDigits& digits) {
  return type == StoredType::kDecimal
             ? fmt::format("decimal({},{})", digits.precision, digits.scale)
             : std::string(stored_type_name(type));
}

const TimeStorage* time_storage(StoredType type) {
  for (const auto& [time_type, storage] : kTimeStorages) {
    if (time_type == type) {
      return &storage;
    }
  }
  return nullptr;
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
