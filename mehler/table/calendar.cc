#include "mehler/table/calendar.h"

#include <fmt/format.h>

#include <chrono>

namespace mehler {
namespace {

/// Reads exactly `digits` decimal digits from the front of `text` and removes them.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) {
    return std::nullopt;
  }
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') {
      return std::nullopt;
    }
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take_character(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

std::optional<std::int64_t> take_date(std::string_view& text) {
  const auto year = take_number(text, 4);
  if (!year || *year < 1 || !take_character(text, '-')) {
    return std::nullopt;
  }
  const auto month = take_number(text, 2);
  if (!month || !take_character(text, '-')) {
    return std::nullopt;
  }
  const auto day = take_number(text, 2);
  if (!day) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) {
    return std::nullopt;
  }
  return std::chrono::sys_days(date).time_since_epoch().count();
}

/// The seconds east of UTC that the rest of `text` states; 0 for nothing or "Z".
std::optional<std::int64_t> take_offset(std::string_view& text) {
  if (text.empty() || take_character(text, 'Z')) {
    return 0;
  }
  const bool west = text.front() == '-';
  if (!take_character(text, west ? '-' : '+')) {
    return std::nullopt;
  }
  const auto hours = take_number(text, 2);
  if (!hours || *hours > 23) {
    return std::nullopt;
  }
  take_character(text, ':');
  const auto minutes = text.empty() ? std::optional<int>(0) : take_number(text, 2);
  if (!minutes || *minutes > 59) {
    return std::nullopt;
  }
  const std::int64_t seconds = *hours * 3600 + *minutes * 60;
  return west ? -seconds : seconds;
}

}  // namespace

std::optional<std::int64_t> parse_date(std::string_view text) {
  const auto days = take_date(text);
  return text.empty() ? days : std::nullopt;
}

std::string format_date(std::int64_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::optional<std::int64_t> parse_datetime(std::string_view text) {
  const auto days = take_date(text);
  if (!days) {
    return std::nullopt;
  }
  if (text.empty()) {
    return *days * kMicrosecondsPerDay;
  }
  if (!take_character(text, 'T') && !take_character(text, ' ')) {
    return std::nullopt;
  }
  const auto hours = take_number(text, 2);
  if (!hours || *hours > 23 || !take_character(text, ':')) {
    return std::nullopt;
  }
  const auto minutes = take_number(text, 2);
  if (!minutes || *minutes > 59) {
    return std::nullopt;
  }
  std::int64_t seconds = 0;
  std::int64_t fraction = 0;
  if (take_character(text, ':')) {
    const auto parsed = take_number(text, 2);
    if (!parsed || *parsed > 59) {
      return std::nullopt;
    }
    seconds = *parsed;
    if (take_character(text, '.')) {
      std::int64_t unit = kMicrosecondsPerSecond / 10;
      const std::size_t before = text.size();
      while (const auto digit = take_number(text, 1)) {
        fraction += *digit * unit;
        unit /= 10;
      }
      if (text.size() == before) {
        return std::nullopt;
      }
    }
  }
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) {
    return std::nullopt;
  }
  return *days * kMicrosecondsPerDay +
         (*hours * 3600 + *minutes * 60 + seconds - *offset) * kMicrosecondsPerSecond + fraction;
}

std::string format_datetime(std::int64_t microseconds) {
  std::int64_t days = microseconds / kMicrosecondsPerDay;
  std::int64_t rest = microseconds % kMicrosecondsPerDay;
  if (rest < 0) {
    rest += kMicrosecondsPerDay;
    --days;
  }
  const std::int64_t seconds = rest / kMicrosecondsPerSecond;
  const std::int64_t fraction = rest % kMicrosecondsPerSecond;
  std::string text = fmt::format("{}T{:02}:{:02}:{:02}", format_date(days), seconds / 3600,
                                 seconds / 60 % 60, seconds % 60);
  if (fraction != 0) {
    text += fmt::format(".{:06}", fraction);
  }
  return text;
}

}  // namespace mehler
