// Columns of images: in schemas, in tables and in Arrow streams.

#include <gtest/gtest.h>

#include "mehler/table/column_view.h"
#include "mehler/table/image_field.h"
#include "mehler/table/schema.h"
#include "mehler/table/schema_draft.h"
#include "mehler/table/schema_sheet.h"
#include "tests/support/errors.h"
#include "tests/support/schema_of.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace image_column_test {

constexpr const char* kImage = R"({"name": "image", "kind": "image", "shape": [28, 28, 1]})";

void expect_refused(const std::string& columns, std::initializer_list<const char*> words) {
  expect_mentions(message_of(ErrorCode::kInvalidSchema, [&] { schema_of(columns); }), words);
}

/// Two images of 2 x 3 pixels, and their labels.
Table two_images() {
  Table table;
  table.columns.push_back({"image",
                           ColumnKind::kImage,
                           ImageValues{{2, 3, 1}, {0, 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255}},
                           {}});
  table.columns.push_back({"label", ColumnKind::kInteger, std::vector<std::int64_t>{7, 8}, {}});
  return table;
}

TEST(ImageColumn, IsReadFromAndWrittenToSchemaFiles) {
  const Schema schema = schema_of(
      std::string(kImage) + R"(, {"name": "label", "kind": "categorical", "categories": [0, 1]})");
  ASSERT_NE(schema.image(), nullptr);
  EXPECT_EQ(schema.image()->name, "image");
  EXPECT_EQ(schema.image()->shape, (ImageShape{28, 28, 1}));
  EXPECT_TRUE(schema.image()->is_used());
  EXPECT_FALSE(schema.image()->is_undeclared());
  EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
  EXPECT_NO_THROW(schema.require_declared());
}

TEST(ImageColumn, IsKeptInTheSheetOfASchema) {
  const Schema schema = schema_of(kImage);
  const std::string sheet = sheet_of_schema(Json::parse(schema.to_json()));
  const Json back = schema_of_sheet(sheet, "the sheet");
  EXPECT_EQ(Schema::from_json(back.dump()), schema);
}

TEST(ImageColumn, HasAShapeOfThreeWholeNumbers) {
  expect_refused(R"({"name": "a", "kind": "image"})", {"'a'", "without a shape", "[28, 28, 1]"});
  expect_refused(R"({"name": "a", "kind": "image", "shape": [28, 28]})", {"'a'", "three"});
  expect_refused(R"({"name": "a", "kind": "image", "shape": "28x28"})", {"'a'", "three"});
  expect_refused(R"({"name": "a", "kind": "image", "shape": [28, -28, 1]})", {"three"});
  expect_refused(R"({"name": "a", "kind": "image", "shape": [28, 28.5, 1]})", {"three"});
}

TEST(ImageColumn, HasSidesFrom1To64) {
  EXPECT_NO_THROW(schema_of(R"({"name": "a", "kind": "image", "shape": [1, 64, 3]})"));
  expect_refused(R"({"name": "a", "kind": "image", "shape": [0, 28, 1]})", {"0 x 28", "1 to 64"});
  expect_refused(R"({"name": "a", "kind": "image", "shape": [28, 65, 1]})", {"28 x 65"});
  expect_refused(R"({"name": "a", "kind": "image", "shape": [50000, 50000, 1]})", {"50000"});
}

TEST(ImageColumn, IsGreyOrInColour) {
  expect_refused(R"({"name": "a", "kind": "image", "shape": [8, 8, 0]})", {"0 channels"});
  expect_refused(R"({"name": "a", "kind": "image", "shape": [8, 8, 4]})", {"4 channels", "grey"});
}

TEST(ImageColumn, HasNothingElseToDeclare) {
  const std::string start = R"({"name": "a", "kind": "image", "shape": [8, 8, 1], )";
  expect_refused(start + R"("missing": true})", {"'a'", "may be missing"});
  expect_refused(start + R"("bounds": [0, 255]})", {"'a'", "bounds"});
  expect_refused(start + R"("categories": ["x"]})", {"'a'", "categories"});
  expect_refused(start + R"("type": "uint8"})", {"'a'", "uint8"});
  expect_refused(start + R"("step": 1})", {"'a'", "step"});
  expect_refused(start + R"("bounds": "buy"})", {"'a'", "bought"});
  EXPECT_NO_THROW(schema_of(start + R"("missing": false})"));
}

TEST(ImageColumn, HasTheShapeThatNoOtherKindHas) {
  expect_refused(R"({"name": "a", "kind": "boolean", "shape": [8, 8, 1]})", {"'a'", "shape"});
  EXPECT_NO_THROW(schema_of(R"({"name": "a", "kind": "ignored", "shape": [8, 8, 1]},
                               {"name": "b", "kind": "boolean"})"));
}

TEST(ImageColumn, IsOneInASchemaAndNotTheTarget) {
  expect_refused(std::string(kImage) + R"(, {"name": "b", "kind": "image", "shape": [8, 8, 1]})",
                 {"'b'", "second image", "'image'"});
  expect_mentions(
      message_of(ErrorCode::kInvalidSchema,
                 [&] {
                   Schema::from_json(R"({"mehler_schema": 1, "target": "image", "columns": [)" +
                                     std::string(kImage) + "]}");
                 }),
      {"'image'", "target", "label"});
}

TEST(ImageColumn, TakesNoPartInRules) {
  const std::string number = R"({"name": "x", "kind": "integer", "bounds": [0, 9]})";
  expect_refused(std::string(kImage) + R"(, {"name": "x", "kind": "integer", "bounds": [0, 9],
                 "derived": "image + 1"})",
                 {"'x'", "'image'", "images"});
  expect_refused(
      R"({"name": "image", "kind": "image", "shape": [8, 8, 1], "derived": "x"}, )" + number,
      {"'image'", "rule"});
  expect_mentions(message_of(ErrorCode::kInvalidSchema,
                             [&] {
                               Schema::from_json(
                                   R"({"mehler_schema": 1, "never": [{"image": "a", "x": 1}],
                                       "columns": [)" +
                                   std::string(kImage) + ", " + number + "]}");
                             }),
                  {"'image'", "images"});
}

TEST(ImageColumn, IsNamedWhereItCannotBeUsed) {
  const std::string message = message_of(ErrorCode::kInvalidArgument,
                                         [] { schema_of(kImage).refuse_images("method nothing"); });
  expect_mentions(message, {"method nothing", "'image'", "ignored"});
  EXPECT_NO_THROW(schema_of(R"({"name": "b", "kind": "boolean"})").refuse_images("method nothing"));
}

TEST(ImageColumn, GoesThroughArrowStreams) {
  RecordStream stream = part_of({two_images()})();
  const ArrowSchema& field = *stream.schema().children[0];
  EXPECT_STREQ(field.format, "+w:6");
  EXPECT_EQ(column_type(field), ColumnType::kBytes);
  EXPECT_EQ(image_shape_of(field), (ImageShape{2, 3, 1}));
  RecordBatch batch;
  ASSERT_TRUE(stream.next(batch));
  std::vector<std::uint8_t> pixels(12);
  EXPECT_TRUE(ColumnView(stream.schema(), batch.value(), 0).copy_bytes(pixels.data()));
  EXPECT_EQ(pixels, std::get<ImageValues>(two_images().columns[0].values).pixels);
}

TEST(ImageColumn, IsReadFromASliceOfABatch) {
  RecordStream stream = part_of({two_images()})();
  RecordBatch batch;
  ASSERT_TRUE(stream.next(batch));
  batch.get()->offset = 1;
  batch.get()->length = 1;
  std::vector<std::uint8_t> pixels(6);
  EXPECT_TRUE(ColumnView(stream.schema(), batch.value(), 0).copy_bytes(pixels.data()));
  EXPECT_EQ(pixels, (std::vector<std::uint8_t>{250, 251, 252, 253, 254, 255}));
}

TEST(ImageColumn, OfAProducerThatHandsOverTooFewBytesIsRefused) {
  RecordStream stream = part_of({two_images()})();
  RecordBatch batch;
  ASSERT_TRUE(stream.next(batch));
  batch.get()->children[0]->children[0]->length = 11;
  std::vector<std::uint8_t> pixels(12);
  const ColumnView view(stream.schema(), batch.value(), 0);
  expect_mentions(message_of(ErrorCode::kInvalidTable, [&] { view.copy_bytes(pixels.data()); }),
                  {"bytes"});
}

TEST(ImageColumn, GrowsWithItsTable) {
  Table table = two_images();
  table.append(two_images());
  EXPECT_EQ(table.rows(), 4u);
  EXPECT_EQ(std::get<ImageValues>(table.columns[0].values).pixels.size(), 24u);
}

TEST(ImageColumn, IsDraftedFromListsOfBytes) {
  Table table = two_images();
  table.columns.push_back(
      {"square", ColumnKind::kImage, ImageValues{{2, 2, 3}, std::vector<std::uint8_t>(24)}, {}});
  RecordStream stream = part_of({table})();
  stream.schema().children[2]->metadata = nullptr;
  EXPECT_EQ(image_shape_of(*stream.schema().children[2]), (ImageShape{2, 2, 3}));
  RecordStream one = part_of({two_images()})();
  const SchemaDraft draft = draft_schema(one.schema(), std::nullopt, TypesFrom::kFile);
  EXPECT_EQ(draft.schema.image()->shape, (ImageShape{2, 3, 1}));
}

TEST(ImageColumn, OfUnknownShapeIsDraftedAsIgnored) {
  RecordStream stream = part_of({two_images()})();
  stream.schema().children[0]->metadata = nullptr;  // 6 bytes are no square
  const SchemaDraft draft = draft_schema(stream.schema(), std::nullopt, TypesFrom::kFile);
  EXPECT_EQ(draft.schema.find("image")->kind, ColumnKind::kIgnored);
}

}  // namespace image_column_test
}  // namespace mehler
