#include "mehler/table/date_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <iterator>

#include "mehler/core/error.h"
#include "mehler/table/calendar.h"

namespace mehler {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::string_view kDirectives = "YymbBdHIMSfp";
constexpr int kFirstTwoDigitYear = 69;  // of the 20th century, as POSIX has it

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

/// Reads `fewest` to `most` digits off the front.
std::optional<int> take_digits(std::string_view& text, std::size_t fewest, std::size_t most) {
  int value = 0;
  std::size_t count = 0;
  while (count < most && count < text.size() && text[count] >= '0' && text[count] <= '9') {
    value = value * 10 + (text[count++] - '0');
  }
  if (count < fewest) {
    return std::nullopt;
  }
  text.remove_prefix(count);
  return value;
}

std::optional<int> take_month(std::string_view& text, bool in_full) {
  for (std::size_t month = 0; month < kMonths.size(); ++month) {
    const std::string_view name = in_full ? kMonths[month] : kMonths[month].substr(0, 3);
    if (same_letters(text.substr(0, name.size()), name)) {
      text.remove_prefix(name.size());
      return static_cast<int>(month) + 1;
    }
  }
  return std::nullopt;
}

/// What a set of directives lacks or has twice over; empty if it is a moment.
std::string complaint_about(std::string_view seen) {
  const auto count = [&](std::string_view any) {
    return std::count_if(seen.begin(), seen.end(),
                         [&](char c) { return any.find(c) != std::string_view::npos; });
  };
  if (count("Yy") != 1 || count("mbB") != 1 || count("d") != 1) {
    return "must have one year (%Y or %y), one month (%m, %b or %B) and one day (%d)";
  }
  if (count("HI") > 1 || count("M") > 1 || count("S") > 1 || count("f") > 1) {
    return "has a part of the time twice; remove one";
  }
  if (count("I") != count("p")) {
    return "must have %I and %p together, or %H alone";
  }
  if (count("M") > count("HI") || count("S") > count("M") || count("f") > count("S")) {
    return "has a part of the time without the larger one; minutes need hours, seconds minutes, "
           "and %f seconds";
  }
  return "";
}

std::int64_t resolution_of(std::string_view seen) {
  const auto has = [&](char c) { return seen.find(c) != std::string_view::npos; };
  return has('f')               ? 1
         : has('S')             ? kMicrosecondsPerSecond
         : has('M')             ? 60 * kMicrosecondsPerSecond
         : has('H') || has('I') ? 3600 * kMicrosecondsPerSecond
                                : kMicrosecondsPerDay;
}

}  // namespace

struct DateFormat::Moment {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int microsecond = 0;
  std::optional<bool> is_afternoon;
};

std::optional<DateFormat> DateFormat::make(std::string_view pattern, std::string* complaint) {
  DateFormat format;
  std::string seen;
  const auto refuse = [&](std::string words) {
    if (complaint != nullptr) {
      *complaint = std::move(words);
    }
    return std::nullopt;
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const auto c = static_cast<unsigned char>(pattern[i]);
    if (c < ' ' || c == '"' || c == 0x7f) {
      return refuse("has a quote, a line break or a control character; leave it out");
    }
    if (pattern[i] != '%') {
      format.items_.push_back({.directive = '\0', .literal = pattern[i]});
      continue;
    }
    const bool is_bare = pattern.substr(i + 1).starts_with('-');
    i += is_bare ? 2 : 1;
    const char directive = i < pattern.size() ? pattern[i] : '\0';
    if (directive == '%' && !is_bare) {
      format.items_.push_back({.directive = '\0', .literal = '%'});
      continue;
    }
    if (directive == '\0' || kDirectives.find(directive) == std::string_view::npos ||
        (is_bare && std::string_view("dmHI").find(directive) == std::string_view::npos)) {
      return refuse(
          "has a directive that is not known; known are %Y %y %m %b %B %d %H %I %p %M %S %f %%, "
          "and %-d %-m %-H %-I without leading zeros");
    }
    seen.push_back(directive);
    format.items_.push_back({.directive = directive, .literal = '\0', .is_padded = !is_bare});
  }
  for (std::size_t i = 0; i + 1 < format.items_.size(); ++i) {
    Item& item = format.items_[i];
    const Item& next = format.items_[i + 1];
    const bool number_follows =
        next.directive == '\0'
            ? next.literal >= '0' && next.literal <= '9'
            : std::string_view("bBp").find(next.directive) == std::string_view::npos;
    item.needs_two_digits = item.directive != '\0' && number_follows;
    if (item.needs_two_digits && (!item.is_padded || item.directive == 'f')) {
      return refuse(
          "has a number without a fixed length right before another; put something between");
    }
  }
  if (std::string words = complaint_about(seen); !words.empty()) {
    return refuse(std::move(words));
  }
  format.resolution_ = resolution_of(seen);
  format.has_two_digit_year_ = seen.find('y') != std::string::npos;
  return format;
}

bool DateFormat::read(const Item& item, std::string_view& text, Moment& moment) {
  const auto put = [](std::optional<int> value, int& place) {
    place = value.value_or(0);
    return value.has_value();
  };
  const std::size_t fewest = item.needs_two_digits ? 2 : 1;
  switch (item.directive) {
    case '\0':
      if (text.empty() || text.front() != item.literal) {
        return false;
      }
      text.remove_prefix(1);
      return true;
    case 'Y':
      return put(take_digits(text, 4, 4), moment.year);
    case 'y':
      if (!put(take_digits(text, 2, 2), moment.year)) {
        return false;
      }
      moment.year += moment.year >= kFirstTwoDigitYear ? 1900 : 2000;
      return true;
    case 'm':
      return put(take_digits(text, fewest, 2), moment.month);
    case 'b':
    case 'B':
      return put(take_month(text, item.directive == 'B'), moment.month);
    case 'd':
      return put(take_digits(text, fewest, 2), moment.day);
    case 'H':
      return put(take_digits(text, fewest, 2), moment.hour) && moment.hour <= 23;
    case 'I':
      return put(take_digits(text, fewest, 2), moment.hour) && moment.hour >= 1 &&
             moment.hour <= 12;
    case 'M':
      return put(take_digits(text, 2, 2), moment.minute) && moment.minute <= 59;
    case 'S':
      return put(take_digits(text, 2, 2), moment.second) && moment.second <= 59;
    case 'f': {
      const std::size_t before = text.size();
      if (!put(take_digits(text, 1, 6), moment.microsecond)) {
        return false;
      }
      for (std::size_t digits = before - text.size(); digits < 6; ++digits) {
        moment.microsecond *= 10;
      }
      return true;
    }
    case 'p': {
      const std::string_view word = text.substr(0, 2);
      moment.is_afternoon = same_letters(word, "PM");
      text.remove_prefix(word.size());
      return *moment.is_afternoon || same_letters(word, "AM");
    }
    default:
      MEHLER_ASSERT(false && "make() has checked the directives");
  }
}

std::optional<std::int64_t> DateFormat::parse(std::string_view text) const {
  Moment moment;
  for (const Item& item : items_) {
    if (!read(item, text, moment)) {
      return std::nullopt;
    }
  }
  const std::chrono::year_month_day date{std::chrono::year(moment.year),
                                         std::chrono::month(static_cast<unsigned>(moment.month)),
                                         std::chrono::day(static_cast<unsigned>(moment.day))};
  if (!text.empty() || moment.year < 1 || !date.ok()) {
    return std::nullopt;
  }
  if (moment.is_afternoon) {
    moment.hour = moment.hour % 12 + (*moment.is_afternoon ? 12 : 0);
  }
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = moment.hour * 3600 + moment.minute * 60 + moment.second;
  return days * kMicrosecondsPerDay + seconds * kMicrosecondsPerSecond + moment.microsecond;
}

void DateFormat::write(std::int64_t microseconds, std::string& out) const {
  std::int64_t rest = microseconds % kMicrosecondsPerDay;
  rest += rest < 0 ? kMicrosecondsPerDay : 0;
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days((microseconds - rest) / kMicrosecondsPerDay))};
  const int year = static_cast<int>(date.year());
  const unsigned month = static_cast<unsigned>(date.month());
  const std::int64_t seconds = rest / kMicrosecondsPerSecond;
  const std::int64_t hour = seconds / 3600;
  const auto append = [&](std::int64_t number, int digits) {
    fmt::format_to(std::back_inserter(out), "{:0{}}", number, digits);
  };
  for (const Item& item : items_) {
    const int digits = item.is_padded ? 2 : 1;
    switch (item.directive) {
      case '\0':
        out.push_back(item.literal);
        break;
      case 'Y':
        append(year, 4);
        break;
      case 'y':
        append(year % 100, 2);
        break;
      case 'm':
        append(month, digits);
        break;
      case 'b':
        out += kMonths[month - 1].substr(0, 3);
        break;
      case 'B':
        out += kMonths[month - 1];
        break;
      case 'd':
        append(static_cast<unsigned>(date.day()), digits);
        break;
      case 'H':
        append(hour, digits);
        break;
      case 'I':
        append(hour % 12 == 0 ? 12 : hour % 12, digits);
        break;
      case 'M':
        append(seconds / 60 % 60, 2);
        break;
      case 'S':
        append(seconds % 60, 2);
        break;
      case 'f':
        append(rest % kMicrosecondsPerSecond, 6);
        break;
      case 'p':
        out += hour < 12 ? "AM" : "PM";
        break;
      default:
        MEHLER_ASSERT(false && "make() has checked the directives");
    }
  }
}

}  // namespace mehler
