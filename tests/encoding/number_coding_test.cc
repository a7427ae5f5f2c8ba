#include "mehler/encoding/number_coding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/seeded_random.h"
#include "mehler/table/calendar.h"
#include "tests/support/schema_of.h"

namespace mehler {
namespace number_coding_test {

TEST(NumberCoding, MapsTheBoundsToMinusOneAndOne) {
  const Schema schema = schema_of(R"({"name": "x", "kind": "numeric", "bounds": [-3, 5]})");
  const NumberCoding coding(schema.columns()[0]);
  EXPECT_EQ(coding.encode(-3), -1.0);
  EXPECT_EQ(coding.encode(5), 1.0);
  EXPECT_EQ(coding.encode(1), 0.0);
  EXPECT_EQ(coding.encode(1e9), 1.0);
  EXPECT_EQ(coding.encode(-1e9), -1.0);
}

TEST(NumberCoding, NeverLeavesTheCentredRange) {
  SeededRandom random(3);
  for (int i = 0; i < 100'000; ++i) {
    Column column;
    column.name = "x";
    const double low =
        std::ldexp(random.uniform() - 0.5, static_cast<int>(random.uniform() * 60) - 30);
    column.bounds = Interval{low, low + std::ldexp(random.uniform() + 0.1,
                                                   static_cast<int>(random.uniform() * 60) - 30)};
    if (!(column.bounds->low < column.bounds->high)) {
      continue;
    }
    const NumberCoding coding(column);
    for (const double value : {column.bounds->low, column.bounds->high,
                               low + random.uniform() * column.bounds->width()}) {
      ASSERT_GE(coding.encode(value), -1.0);
      ASSERT_LE(coding.encode(value), 1.0);
    }
  }
}

TEST(NumberCoding, EveryValueOnTheStepComesBack) {
  const auto expect_lossless = [](const std::string& column_text, double first, double step,
                                  int count) {
    const Schema schema = schema_of(column_text);
    const NumberCoding coding(schema.columns()[0]);
    for (int i = 0; i < count; ++i) {
      const double value = first + i * step;
      ASSERT_EQ(coding.decode(coding.encode(value)), value) << column_text << " at " << value;
    }
  };
  expect_lossless(R"({"name": "x", "kind": "integer", "bounds": [17, 90]})", 17, 1, 74);
  expect_lossless(
      R"({"name": "x", "kind": "integer", "bounds": [-1000000000000, 1000000000000000]})",
      123456789012, 1, 1000);
  expect_lossless(R"({"name": "x", "kind": "numeric", "bounds": [0, 10], "step": 0.25})", 0, 0.25,
                  41);
  expect_lossless(R"({"name": "x", "kind": "date", "bounds": ["1900-01-01", "2100-01-01"]})",
                  static_cast<double>(*parse_date("1900-01-01")), 1, 73'000);
  expect_lossless(R"({"name": "x", "kind": "datetime", "bounds": ["2020-01-01", "2021-01-01"]})",
                  static_cast<double>(*parse_datetime("2020-01-01")), 1e6, 100'000);
}

TEST(NumberCoding, DecimalsComeBack) {
  const Schema schema =
      schema_of(R"({"name": "x", "kind": "numeric", "bounds": [0, 200000], "decimals": 2})");
  const NumberCoding coding(schema.columns()[0]);
  for (int cents = 0; cents < 20'000'000; cents += 997) {
    const double value = static_cast<double>(cents) / 100.0;
    ASSERT_EQ(coding.decode(coding.encode(value)), value);
  }
}

TEST(NumberCoding, DecodingStaysOnTheStepAndWithinTheBounds) {
  const Schema schema =
      schema_of(R"({"name": "x", "kind": "integer", "bounds": [0, 10], "step": 3})");
  const NumberCoding coding(schema.columns()[0]);
  for (double t = -1.5; t <= 1.5; t += 0.01) {
    const double value = coding.decode(t);
    EXPECT_TRUE(value == 0 || value == 3 || value == 6 || value == 9) << value;
  }
}

TEST(NumberCoding, IsEvenOnTheScaleOfTheTransform) {
  const Schema schema = schema_of(
      R"({"name": "x", "kind": "numeric", "bounds": [0, 999], "transform": "log"},
         {"name": "y", "kind": "numeric", "bounds": [-990, 990], "transform": "signed-log",
          "transform_scale": 10})");
  const NumberCoding log(schema.columns()[0]);
  EXPECT_EQ(log.encode(0), -1.0);
  EXPECT_NEAR(log.encode(9), -1.0 / 3.0, 1e-15);  // a third of the way to 1 + 999
  EXPECT_NEAR(log.encode(99), 1.0 / 3.0, 1e-15);
  EXPECT_NEAR(log.encode(999), 1.0, 1e-15);
  EXPECT_EQ(log.encode(-5), -1.0);
  EXPECT_EQ(log.encode(1e300), log.encode(999));
  EXPECT_NEAR(log.decode(1.0 / 3.0), 99.0, 1e-11);
  const NumberCoding signed_log(schema.columns()[1]);
  EXPECT_EQ(signed_log.encode(-990), -1.0);
  EXPECT_NEAR(signed_log.encode(0), 0.0, 1e-15);
  EXPECT_NEAR(signed_log.encode(90), 0.5, 1e-15);
  EXPECT_NEAR(signed_log.encode(-90), -0.5, 1e-15);
  EXPECT_NEAR(signed_log.decode(-0.5), -90.0, 1e-11);
}

TEST(NumberCoding, TransformedValuesNeverLeaveTheCentredRange) {
  SeededRandom random(4);
  for (int i = 0; i < 100'000; ++i) {
    Column column;
    column.name = "x";
    const double low = std::ldexp(random.uniform() - 0.5, static_cast<int>(random.uniform() * 40));
    column.bounds = Interval{
        low, low + std::ldexp(random.uniform() + 0.1, static_cast<int>(random.uniform() * 40))};
    column.transform = NumberTransform::kSignedLog;
    column.transform_scale = std::ldexp(1.0, static_cast<int>(random.uniform() * 40) - 20);
    const NumberCoding coding(column);
    const double next = std::nextafter(low, HUGE_VAL);
    for (const double value : {low, next, column.bounds->high, low - 1.0,
                               low + random.uniform() * column.bounds->width()}) {
      ASSERT_GE(coding.encode(value), -1.0);
      ASSERT_LE(coding.encode(value), 1.0);
    }
  }
}

TEST(NumberCoding, EveryTransformedValueOnTheStepComesBack) {
  // The largest bounds of the documented range for each scale and step, where the logarithm leaves
  // the fewest bits. The values: both ends, around 0, and some thousand drawn over the scale.
  const auto expect_lossless = [](NumberTransform transform, double scale, double step,
                                  bool with_decimals) {
    double largest = 1.0;
    while ((2.0 * largest + scale) * std::max(1.0, std::log1p(2.0 * largest / scale)) <=
           0x1p47 * step) {
      largest *= 2.0;
    }
    Column column;
    column.name = "x";
    if (with_decimals) {
      column.decimals = static_cast<int>(std::lround(-std::log10(step)));
    } else {
      column.step = step;
    }
    column.transform = transform;
    column.transform_scale = scale;
    column.bounds = Interval{transform == NumberTransform::kLog ? 0.0 : -largest, largest};
    const NumberCoding coding(column);
    SeededRandom random(5);
    for (int i = 0; i < 20'000; ++i) {
      const double place = column.transformed(largest) * random.uniform();
      double steps = std::floor(column.untransformed(place) / step);
      steps = i < 1000 ? i : i < 2000 ? std::floor(largest / step) - (i - 1000) : steps;
      const double sign = transform == NumberTransform::kSignedLog && i % 2 == 1 ? -1.0 : 1.0;
      const double power = std::round(1.0 / step);
      const double value = sign * (with_decimals ? steps / power : steps * step);
      ASSERT_EQ(coding.decode(coding.encode(value)), value)
          << transform_name(transform) << " of scale " << scale << ", step " << step;
    }
  };
  for (const auto transform : {NumberTransform::kLog, NumberTransform::kSignedLog}) {
    for (const double scale : {1e-3, 1.0, 1000.0, 1e6}) {
      expect_lossless(transform, scale, 1.0, false);
      expect_lossless(transform, scale, 0.25, false);
      expect_lossless(transform, scale, 0.01, true);
    }
  }
}

TEST(NumberCoding, TransformedDecodingStaysOnTheStepAndWithinTheBounds) {
  const Schema schema = schema_of(
      R"({"name": "x", "kind": "integer", "bounds": [-4, 10], "step": 3, "transform": "signed-log"})");
  const NumberCoding coding(schema.columns()[0]);
  for (double t = -1.5; t <= 1.5; t += 0.01) {
    const double value = coding.decode(t);
    EXPECT_TRUE(value == -4 || value == -1 || value == 2 || value == 5 || value == 8) << value;
  }
}

}  // namespace number_coding_test
}  // namespace mehler
