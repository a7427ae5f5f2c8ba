#include "mehler/features/length_scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mehler/features/hermite_features.h"
#include "tests/support/errors.h"

namespace mehler {
namespace length_scale_test {

TEST(LengthScale, KnownPairs) {
  // rho = 1/3: 1/(2 l^2) = (1/3)/(8/9) = 3/8.
  EXPECT_DOUBLE_EQ(rho_of_length_scale(std::sqrt(4.0 / 3.0)), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(length_scale_of_rho(1.0 / 3.0), std::sqrt(4.0 / 3.0));
  // l = 1: rho^2 + 2 rho - 1 = 0.
  EXPECT_DOUBLE_EQ(rho_of_length_scale(1.0), std::sqrt(2.0) - 1.0);
  // Inputs stretched by 2 make a length scale of 1/2 one of 1.
  EXPECT_DOUBLE_EQ(rho_of_length_scale(0.5, 2.0), std::sqrt(2.0) - 1.0);
  EXPECT_DOUBLE_EQ(length_scale_of_rho(std::sqrt(2.0) - 1.0, 2.0), 0.5);
}

TEST(LengthScale, RhoAgreesWithLongDoubleWhereTheFormulaAsWrittenCancels) {
  for (double l = 1e-7; l < 1e7; l *= 1.37) {
    const long double s = static_cast<long double>(l) * static_cast<long double>(l);
    const long double exact = 1 / (s + std::sqrt(s * s + 1));
    EXPECT_NEAR(rho_of_length_scale(l) / static_cast<double>(exact), 1.0, 1e-15) << l;
  }
  // -s + sqrt(s^2 + 1) in double precision is 0 here.
  EXPECT_DOUBLE_EQ(rho_of_length_scale(1e6), 0.5e-12);
}

TEST(LengthScale, OneIsTheInverseOfTheOther) {
  for (double rho = 1e-12; rho < 1.0; rho = rho < 0.1 ? rho * 1.7 : rho + 0.0009) {
    for (const double scale : {1.0, 0.3, 4.6}) {
      EXPECT_NEAR(rho_of_length_scale(length_scale_of_rho(rho, scale), scale) / rho, 1.0, 2e-15);
    }
  }
  for (double l = 1e-3; l <= 1e3; l *= 1.1) {
    // rho = 1 - l^2 + ..: what rho can say of a short length scale is limited by its last bit.
    const double last_bit = std::numeric_limits<double>::epsilon() / (l * l);
    EXPECT_NEAR(length_scale_of_rho(rho_of_length_scale(l)) / l, 1.0, 2e-15 + last_bit) << l;
  }
}

TEST(LengthScale, IsWhatHermiteFeaturesUse) {
  const HermiteFeatures features(5, 0.4, rho_of_length_scale(0.4, 2.5));
  EXPECT_NEAR(features.scale(), 2.5, 1e-14);
}

TEST(LengthScale, RefusesWhatIsNoLengthScale) {
  for (const double bad : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    expect_mentions(
        message_of(ErrorCode::kInvalidArgument, [&] { (void)rho_of_length_scale(bad); }),
        {"length scale", "greater than 0"});
    expect_mentions(
        message_of(ErrorCode::kInvalidArgument, [&] { (void)rho_of_length_scale(1.0, bad); }),
        {"scale of the inputs", "greater than 0"});
    expect_mentions(
        message_of(ErrorCode::kInvalidArgument, [&] { (void)length_scale_of_rho(0.5, bad); }),
        {"scale of the inputs"});
  }
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { (void)rho_of_length_scale(1e-9); }),
                  {"too short"});
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { (void)rho_of_length_scale(1e90); }),
                  {"too long"});
}

TEST(LengthScale, RefusesARhoOutsideZeroAndOne) {
  for (const double bad : {0.0, 1.0, -0.5, 1.5, double{NAN}, double{INFINITY}}) {
    expect_mentions(
        message_of(ErrorCode::kInvalidArgument, [&] { (void)length_scale_of_rho(bad); }),
        {"rho", "(0, 1)", "length scale"});
  }
}

}  // namespace length_scale_test
}  // namespace mehler
