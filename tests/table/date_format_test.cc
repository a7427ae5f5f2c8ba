#include "mehler/table/date_format.h"

#include <gtest/gtest.h>

#include "mehler/table/calendar.h"

namespace mehler {
namespace date_format_test {

std::optional<std::string> in_iso(const std::string& pattern, std::string_view text) {
  const auto moment = DateFormat::make(pattern)->parse(text);
  return moment ? std::optional(format_datetime(*moment)) : std::nullopt;
}

TEST(DateFormat, ReadsWhatItsDirectivesSay) {
  EXPECT_EQ(in_iso("%d.%m.%Y", "31.12.2020"), "2020-12-31T00:00:00");
  EXPECT_EQ(in_iso("%m/%d/%Y %H:%M", "9/4/2014 7:05"), "2014-09-04T07:05:00");
  EXPECT_EQ(in_iso("%d-%b-%y", "04-sep-69"), "1969-09-04T00:00:00");
  EXPECT_EQ(in_iso("%d-%b-%y", "04-SEP-68"), "2068-09-04T00:00:00");
  EXPECT_EQ(in_iso("%B %d, %Y", "May 3, 1999"), "1999-05-03T00:00:00");
  EXPECT_EQ(in_iso("%Y%m%d", "20200131"), "2020-01-31T00:00:00");
  EXPECT_EQ(in_iso("%d.%m.%Y %I:%M:%S.%f %p", "01.02.2003 12:30:15.25 am"),
            "2003-02-01T00:30:15.250000");
  EXPECT_EQ(in_iso("%d.%m.%Y %I %p", "01.02.2003 12 PM"), "2003-02-01T12:00:00");
  EXPECT_EQ(in_iso("100%% %Y %m %d", "100% 2003 02 01"), "2003-02-01T00:00:00");
}

TEST(DateFormat, ReadsNothingElse) {
  for (const char* text : {"", "31.12.20", "31.12.2020 ", " 31.12.2020", "31/12/2020", "32.12.2020",
                           "29.02.2021", "00.01.2020", "31.12.0000", "3.12.2020x", "031.12.2020"}) {
    EXPECT_EQ(in_iso("%d.%m.%Y", text), std::nullopt) << text;
  }
  for (const char* text : {"01.02.2003 24:00", "01.02.2003 12:60", "01.02.2003 12:5"}) {
    EXPECT_EQ(in_iso("%d.%m.%Y %H:%M", text), std::nullopt) << text;
  }
  EXPECT_EQ(in_iso("%d.%m.%Y %I:%M %p", "01.02.2003 13:00 PM"), std::nullopt);
  EXPECT_EQ(in_iso("%d.%m.%Y %I:%M %p", "01.02.2003 10:00 XM"), std::nullopt);
  EXPECT_EQ(in_iso("%Y%m%d", "2020131"), std::nullopt);
  EXPECT_EQ(in_iso("%d %b %Y", "3 Ma 2020"), std::nullopt);
}

TEST(DateFormat, WhatIsWrittenIsReadAgain) {
  for (const char* pattern :
       {"%d.%m.%Y %H:%M:%S.%f", "%-m/%-d/%Y %-I:%M:%S.%f %p", "%Y%m%d %H%M%S %f",
        "%B %d, %Y %I:%M:%S.%f%p", "%d-%b-%Y %-H:%M:%S.%f"}) {
    const DateFormat format = *DateFormat::make(pattern);
    EXPECT_EQ(format.resolution(), 1);
    for (std::int64_t moment = *parse_datetime("0001-01-01T00:00:00");
         moment < *parse_datetime("9990-01-01T00:00:00"); moment += 3'141'592'653'589'793) {
      std::string text;
      format.write(moment, text);
      EXPECT_EQ(format.parse(text), moment) << pattern << " gave " << text;
    }
  }
}

TEST(DateFormat, ZerosAreLeftOutOnlyWhereAsked) {
  const std::int64_t moment = *parse_datetime("2009-02-03T04:05:06");
  const auto written = [&](const char* pattern) {
    std::string text;
    DateFormat::make(pattern)->write(moment, text);
    return text;
  };
  EXPECT_EQ(written("%d/%m/%y %H:%M"), "03/02/09 04:05");
  EXPECT_EQ(written("%-d/%-m/%y %-H:%M"), "3/2/09 4:05");
  EXPECT_EQ(written("%b %d %Y %I %p"), "Feb 03 2009 04 AM");
}

TEST(DateFormat, WhatItShowsNoFinerIsItsResolution) {
  EXPECT_EQ(DateFormat::make("%d.%m.%Y")->resolution(), kMicrosecondsPerDay);
  EXPECT_EQ(DateFormat::make("%d.%m.%Y %H")->resolution(), 3600 * kMicrosecondsPerSecond);
  EXPECT_EQ(DateFormat::make("%d.%m.%Y %H:%M")->resolution(), 60 * kMicrosecondsPerSecond);
  EXPECT_EQ(DateFormat::make("%d.%m.%Y %H:%M:%S")->resolution(), kMicrosecondsPerSecond);
}

TEST(DateFormat, PatternsThatAreNoMomentAreRefusedWithAReason) {
  const auto complaint = [](const char* pattern) {
    std::string words;
    EXPECT_FALSE(DateFormat::make(pattern, &words)) << pattern;
    return words;
  };
  for (const char* pattern :
       {"%q", "%d.%m.%Y %", "%d.%m.%Y%-", "%-Y-%m-%d", "%d.%m.%Y %Z", "%e.%m.%Y"}) {
    EXPECT_NE(complaint(pattern).find("not known"), std::string::npos) << pattern;
  }
  for (const char* pattern : {"", "%d.%m", "%m/%Y", "%d %Y", "%d.%m.%Y %y", "%d %m %b %Y"}) {
    EXPECT_NE(complaint(pattern).find("one year"), std::string::npos) << pattern;
  }
  EXPECT_NE(complaint("%d.%m.%Y %H:%I %p").find("twice"), std::string::npos);
  EXPECT_NE(complaint("%d.%m.%Y %I:%M").find("%p together"), std::string::npos);
  EXPECT_NE(complaint("%d.%m.%Y %M").find("without the larger"), std::string::npos);
  EXPECT_NE(complaint("%-d%m%Y").find("fixed length"), std::string::npos);
  EXPECT_NE(complaint("%d.%m.%Y\n").find("line break"), std::string::npos);
}

}  // namespace date_format_test
}  // namespace mehler
