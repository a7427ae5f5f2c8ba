#include "mehler/table/number_transform.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mehler {
namespace number_transform_test {

constexpr NumberTransform kLog = NumberTransform::kLog;
constexpr NumberTransform kSignedLog = NumberTransform::kSignedLog;

TEST(NumberTransform, IsTheLogarithmOfOnePlusTheValueOverItsScale) {
  EXPECT_EQ(transform_number(kLog, 1.0, 0.0), 0.0);
  EXPECT_DOUBLE_EQ(transform_number(kLog, 1.0, std::expm1(2.0)), 2.0);
  EXPECT_DOUBLE_EQ(transform_number(kLog, 1000.0, 9000.0), std::log(10.0));
  EXPECT_DOUBLE_EQ(transform_number(kSignedLog, 1000.0, -9000.0), -std::log(10.0));
  EXPECT_EQ(transform_number(NumberTransform::kNone, 1000.0, -9000.0), -9000.0);
}

TEST(NumberTransform, KeepsTheOrderAndComesBack) {
  for (const double scale : {1e-3, 1.0, 1e4}) {
    double before = -HUGE_VAL;
    for (double value = -1e9; value <= 1e9; value += 1e6) {
      const double transformed = transform_number(kSignedLog, scale, value);
      ASSERT_GT(transformed, before) << value;
      ASSERT_NEAR(untransform_number(kSignedLog, scale, transformed), value,
                  1e-13 * std::fabs(value))
          << "scale " << scale;
      before = transformed;
    }
  }
}

TEST(NumberTransform, HasTheNamesOfTheSchemaFile) {
  for (const std::string& name : transform_names()) {
    EXPECT_EQ(transform_name(*transform_from_name(name)), name);
  }
  EXPECT_EQ(transform_from_name("sqrt"), std::nullopt);
}

}  // namespace number_transform_test
}  // namespace mehler
