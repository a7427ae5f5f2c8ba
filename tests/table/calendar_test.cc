#include "mehler/table/calendar.h"

#include <gtest/gtest.h>

namespace mehler {
namespace calendar_test {

TEST(Calendar, DatesComeBackTheSame) {
  for (const char* text : {"0001-01-01", "1900-03-01", "1969-12-31", "1970-01-01", "2000-02-29",
                           "2024-02-29", "9999-12-31"}) {
    ASSERT_TRUE(parse_date(text).has_value()) << text;
    EXPECT_EQ(format_date(*parse_date(text)), text);
  }
  EXPECT_EQ(parse_date("1970-01-02"), 1);
  EXPECT_EQ(parse_date("2000-01-01"), 10957);
}

TEST(Calendar, RefusesWhatIsNoDate) {
  for (const char* text : {"", "2020-13-01", "2023-02-29", "1900-02-29", "2020-1-1", "20200101",
                           "2020-01-01x", "01.02.2020", "0000-01-01", "2020-00-10"}) {
    EXPECT_FALSE(parse_date(text).has_value()) << text;
  }
}

TEST(Calendar, TimesComeBackTheSame) {
  for (const char* text : {"1969-12-31T23:59:59.999999", "1970-01-01T00:00:00",
                           "2024-02-29T12:34:56", "2024-02-29T12:34:56.000001"}) {
    ASSERT_TRUE(parse_datetime(text).has_value()) << text;
    EXPECT_EQ(format_datetime(*parse_datetime(text)), text);
  }
}

TEST(Calendar, AppliesOffsetsAndAcceptsShortForms) {
  EXPECT_EQ(parse_datetime("1970-01-01T02:00:00+02:00"), 0);
  EXPECT_EQ(parse_datetime("1969-12-31 19:00:00-05:00"), 0);
  EXPECT_EQ(parse_datetime("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(parse_datetime("1970-01-01 00:01"), 60 * kMicrosecondsPerSecond);
  EXPECT_EQ(parse_datetime("1970-01-02"), kMicrosecondsPerDay);
  EXPECT_EQ(parse_datetime("1970-01-01T00:00:00.1234567"), 123456);
}

TEST(Calendar, RefusesWhatIsNoTime) {
  for (const char* text :
       {"1970-01-01T", "1970-01-01T24:00:00", "1970-01-01T00:60", "1970-01-01T00:00:00.",
        "1970-01-01T00:00:00+25:00", "1970-01-01T00:00:00 UTC", "12:00:00"}) {
    EXPECT_FALSE(parse_datetime(text).has_value()) << text;
  }
}

}  // namespace calendar_test
}  // namespace mehler
