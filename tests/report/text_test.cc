#include "mehler/report/text.h"

#include <gtest/gtest.h>

namespace mehler {
namespace text_test {

TEST(ReportText, NumbersAreGroupedByThousands) {
  EXPECT_EQ(group_digits(0), "0");
  EXPECT_EQ(group_digits(999), "999");
  EXPECT_EQ(group_digits(1000), "1,000");
  EXPECT_EQ(group_digits(1234567), "1,234,567");
}

TEST(ReportText, SharesHaveTwoDigits) {
  EXPECT_EQ(percent_words(0.00013), "0.013%");
  EXPECT_EQ(percent_words(0.024), "2.4%");
  EXPECT_EQ(percent_words(0.37), "37%");
}

TEST(ReportText, ParagraphsAreBrokenBetweenWords) {
  EXPECT_EQ(wrap("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(wrap("unbreakable", 0, 4), "unbreakable\n");
  EXPECT_EQ(wrap("\xc3\xa9\xc3\xa9 \xc3\xa9", 0, 4),
            "\xc3\xa9\xc3\xa9 \xc3\xa9\n");  // letters, not bytes
}

TEST(ReportText, ColumnsAreAsWideAsTheirWidestCell) {
  EXPECT_EQ(align_columns({{"a", "bb"}, {"ccc", "d"}}, 1), " a    bb\n ccc  d\n");
}

}  // namespace text_test
}  // namespace mehler
