#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mehler {

/// Dates and times of the proleptic Gregorian calendar as counts from 1970-01-01T00:00:00 UTC.
/// Years 0001 to 9999. No locale, no time-zone database: an offset in the text is applied, a text
/// without one is taken as it is.

inline constexpr std::int64_t kMicrosecondsPerSecond = 1'000'000;
inline constexpr std::int64_t kMicrosecondsPerDay = 86'400 * kMicrosecondsPerSecond;

/// Days of "YYYY-MM-DD"; nothing if the text is not such a date.
std::optional<std::int64_t> parse_date(std::string_view text);

/// "YYYY-MM-DD".
std::string format_date(std::int64_t days);

/// Microseconds of "YYYY-MM-DD[T| ]hh:mm[:ss[.fraction]][Z|+hh:mm|-hh:mm]", or of a bare date
/// (midnight). Digits of the fraction past the sixth are dropped. Nothing if the text is no such
/// time.
std::optional<std::int64_t> parse_datetime(std::string_view text);

/// "YYYY-MM-DDThh:mm:ss", with ".ffffff" only when the fraction is not zero.
std::string format_datetime(std::int64_t microseconds);

}  // namespace mehler
