// Image sets, written and read again in every format that holds them.

#include <gtest/gtest.h>

#include <filesystem>

#include "mehler/table/column_view.h"
#include "mehler/table/image_field.h"
#include "mehler/table/readers/array_file.h"
#include "mehler/table/readers/image_files.h"
#include "mehler/table/readers/png_image.h"
#include "mehler/table/readers/table_writer.h"
#include "mehler/table/schema_draft.h"
#include "test_tables.h"

namespace mehler {
namespace image_formats_test {

/// Images of all 256 values, with labels of whole numbers.
Table some_images(const ImageShape& shape, std::size_t count) {
  ImageValues images{shape, std::vector<std::uint8_t>(count * shape.size())};
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < images.pixels.size(); ++i) {
    images.pixels[i] = static_cast<std::uint8_t>(i * 37 + i / 256);
  }
  for (std::size_t i = 0; i < count; ++i) {
    labels.push_back(std::to_string(i % 3));
  }
  Table table;
  table.columns.push_back({"image", ColumnKind::kImage, std::move(images), {}});
  table.columns.push_back({"label", ColumnKind::kCategorical, std::move(labels), {}});
  table.columns.back().type = StoredType::kInt64;
  return table;
}

Schema schema_of_images(const ImageShape& shape) {
  Column image = column_of("image", ColumnKind::kImage);
  image.shape = shape;
  Column label = column_of("label", ColumnKind::kCategorical);
  label.categories = {"0", "1", "2"};
  label.type = StoredType::kInt64;
  return Schema({image, label}, "label");
}

struct ReadImages {
  std::optional<ImageShape> shape;
  std::vector<std::uint8_t> pixels;
  std::vector<std::string> labels;
};

ReadImages read_images(const std::vector<std::string>& paths, const Schema* schema = nullptr) {
  ReadImages result;
  for (const RecordStreamFactory& part : TableReader(paths, {}, schema).parts()) {
    RecordStream stream = part();
    const std::vector<std::string> names = stream.column_names();
    RecordBatch batch;
    while (stream.next(batch)) {
      for (std::size_t c = 0; c < names.size(); ++c) {
        const ColumnView view(stream.schema(), batch.value(), c);
        if (names[c] == "image") {
          result.shape = image_shape_of(*stream.schema().children[c]);
          const std::size_t before = result.pixels.size();
          result.pixels.resize(before + view.rows() * result.shape->size());
          EXPECT_TRUE(view.copy_bytes(result.pixels.data() + before));
        } else if (names[c] == "label") {
          for (std::size_t row = 0; row < view.rows(); ++row) {
            result.labels.push_back(view.type() == ColumnType::kText ? std::string(view.text(row))
                                                                     : view.integer_text(row));
          }
        }
      }
    }
  }
  return result;
}

void write_in_two(const std::string& path, const Table& table, const Schema* schema = nullptr) {
  TableWriter writer(path, std::nullopt, schema);
  writer.write(table);
  writer.write(table);
  writer.finish();
}

std::string png_of(const ImageShape& shape, std::uint8_t value) {
  return encode_png(shape, std::vector<std::uint8_t>(shape.size(), value));
}

class ImageRoundTrip : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Names, ImageRoundTrip,
                         testing::Values("a.parquet", "a.arrow", "a.npz", "a.npy", "x_train.npy",
                                         "a.idx", "train-images-idx3-ubyte",
                                         "train-images-idx3-ubyte.gz", "digits/"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

TEST_P(ImageRoundTrip, GreyAndColourComeBackAsTheyWere) {
  for (const ImageShape shape : {ImageShape{5, 7, 1}, ImageShape{4, 6, 3}, ImageShape{1, 1, 1}}) {
    const TestFolder folder;
    const Table table = some_images(shape, 9);
    const Schema schema = schema_of_images(shape);
    write_in_two(folder.path(GetParam()), table, &schema);
    Table twice = table;
    twice.append(table);
    for (const Schema* given : {static_cast<const Schema*>(nullptr), &schema}) {
      const ReadImages read = read_images({folder.path(GetParam())}, given);
      EXPECT_EQ(read.shape, shape);
      EXPECT_EQ(read.pixels, std::get<ImageValues>(twice.columns[0].values).pixels);
      EXPECT_EQ(read.labels, std::get<std::vector<std::string>>(twice.columns[1].values));
    }
  }
}

TEST_P(ImageRoundTrip, SchemaInitFindsShapeLabelAndTarget) {
  const TestFolder folder;
  const ImageShape shape{5, 7, 1};
  const Schema declared = schema_of_images(shape);
  write_in_two(folder.path(GetParam()), some_images(shape, 9), &declared);
  const TableReader reader({folder.path(GetParam())}, {});
  const RecordStream first = reader.parts().front()();
  const SchemaDraft draft = draft_schema(first.schema(), std::nullopt, TypesFrom::kFile);
  EXPECT_EQ(draft.schema.image()->shape, shape);
  EXPECT_EQ(draft.schema.target(), "label");
  EXPECT_EQ(draft.schema.label()->kind, ColumnKind::kCategorical);
  EXPECT_TRUE(draft.schema.label()->is_undeclared());
  PublicSchemaReader contents(std::nullopt);
  contents.read(reader.parts().front()(), Context{});
  const Schema found = contents.finish().schema;
  EXPECT_EQ(found.label()->categories, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_NO_THROW(found.require_declared());
}

TEST_P(ImageRoundTrip, NothingIsLeftOfATableThatIsNotFinished) {
  const TestFolder folder;
  {
    TableWriter writer(folder.path(GetParam()));
    writer.write(some_images({5, 7, 1}, 3));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

TEST(ImageFormats, ManyBatchesAreOneSet) {
  const TestFolder folder;
  const Table table = some_images({64, 64, 3}, 400);  // more than a batch has
  write_in_two(folder.path("a.npz"), table);
  EXPECT_EQ(read_images({folder.path("a.npz")}).labels.size(), 800u);
}

TEST(ImageFormats, FurtherColumnsAreKeptWhereTheFormatHasThem) {
  for (const char* name : {"a.npz", "digits/", "a.parquet"}) {
    const TestFolder folder;
    Table table = some_images({2, 2, 1}, 3);
    table.columns.push_back(
        {"site", ColumnKind::kCategorical, std::vector<std::string>{"a", "b\xc3\xa9", "c"}, {}});
    table.columns.push_back(
        {"age", ColumnKind::kNumeric, std::vector<double>{1.5, 2.0, -3.25}, {}});
    write_in_two(folder.path(name), table);
    const TableReader reader({folder.path(name)}, {});
    RecordStream stream = reader.parts().front()();
    const std::vector<std::string> names = stream.column_names();
    RecordBatch batch;
    ASSERT_TRUE(stream.next(batch));
    const auto place = [&](const char* column) {
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), column) -
                                      names.begin());
    };
    EXPECT_EQ(ColumnView(stream.schema(), batch.value(), place("site")).text(1), "b\xc3\xa9");
    std::vector<double> ages(batch.rows());
    ColumnView(stream.schema(), batch.value(), place("age")).copy_numbers(ages.data());
    EXPECT_EQ(ages[2], -3.25);
  }
}

TEST(ImageFormats, PairsOfFilesHaveOneLabel) {
  Table table = some_images({2, 2, 1}, 3);
  table.columns.push_back(
      {"site", ColumnKind::kCategorical, std::vector<std::string>{"a", "b", "c"}, {}});
  for (const char* name : {"a.npy", "images-idx3-ubyte"}) {
    const TestFolder folder;
    expect_mentions(
        error_of(ErrorCode::kInvalidArgument, [&] { write_in_two(folder.path(name), table); }),
        {name, "2 other columns", ".npz"});
  }
}

TEST(ImageFormats, IdxLabelsAreBytesWhichASchemaSaysBeforehand) {
  const TestFolder folder;
  Column image = column_of("image", ColumnKind::kImage);
  image.shape = ImageShape{2, 2, 1};
  Column label = column_of("label", ColumnKind::kCategorical);
  label.categories = {"shirt", "coat"};
  const Schema schema({image, label}, "label");
  expect_mentions(error_of(ErrorCode::kInvalidArgument,
                           [&] { TableWriter(folder.path("images-idx3-ubyte"), schema); }),
                  {"images-idx3-ubyte", "'label'", "0 to 255"});
  EXPECT_NO_THROW(TableWriter(folder.path("a.npz"), schema));
}

TEST(ImageFormats, CsvHoldsNoImagesWhichASchemaSaysBeforehand) {
  const TestFolder folder;
  const Schema schema = schema_of_images({2, 2, 1});
  expect_mentions(
      error_of(ErrorCode::kInvalidArgument, [&] { TableWriter(folder.path("a.csv"), schema); }),
      {"a.csv", "'image'", ".parquet"});
  expect_mentions(error_of(ErrorCode::kInvalidArgument,
                           [&] {
                             write_in_two(folder.path("a.csv"), some_images({2, 2, 1}, 1));
                           }),
                  {"a.csv", "'image'"});
}

TEST(ImageFormats, ForImagesNeedAColumnOfThem) {
  const TestFolder folder;
  Table table;
  table.columns.push_back({"label", ColumnKind::kInteger, std::vector<std::int64_t>{1}, {}});
  for (const char* name : {"a.npz", "a.npy", "images-idx3-ubyte", "digits/"}) {
    expect_mentions(
        error_of(ErrorCode::kInvalidArgument, [&] { write_in_two(folder.path(name), table); }),
        {"images", ".csv"});
  }
}

TEST(ImageFormats, AFolderThatHoldsSomethingIsNotOverwritten) {
  const TestFolder folder;
  write_in_two(folder.path("digits/"), some_images({2, 2, 1}, 1));
  expect_mentions(error_of(ErrorCode::kFile, [&] { TableWriter(folder.path("digits/")); }),
                  {"digits", "already", "choose another"});
}

TEST(ImageFormats, NamesOfFoldersAreLabels) {
  const TestFolder folder;
  for (const char* name : {"digits", "digits/cat", "digits/dog"}) {
    std::filesystem::create_directory(folder.path(name));
  }
  folder.write("digits/dog/a.png", png_of({2, 3, 1}, 7));
  folder.write("digits/cat/b.png", png_of({2, 3, 1}, 5));
  folder.write("digits/cat/a.PNG", png_of({2, 3, 1}, 4));
  folder.write("digits/.hidden", "x");
  const ReadImages read = read_images({folder.path("digits")});
  EXPECT_EQ(read.labels, (std::vector<std::string>{"cat", "cat", "dog"}));
  EXPECT_EQ(read.pixels[0], 4);
  EXPECT_EQ(read.pixels[6], 5);
  EXPECT_EQ(read.pixels[12], 7);
}

TEST(ImageFormats, LabelsOfAFileBesideItAreFoundOrGiven) {
  EXPECT_EQ(label_file_names("d/train-images-idx3-ubyte.gz").front(),
            "d/train-labels-idx1-ubyte.gz");
  EXPECT_EQ(label_file_names("t10k-images.idx3-ubyte").front(), "t10k-labels.idx1-ubyte");
  EXPECT_EQ(label_file_names("x_train.npy").front(), "y_train.npy");
  EXPECT_EQ(label_file_names("X.npy").front(), "y.npy");
  EXPECT_EQ(label_file_names("xylophones.npy").front(), "xylophones-labels.npy");
  const TestFolder folder;
  write_in_two(folder.path("a.npy"), some_images({2, 2, 1}, 3));
  std::filesystem::rename(folder.path("a-labels.npy"), folder.path("other.npy"));
  EXPECT_TRUE(read_images({folder.path("a.npy")}).labels.empty());
  EXPECT_EQ(read_images({folder.path("a.npy"), folder.path("other.npy")}).labels.size(), 6u);
}

TEST(ImageFormats, GreyPngsAreReadWhereColourIsDeclared) {
  const std::string bytes = png_of({2, 2, 1}, 9);
  EXPECT_EQ(decode_png(bytes, {2, 2, 3}, "it"), std::vector<std::uint8_t>(12, 9));
}

TEST(ImageFormats, EveryCutOfAPngIsRefused) {
  const std::string bytes = png_of({8, 8, 3}, 9);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    expect_mentions(error_of(ErrorCode::kInvalidTable,
                             [&] {
                               decode_png(bytes.substr(0, length), {8, 8, 3}, "it");
                             }),
                    {"it", "PNG"});
  }
}

TEST(ImageFormats, NpyHeadersAreWrittenAsTheyAreRead) {
  const std::string header = npy_header("<U12", {3, 4});
  EXPECT_EQ(header.size(), kNpyHeaderBytes);
  EXPECT_EQ(header.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_NE(header.find("'shape': (3, 4,)"), std::string::npos);
}

}  // namespace image_formats_test
}  // namespace mehler
