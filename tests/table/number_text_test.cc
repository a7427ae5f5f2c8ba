#include "mehler/table/number_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace mehler {
namespace number_text_test {

const NumberText kGerman{',', ".", "", ""};
const NumberText kDollars{'.', ",", "$", ""};
const NumberText kEuros{',', ".", "", " €"};

TEST(NumberText, ReadsSeparatorsAndSigns) {
  EXPECT_EQ(kGerman.parse("1.234.567,89"), 1234567.89);
  EXPECT_EQ(kGerman.parse("1234567,89"), 1234567.89);
  EXPECT_EQ(kGerman.parse("-0,5"), -0.5);
  EXPECT_EQ(kGerman.parse(",5"), 0.5);
  EXPECT_EQ(kGerman.parse("5,"), 5.0);
  EXPECT_EQ(kGerman.parse("+7"), 7.0);
  EXPECT_EQ(kGerman.parse("1,5E+3"), 1500.0);
  EXPECT_EQ(kGerman.parse(" 1,5e-3\t"), 0.0015);
  EXPECT_EQ(kDollars.parse("$1,234.50"), 1234.5);
  EXPECT_EQ(kDollars.parse("-$1,234.50"), -1234.5);
  EXPECT_EQ(kDollars.parse("$-3"), -3.0);
  EXPECT_EQ(kDollars.parse("$ 3"), 3.0);
  EXPECT_EQ(kDollars.parse("3"), 3.0);
  EXPECT_EQ(kEuros.parse("1.000 €"), 1000.0);
  EXPECT_EQ(kEuros.parse("1.000€"), 1000.0);
  EXPECT_EQ(kEuros.parse("1.000\u00a0€"), 1000.0);
  EXPECT_EQ((NumberText{',', "\u202f", "", "%"}.parse("12\u202f345,5%")), 12345.5);
  EXPECT_TRUE(std::isnan(*kGerman.parse("NaN")));
}

TEST(NumberText, ADecimalPointIsNeverTakenForASeparator) {
  for (const char* text : {"1.5", "12.34", "1234.567", "1.2345", "1.23.456", ".500", "1..000",
                           "1.000.", "1,000,5", "1,5.000", "0,1.234"}) {
    EXPECT_EQ(kGerman.parse(text), std::nullopt) << text;
  }
}

TEST(NumberText, WhatIsNoNumberIsNone) {
  for (const char* text : {"", " ", "-", "€", ",", "a", "1a", "1 2", "--1", "$1", "1e", "1e+",
                           "inf", "0x10", "1%", "+-1", ",e5"}) {
    EXPECT_EQ(kEuros.parse(text), std::nullopt) << text;
  }
  EXPECT_EQ(kGerman.parse(std::string(1000, '9')), std::nullopt);
  EXPECT_EQ(kDollars.parse("-$-1"), std::nullopt);
}

TEST(NumberText, WhatIsWrittenIsReadAgain) {
  for (const NumberText& form :
       {kGerman, kDollars, kEuros, NumberText{'.', "'", "CHF ", ""}, NumberText{',', " ", "", " %"},
        NumberText{',', "\u00a0", "€ ", ""}, NumberText{}}) {
    for (const double value : {0.0, -0.5, 1.0, 999.0, 1000.0, -1234567.891, 123456789012.0, 1e-7,
                               1e300, -2.5e17, 0.1, 999999.999}) {
      std::string text;
      form.write(fmt::format("{}", value), text);
      EXPECT_EQ(form.parse(text), value) << text;
    }
  }
  std::string text;
  kDollars.write("-1234567.5", text);
  EXPECT_EQ(text, "-$1,234,567.5");
}

}  // namespace number_text_test
}  // namespace mehler
