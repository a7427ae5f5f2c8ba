#include "mehler/table/readers/date_recognition.h"

#include <algorithm>
#include <array>

#include "mehler/table/date_format.h"

namespace mehler {
namespace {

enum class Order { kDayFirst, kMonthFirst, kOther };

struct DatePattern {
  std::string_view pattern;
  Order order;
};

constexpr std::array kDates = {
    DatePattern{"%d.%m.%Y", Order::kDayFirst},   DatePattern{"%d/%m/%Y", Order::kDayFirst},
    DatePattern{"%d-%m-%Y", Order::kDayFirst},   DatePattern{"%m/%d/%Y", Order::kMonthFirst},
    DatePattern{"%m-%d-%Y", Order::kMonthFirst}, DatePattern{"%m.%d.%Y", Order::kMonthFirst},
    DatePattern{"%d.%m.%y", Order::kDayFirst},   DatePattern{"%d/%m/%y", Order::kDayFirst},
    DatePattern{"%d-%m-%y", Order::kDayFirst},   DatePattern{"%m/%d/%y", Order::kMonthFirst},
    DatePattern{"%m-%d-%y", Order::kMonthFirst}, DatePattern{"%m.%d.%y", Order::kMonthFirst},
    DatePattern{"%Y/%m/%d", Order::kOther},      DatePattern{"%Y.%m.%d", Order::kOther},
    DatePattern{"%d-%b-%Y", Order::kOther},      DatePattern{"%d %b %Y", Order::kOther},
    DatePattern{"%d-%b-%y", Order::kOther},      DatePattern{"%d %B %Y", Order::kOther},
    DatePattern{"%b %d, %Y", Order::kOther},     DatePattern{"%B %d, %Y", Order::kOther},
};

constexpr std::array<std::string_view, 5> kTimes = {"", " %H:%M", " %H:%M:%S", " %I:%M %p",
                                                    " %I:%M:%S %p"};

bool all_parse(const std::vector<std::string_view>& texts, const DateFormat& format) {
  return std::all_of(texts.begin(), texts.end(),
                     [&](std::string_view text) { return format.parse(text).has_value(); });
}

/// Whether writing what is read gives the texts back.
bool all_come_back(const std::vector<std::string_view>& texts, const DateFormat& format) {
  std::string written;
  return std::all_of(texts.begin(), texts.end(), [&](std::string_view text) {
    written.clear();
    format.write(*format.parse(text), written);
    return written == text;
  });
}

std::string without_zeros(std::string pattern, std::string_view directives) {
  for (std::size_t i = pattern.find('%'); i != std::string::npos; i = pattern.find('%', i + 2)) {
    if (directives.find(pattern[i + 1]) != std::string_view::npos) {
      pattern.insert(++i, 1, '-');
    }
  }
  return pattern;
}

/// With or without leading zeros, as the texts have them.
std::string with_zeros_as_written(const std::string& pattern,
                                  const std::vector<std::string_view>& texts) {
  for (const std::string_view bare : {"", "dm", "HI", "dmHI"}) {
    std::string candidate = without_zeros(pattern, bare);
    if (all_come_back(texts, *DateFormat::make(candidate))) {
      return candidate;
    }
  }
  return pattern;
}

}  // namespace

RecognisedDate recognise_date_format(const std::vector<std::string_view>& texts) {
  RecognisedDate result;
  bool day_first = false;
  bool month_first = false;
  for (const DatePattern& date : kDates) {
    for (const std::string_view time : kTimes) {
      const std::string pattern = std::string(date.pattern) + std::string(time);
      if (texts.empty() || !all_parse(texts, *DateFormat::make(pattern))) {
        continue;
      }
      day_first |= date.order == Order::kDayFirst;
      month_first |= date.order == Order::kMonthFirst;
      if (result.pattern.empty()) {
        result.pattern = pattern;
        result.kind = time.empty() ? ColumnKind::kDate : ColumnKind::kDatetime;
      }
    }
  }
  result.is_ambiguous = day_first && month_first;
  if (!result.pattern.empty() && !result.is_ambiguous) {
    result.pattern = with_zeros_as_written(result.pattern, texts);
  }
  return result;
}

}  // namespace mehler
