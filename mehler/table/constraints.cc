#include "mehler/table/constraints.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/table/calendar.h"

namespace mehler {
namespace {

constexpr std::array<std::pair<DatePart, std::string_view>, 6> kDateParts = {{
    {DatePart::kYear, "year"},
    {DatePart::kMonth, "month"},
    {DatePart::kDay, "day"},
    {DatePart::kWeekday, "weekday"},
    {DatePart::kHour, "hour"},
    {DatePart::kMinute, "minute"},
}};

}  // namespace

std::string_view date_part_name(DatePart part) {
  for (const auto& [known, name] : kDateParts) {
    if (known == part) {
      return name;
    }
  }
  MEHLER_ASSERT(false && "every part has a name");
}

std::optional<DatePart> date_part_from_name(std::string_view name) {
  for (const auto& [part, known] : kDateParts) {
    if (known == name) {
      return part;
    }
  }
  return std::nullopt;
}

std::vector<std::string> date_part_names() {
  std::vector<std::string> names;
  for (const auto& [part, name] : kDateParts) {
    names.emplace_back(name);
  }
  return names;
}

double date_part(DatePart part, double microseconds) {
  constexpr auto kDay = static_cast<double>(kMicrosecondsPerDay);
  constexpr double kMinute = 60.0 * static_cast<double>(kMicrosecondsPerSecond);
  // Beyond the years that the calendar counts nothing has a meaning; nor must it overflow.
  constexpr double kMostDays = 5e6;
  microseconds = std::clamp(microseconds, -kMostDays * kDay, kMostDays * kDay);
  const double days = std::floor(microseconds / kDay);
  const double minutes = std::floor((microseconds - days * kDay) / kMinute);
  if (part == DatePart::kHour) {
    return std::floor(minutes / 60.0);
  }
  if (part == DatePart::kMinute) {
    return std::fmod(minutes, 60.0);
  }
  const std::chrono::sys_days day{std::chrono::days(static_cast<std::int64_t>(days))};
  if (part == DatePart::kWeekday) {
    return std::chrono::weekday(day).iso_encoding();
  }
  const std::chrono::year_month_day date(day);
  return part == DatePart::kYear    ? static_cast<double>(static_cast<int>(date.year()))
         : part == DatePart::kMonth ? static_cast<double>(static_cast<unsigned>(date.month()))
                                    : static_cast<double>(static_cast<unsigned>(date.day()));
}

}  // namespace mehler
