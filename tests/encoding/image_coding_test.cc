#include "mehler/encoding/image_coding.h"

#include <gtest/gtest.h>

#include "mehler/encoding/copy_row.h"
#include "mehler/encoding/encoder.h"
#include "mehler/encoding/value_grid.h"
#include "tests/support/errors.h"
#include "tests/support/schema_of.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace image_coding_test {

const Schema& schema() {
  static const Schema result = schema_of(
      R"({"name": "image", "kind": "image", "shape": [2, 2, 1]},
         {"name": "label", "kind": "categorical", "categories": ["a", "b"]},
         {"name": "age", "kind": "integer", "bounds": [0, 10]})");
  return result;
}

Table three_images() {
  Table table;
  table.columns.push_back({"image",
                           ColumnKind::kImage,
                           ImageValues{{2, 2, 1}, {0, 1, 2, 3, 10, 11, 12, 13, 252, 253, 254, 255}},
                           {}});
  table.columns.push_back(
      {"label", ColumnKind::kCategorical, std::vector<std::string>{"a", "b", "a"}, {}});
  table.columns.push_back({"age", ColumnKind::kInteger, std::vector<std::int64_t>{0, 5, 10}, {}});
  return table;
}

EncodedBatch encoded(const Encoder& encoder, RecordStream stream) {
  const EncoderBinding binding = encoder.bind(stream.schema());
  RecordBatch batch;
  EXPECT_TRUE(stream.next(batch));
  EncodedBatch result;
  encoder.encode(binding, stream.schema(), batch.value(), result);
  return result;
}

TEST(ImageCoding, EncodesPixelsAndDecodesTheSameTable) {
  const Encoder encoder(schema());
  const EncodedBatch batch = encoded(encoder, part_of({three_images()})());
  const Table table = three_images();
  const auto& images = std::get<ImageValues>(table.columns[0].values);
  EXPECT_EQ(
      std::vector<std::uint8_t>(batch.columns[0].pixels.begin(), batch.columns[0].pixels.end()),
      images.pixels);
  EXPECT_TRUE(batch.columns[0].numbers.empty());
  EXPECT_TRUE(batch.columns[0].codes.empty());
  const Table back = encoder.decode(batch);
  EXPECT_EQ(std::get<ImageValues>(back.columns[0].values), images);
  EXPECT_EQ(back.columns[1].values, three_images().columns[1].values);
}

TEST(ImageCoding, RefusesListsOfAnotherLength) {
  const Encoder encoder(schema_of(R"({"name": "image", "kind": "image", "shape": [3, 3, 1]},
                                     {"name": "label", "kind": "ignored"},
                                     {"name": "age", "kind": "ignored"})"));
  expect_mentions(
      message_of(ErrorCode::kInvalidTable, [&] { encoded(encoder, part_of({three_images()})()); }),
      {"'image'", "3 x 3", "9 bytes", "4 bytes"});
}

TEST(ImageCoding, RefusesColumnsThatHoldNoImages) {
  const Encoder encoder(schema_of(R"({"name": "image", "kind": "ignored"},
                                     {"name": "label", "kind": "image", "shape": [2, 2, 1]},
                                     {"name": "age", "kind": "ignored"})"));
  expect_mentions(
      message_of(ErrorCode::kInvalidTable, [&] { encoded(encoder, part_of({three_images()})()); }),
      {"'label'", "image", "text"});
}

TEST(ImageCoding, RefusesRecordsWithoutAnImage) {
  RecordStream stream = part_of({three_images()})();
  const Encoder encoder(schema());
  const EncoderBinding binding = encoder.bind(stream.schema());
  RecordBatch batch;
  ASSERT_TRUE(stream.next(batch));
  const std::uint8_t only_first = 1;
  const void* buffers[] = {&only_first};
  ArrowArray& images = *batch.get()->children[0];
  const void** const own_buffers = images.buffers;
  images.buffers = buffers;
  images.null_count = 2;
  EncodedBatch result;
  const std::string message = message_of(ErrorCode::kInvalidTable, [&] {
    encoder.encode(binding, stream.schema(), batch.value(), result);
  });
  images.buffers = own_buffers;
  expect_mentions(message, {"'image'", "lacks an image"});
  EXPECT_EQ(result.columns[0].pixels[3], 3);
  EXPECT_EQ(result.columns[0].pixels[4], 0);
}

TEST(ImageCoding, CopiesRowsWithTheirPixels) {
  const Encoder encoder(schema());
  EncodedBatch batch = encoded(encoder, part_of({three_images()})());
  copy_row(batch, 2, batch, 0);
  EXPECT_EQ(batch.columns[0].pixels[0], 252);
  EXPECT_EQ(batch.columns[0].pixels[3], 255);
  EXPECT_EQ(batch.columns[0].pixels[4], 10);
  EXPECT_EQ(batch.columns[1].codes[0], 0);
  EXPECT_EQ(batch.columns[2].numbers[0], 1.0);
}

TEST(ImageCoding, CountsNothingOfAnImage) {
  const ValueGrid grid(*schema().image());
  EXPECT_EQ(grid.leaves(), 1u);
  const Encoder encoder(schema());
  EXPECT_EQ(grid.leaf_of(encoded(encoder, part_of({three_images()})()).columns[0], 1), 0u);
}

}  // namespace image_coding_test
}  // namespace mehler
