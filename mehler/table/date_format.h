#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mehler {

/// A written form of dates and times: a subset of strftime's, the same in every locale.
///
///   %Y  year, four digits            %H  hour 00 to 23
///   %y  year, two digits: 69 to 99   %I  hour 01 to 12, with %p
///       are 1969 to 1999, the others %M  minute 00 to 59
///       2000 to 2068                 %S  second 00 to 59
///   %m  month 01 to 12               %f  fraction of a second: six digits, one to six are read
///   %b  month, Jan to Dec            %p  AM or PM
///   %B  month, January to December   %%  a percent sign
///   %d  day 01 to 31
///
/// %-d, %-m, %-H and %-I write no leading zero. Reading takes one digit or two for any of these,
/// names of months and %p in any case, and all other characters as they stand. A format has a year,
/// a month and a day; whatever of the time is left out is zero.
class DateFormat {
 public:
  /// The format of a pattern, or nothing and what is wrong with it in `complaint`.
  static std::optional<DateFormat> make(std::string_view pattern, std::string* complaint = nullptr);

  /// Microseconds since 1970; nothing if the text is not written so, or is no day of the calendar.
  std::optional<std::int64_t> parse(std::string_view text) const;

  /// Appends a moment of the years 0001 to 9999. What is finer than resolution() is dropped.
  void write(std::int64_t microseconds, std::string& out) const;

  /// The smallest difference that the format shows, in microseconds: from 1 to a day.
  std::int64_t resolution() const { return resolution_; }
  bool has_two_digit_year() const { return has_two_digit_year_; }

 private:
  struct Item {
    char directive = '\0';  ///< '\0': the character `literal`
    char literal = '\0';
    bool is_padded = true;
    bool needs_two_digits = false;  ///< another number follows at once
  };
  struct Moment;
  static bool read(const Item& item, std::string_view& text, Moment& moment);

  std::vector<Item> items_;
  std::int64_t resolution_ = 0;
  bool has_two_digit_year_ = false;
};

}  // namespace mehler
