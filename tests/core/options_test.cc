#include "mehler/core/options.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace mehler {
namespace options_test {

OptionValues values_of(const std::string& name, const std::vector<std::string>& texts) {
  OptionValues values;
  for (const std::string& text : texts) {
    values.add(name, text);
  }
  return values;
}

std::string refusal(const std::function<void()>& call) {
  return message_of(ErrorCode::kInvalidArgument, call);
}

TEST(OptionValues, ThatWereNotGivenAreTheDefaults) {
  const OptionValues values;
  EXPECT_EQ(values.count("rounds", 2, 1, 9), 2u);
  EXPECT_EQ(values.number("gamma", 0.5), 0.5);
  EXPECT_EQ(values.choice("kernel", 1, {"sum", "product"}), 1u);
  double for_all = 0.25;
  EXPECT_TRUE(values.numbers_by_name("scale", parse_number, &for_all).empty());
  EXPECT_EQ(for_all, 0.25);
  EXPECT_TRUE(values.all("product").empty());
}

TEST(OptionValues, AreReadAsWhatTheyAre) {
  EXPECT_EQ(values_of("rounds", {"7"}).count("rounds", 2, 1, 9), 7u);
  EXPECT_EQ(values_of("gamma", {"1e-3"}).number("gamma", 0.5), 1e-3);
  EXPECT_EQ(values_of("kernel", {"sum"}).choice("kernel", 1, {"sum", "product"}), 0u);
  double for_all = 0.25;
  const auto by_name = values_of("scale", {"0.5", "a=b=2", "age=3"})
                           .numbers_by_name("scale", parse_number, &for_all);
  EXPECT_EQ(by_name, (std::map<std::string, double>{{"a=b", 2.0}, {"age", 3.0}}));
  EXPECT_EQ(for_all, 0.5);
}

TEST(OptionValues, AreRefusedByTheNameOfTheirOption) {
  expect_mentions(refusal([] { values_of("rounds", {"10"}).count("rounds", 2, 1, 9); }),
                  {"option 'rounds'", "from 1 to 9", "'10'"});
  expect_mentions(refusal([] { values_of("gamma", {"high"}).number("gamma", 1.0); }),
                  {"option 'gamma'", "'high'"});
  expect_mentions(refusal([] {
                    values_of("kernel", {"summ"}).choice("kernel", 0, {"sum", "product"});
                  }),
                  {"option 'kernel'", "sum, product", "did you mean 'sum'"});
  expect_mentions(refusal([] { values_of("rate", {"2"}).numbers_by_name("rate"); }),
                  {"option 'rate'", "NAME=NUMBER", "'2'"});
  expect_mentions(refusal([] {
                    values_of("rate", {"a=1", "a=2"}).numbers_by_name("rate");
                  }),
                  {"option 'rate'", "twice", "'a'"});
  double for_all = 0.0;
  expect_mentions(refusal([&] {
                    values_of("scale", {"1", "2"}).numbers_by_name("scale", parse_number, &for_all);
                  }),
                  {"option 'scale'", "twice", "all columns"});
}

TEST(OptionValues, ThatNobodyDeclaredAreRefused) {
  const std::vector<Option> known = {{"rounds", "N", "Rounds"}, {"triples", "T", "Triples"}};
  values_of("rounds", {"1"}).require_known(known, "method m");
  expect_mentions(refusal([&] { values_of("round", {"1"}).require_known(known, "method m"); }),
                  {"method m has no option 'round'", "did you mean 'rounds'"});
}

}  // namespace options_test
}  // namespace mehler
