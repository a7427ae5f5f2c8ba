#include "mehler/images/image_scale.h"

#include <gtest/gtest.h>

#include "mehler/images/diversify.h"
#include "mehler/images/gradient_features.h"
#include "mehler/images/image_codec.h"
#include "tests/support/errors.h"

namespace mehler {
namespace image_scale_test {

TEST(ImageShapes, ThatAreNoneAreRefusedByEveryFunction) {
  for (const ImageShape shape :
       {ImageShape{0, 28, 1}, ImageShape{28, 0, 1}, ImageShape{65, 28, 1}, ImageShape{28, 65, 3},
        ImageShape{28, 28, 0}, ImageShape{28, 28, 2}, ImageShape{28, 28, 4}}) {
    const char* word = shape.channels == 1 || shape.channels == 3 ? "1 to 64 rows" : "1 channel";
    const auto expect_refusal = [&](const std::function<void()>& call) {
      expect_mentions(message_of(ErrorCode::kInvalidArgument, call), {word, "first"});
    };
    expect_refusal([&] { validate_image_shape(shape); });
    expect_refusal([&] { ImageCodec{shape}; });
    expect_refusal([&] { GradientFeatures{shape}; });
    expect_refusal([&] { Diversifier{shape}; });
  }
}

TEST(ImageShapes, Of28PixelsAreTheMeasureOfOthers) {
  EXPECT_EQ(image_scale({28, 28, 1}), 1.0);
  EXPECT_EQ(image_scale({56, 56, 3}), 2.0);
  EXPECT_EQ(image_scale({7, 28, 1}), 0.5);
}

}  // namespace image_scale_test
}  // namespace mehler
