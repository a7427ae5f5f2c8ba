#include "mehler/table/column_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "mehler/table/table.h"
#include "tests/support/errors.h"

namespace mehler {
namespace column_view_test {

/// A struct array with one column over buffers that the test owns.
class OneColumn {
 public:
  OneColumn(const char* format, std::int64_t rows, std::vector<const void*> buffers,
            std::int64_t null_count = 0, std::int64_t offset = 0)
      : buffers_(std::move(buffers)) {
    column_schema_.format = format;
    column_schema_.name = "x";
    column_.length = rows;
    column_.null_count = null_count;
    column_.offset = offset;
    column_.n_buffers = static_cast<std::int64_t>(buffers_.size());
    column_.buffers = buffers_.data();
    batch_schema_.format = "+s";
    batch_schema_.n_children = 1;
    batch_schema_.children = &schema_child_;
    batch_.length = rows;
    batch_.n_children = 1;
    batch_.children = &child_;
  }

  void set_dictionary(OneColumn& values) {
    column_schema_.dictionary = &values.column_schema_;
    column_.dictionary = &values.column_;
  }
  ArrowArray& batch() { return batch_; }
  ColumnView view() const { return ColumnView(batch_schema_, batch_, 0); }
  std::vector<double> numbers() const {
    std::vector<double> out(static_cast<std::size_t>(batch_.length));
    view().copy_numbers(out.data());
    return out;
  }

 private:
  std::vector<const void*> buffers_;
  ArrowSchema column_schema_{};
  ArrowArray column_{};
  ArrowSchema* schema_child_ = &column_schema_;
  ArrowArray* child_ = &column_;
  ArrowSchema batch_schema_{};
  ArrowArray batch_{};
};

template <typename Raw>
void expect_integers(const char* format) {
  const std::vector<Raw> raw = {Raw(0), Raw(1), Raw(100), static_cast<Raw>(-1)};
  const OneColumn column(format, 4, {nullptr, raw.data()});
  EXPECT_EQ(column.view().type(), ColumnType::kInteger);
  EXPECT_EQ(column.numbers(), (std::vector<double>{0, 1, 100, static_cast<double>(raw[3])}));
  EXPECT_EQ(column.view().integer_text(2), "100");
  EXPECT_EQ(column.view().integer_text(3), std::to_string(raw[3]));
}

TEST(ColumnView, ReadsEveryIntegerType) {
  expect_integers<std::int8_t>("c");
  expect_integers<std::uint8_t>("C");
  expect_integers<std::int16_t>("s");
  expect_integers<std::uint16_t>("S");
  expect_integers<std::int32_t>("i");
  expect_integers<std::uint32_t>("I");
  expect_integers<std::int64_t>("l");
  expect_integers<std::uint64_t>("L");
}

TEST(ColumnView, ReadsEveryFloatingType) {
  const std::vector<double> doubles = {-1.5, 0.1};
  EXPECT_EQ(OneColumn("g", 2, {nullptr, doubles.data()}).numbers(), doubles);
  const std::vector<float> floats = {-1.5F, 0.25F};
  EXPECT_EQ(OneColumn("f", 2, {nullptr, floats.data()}).numbers(),
            (std::vector<double>{-1.5, 0.25}));
  const std::vector<std::uint16_t> halves = {0x3C00, 0xC000, 0x0001, 0x7BFF, 0x7C00};
  const std::vector<double> read = OneColumn("e", 5, {nullptr, halves.data()}).numbers();
  EXPECT_EQ(read[0], 1.0);
  EXPECT_EQ(read[1], -2.0);
  EXPECT_EQ(read[2], std::ldexp(1.0, -24));
  EXPECT_EQ(read[3], 65504.0);
  EXPECT_TRUE(std::isinf(read[4]));
}

TEST(ColumnView, ReadsDatesAndTimestampsRoundingDown) {
  const std::vector<std::int32_t> days = {-1, 10957};
  EXPECT_EQ(OneColumn("tdD", 2, {nullptr, days.data()}).numbers(),
            (std::vector<double>{-1, 10957}));
  const std::vector<std::int64_t> ticks = {-1, 86'400'000, 1'999};
  EXPECT_EQ(OneColumn("tdm", 3, {nullptr, ticks.data()}).numbers(),
            (std::vector<double>{-1, 1, 0}));
  EXPECT_EQ(OneColumn("tsn:UTC", 3, {nullptr, ticks.data()}).numbers(),
            (std::vector<double>{-1, 86'400, 1}));
  EXPECT_EQ(OneColumn("tsu:", 3, {nullptr, ticks.data()}).numbers(),
            (std::vector<double>{-1, 86'400'000, 1'999}));
  EXPECT_EQ(OneColumn("tsm:", 1, {nullptr, ticks.data()}).numbers(), (std::vector<double>{-1e3}));
  EXPECT_EQ(OneColumn("tss:", 1, {nullptr, ticks.data()}).numbers(), (std::vector<double>{-1e6}));
}

TEST(ColumnView, ReadsDecimals) {
  // 12.34 and -0.01 with a scale of 2, as 128-bit two's complement.
  const std::vector<std::int64_t> words = {1234, 0, -1, -1};
  EXPECT_EQ(OneColumn("d:10,2", 2, {nullptr, words.data()}).numbers(),
            (std::vector<double>{12.34, -0.01}));
  const OneColumn narrow("d:10,2,64", 1, {nullptr, words.data()});
  EXPECT_EQ(narrow.view().type(), ColumnType::kUnsupported);
}

TEST(ColumnView, TellsWholeNumbersFromOthersExactly) {
  const std::vector<double> doubles = {3, -0.0, 0x1p53 - 1, 0x1p53, 0.5, NAN, -INFINITY};
  const OneColumn column("g", 7, {nullptr, doubles.data()});
  const ColumnView view = column.view();
  EXPECT_EQ(view.whole_text(0), "3");
  EXPECT_EQ(view.whole_text(1), "0");
  EXPECT_EQ(view.whole_text(2), "9007199254740991");
  for (std::size_t row = 3; row < doubles.size(); ++row) {
    EXPECT_EQ(view.whole_text(row), std::nullopt);
    EXPECT_EQ(view.is_nan(row), row == 5);
  }
  const std::vector<float> floats = {-7, 0x1p24F};
  const OneColumn single("f", 2, {nullptr, floats.data()});
  EXPECT_EQ(single.view().whole_text(0), "-7");
  EXPECT_EQ(single.view().whole_text(1), std::nullopt);
  // -300, -1, 0 and 2^64, as 128-bit two's complement.
  const std::vector<std::int64_t> words = {-300, -1, -1, -1, 0, 0, 0, 1};
  const auto whole = [&](const char* format, std::size_t row) {
    return OneColumn(format, 4, {nullptr, words.data()}).view().whole_text(row);
  };
  EXPECT_EQ(whole("d:38,0", 0), "-300");
  EXPECT_EQ(whole("d:10,2", 0), "-3");
  EXPECT_EQ(whole("d:10,3", 0), std::nullopt);
  EXPECT_EQ(whole("d:10,-1", 0), "-3000");
  EXPECT_EQ(whole("d:10,1", 1), std::nullopt);
  EXPECT_EQ(whole("d:10,9", 2), "0");
  EXPECT_EQ(whole("d:38,0", 3), std::nullopt);
  EXPECT_EQ(whole("d:38,-38", 3), std::nullopt);
}

TEST(ColumnView, ReadsTextsOfEveryLayout) {
  const std::string bytes = "abcdé";
  const std::vector<std::int32_t> short_offsets = {0, 0, 3, 6};
  const std::vector<std::int64_t> long_offsets = {0, 0, 3, 6};
  const OneColumn narrow("u", 3, {nullptr, short_offsets.data(), bytes.data()});
  const OneColumn wide("U", 3, {nullptr, long_offsets.data(), bytes.data()});
  for (const OneColumn* column : {&narrow, &wide}) {
    EXPECT_EQ(column->view().text(0), "");
    EXPECT_EQ(column->view().text(1), "abc");
    EXPECT_EQ(column->view().text(2), "dé");
  }
  const std::string longer = "a text of more than twelve bytes";
  std::vector<char> views(32, 0);
  const auto put = [&](std::size_t place, std::int32_t value) {
    std::memcpy(&views[place], &value, 4);
  };
  put(0, 3);
  std::memcpy(&views[4], "abc", 3);
  put(16, 20);
  put(24, 0);
  put(28, 2);
  const OneColumn viewed("vu", 2, {nullptr, views.data(), longer.data()});
  EXPECT_EQ(viewed.view().text(0), "abc");
  EXPECT_EQ(viewed.view().text(1), longer.substr(2, 20));
}

TEST(ColumnView, SeesMissingValuesThroughOffsets) {
  const std::vector<std::int64_t> raw = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<std::uint8_t> validity = {0b10101101, 0b11};
  OneColumn column("l", 4, {validity.data(), raw.data()}, -1, 3);
  column.batch().offset = 2;  // the struct's own offset adds to its children's
  const ColumnView view = column.view();
  EXPECT_EQ(column.numbers(), (std::vector<double>{5, 6, 7, 8}));
  EXPECT_FALSE(view.is_missing(0));
  EXPECT_TRUE(view.is_missing(1));
  EXPECT_FALSE(view.is_missing(2));
  EXPECT_FALSE(view.is_missing(3));
}

TEST(ColumnView, ReadsBooleans) {
  const std::vector<std::uint8_t> bits = {0b0110};
  const OneColumn column("b", 4, {nullptr, bits.data()});
  EXPECT_EQ(column.numbers(), (std::vector<double>{0, 1, 1, 0}));
  EXPECT_EQ(column.view().integer_text(1), "true");
}

TEST(ColumnView, ReadsDictionariesAndTheirMissingValues) {
  const std::string bytes = "redblue";
  const std::vector<std::int32_t> offsets = {0, 3, 7, 7};
  const std::vector<std::uint8_t> validity = {0b011};
  OneColumn values("u", 3, {validity.data(), offsets.data(), bytes.data()}, 1);
  const std::vector<std::int8_t> indices = {1, 0, 2, 1};
  OneColumn column("c", 4, {nullptr, indices.data()});
  column.set_dictionary(values);
  const ColumnView view = column.view();
  EXPECT_EQ(view.type(), ColumnType::kText);
  EXPECT_EQ(view.text(0), "blue");
  EXPECT_EQ(view.text(1), "red");
  EXPECT_TRUE(view.is_missing(2));
}

TEST(ColumnView, RefusesADictionaryIndexOutside) {
  const std::string bytes = "red";
  const std::vector<std::int32_t> offsets = {0, 3};
  OneColumn values("u", 1, {nullptr, offsets.data(), bytes.data()});
  const std::vector<std::int8_t> indices = {1};
  OneColumn column("c", 1, {nullptr, indices.data()});
  column.set_dictionary(values);
  message_of(ErrorCode::kInvalidTable, [&] { (void)column.view().text(0); });
}

TEST(ColumnView, ANullColumnMissesEverything) {
  const OneColumn column("n", 3, {});
  EXPECT_TRUE(column.view().is_missing(1));
  EXPECT_EQ(column.numbers().size(), 3u);
}

TEST(ColumnView, KnowsWhatItDoesNotRead) {
  const auto type_of = [](const char* format) {
    ArrowSchema schema{};
    schema.format = format;
    return column_type(schema);
  };
  for (const char* format : {"+l", "z", "w:4", "ts"}) {
    EXPECT_EQ(type_of(format), ColumnType::kUnsupported) << format;
  }
  EXPECT_EQ(type_of("tDs"), ColumnType::kDuration);
  EXPECT_EQ(type_of("tts"), ColumnType::kTimeOfDay);
}

TEST(Table, ExportsWhatColumnViewsRead) {
  Table table;
  table.columns.push_back({"n", ColumnKind::kNumeric, std::vector<double>{1.5, 2.5}, {}});
  table.columns.push_back(
      {"i", ColumnKind::kInteger, std::vector<std::int64_t>{-3, 4}, {true, false}});
  table.columns.push_back({"b", ColumnKind::kBoolean, std::vector<std::int64_t>{1, 0}, {}});
  table.columns.push_back({"d", ColumnKind::kDate, std::vector<std::int64_t>{-7, 18262}, {}});
  table.columns.push_back({"t", ColumnKind::kDatetime, std::vector<std::int64_t>{-7, 8}, {}});
  table.columns.push_back({"c", ColumnKind::kCategorical, std::vector<std::string>{"", "two"}, {}});
  ArrowSchema schema;
  ArrowArray array;
  table.export_to_arrow(&schema, &array);
  const auto numbers = [&](std::size_t column) {
    std::vector<double> out(2);
    ColumnView(schema, array, column).copy_numbers(out.data());
    return out;
  };
  EXPECT_EQ(numbers(0), (std::vector<double>{1.5, 2.5}));
  EXPECT_TRUE(ColumnView(schema, array, 1).is_missing(0));
  EXPECT_FALSE(ColumnView(schema, array, 1).is_missing(1));
  EXPECT_EQ(numbers(2), (std::vector<double>{1, 0}));
  EXPECT_EQ(numbers(3), (std::vector<double>{-7, 18262}));
  EXPECT_EQ(numbers(4), (std::vector<double>{-7, 8}));
  EXPECT_EQ(ColumnView(schema, array, 5).text(0), "");
  EXPECT_EQ(ColumnView(schema, array, 5).text(1), "two");
  array.release(&array);
  schema.release(&schema);
}

}  // namespace column_view_test
}  // namespace mehler
