#include <gtest/gtest.h>

#include <algorithm>

#include "mehler/table/readers/peeked_source.h"
#include "mehler/table/readers/quote_watched_source.h"
#include "mehler/table/readers/trimmed_source.h"

namespace mehler {
namespace csv_filters_test {

/// A text that comes in pieces of one size.
class TextSource : public ByteSource {
 public:
  TextSource(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}

  std::size_t read(std::span<char> out) override {
    const std::size_t count = std::min({piece_, out.size(), text_.size()});
    std::copy_n(text_.begin(), count, out.begin());
    text_.erase(0, count);
    return count;
  }

 private:
  std::string text_;
  std::size_t piece_;
};

std::string rest_of(ByteSource& source, std::size_t step) {
  std::string text;
  std::string buffer(step, '\0');
  while (const std::size_t count = source.read(buffer)) {
    text.append(buffer, 0, count);
  }
  return text;
}

TEST(SpaceTrimmer, PieceSizeMakesNoDifference) {
  const std::string text =
      " a , b\t,c d \r\n  \" in, \"\" quotes \" ,\t,  \"x\" y ,z \n , \"\" ,\"\n \" \n last ";
  const std::string trimmed = "a,b,c d\r\n\" in, \"\" quotes \",,\"x\" y,z\n,\"\",\"\n \"\nlast";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    for (const std::size_t step : {1, 3, 1000}) {
      TrimmedSource source(std::make_unique<TextSource>(text, piece), ',');
      EXPECT_EQ(rest_of(source, step), trimmed) << "pieces of " << piece << " bytes";
    }
  }
}

TEST(SpaceTrimmer, TabsThatDelimitAreKept) {
  TrimmedSource source(std::make_unique<TextSource>(" a \t\t b \n", 2), '\t');
  EXPECT_EQ(rest_of(source, 64), "a\t\tb\n");
}

TEST(SpaceTrimmer, LongRunsOfSpacesInsideAFieldAreKept) {
  const std::string gap(1'000'000, ' ');
  TrimmedSource source(std::make_unique<TextSource>(gap + "a" + gap + "b" + gap + "\n", 1 << 16),
                       ',');
  EXPECT_EQ(rest_of(source, 1 << 16), "a" + gap + "b\n");
}

TEST(PeekedSource, PeekingLosesNothing) {
  for (const std::size_t piece : {1, 2, 100}) {
    PeekedSource source(std::make_unique<TextSource>("0123456789", piece));
    EXPECT_EQ(source.peek(3), "012");
    EXPECT_EQ(source.peek(5), "01234");
    source.skip(2);
    EXPECT_EQ(source.peek(2), "23");
    EXPECT_EQ(source.peek(100), "23456789");
    EXPECT_EQ(rest_of(source, 3), "23456789");
    EXPECT_EQ(source.peek(1), "");
  }
}

/// The line of the quote that is still open at the end; 0 if none is.
std::size_t open_quote_line(const std::string& text, std::size_t piece) {
  QuoteWatch watch(',', 1);
  for (std::size_t place = 0; place < text.size(); place += piece) {
    watch.look_at(std::string_view(text).substr(place, piece));
  }
  return watch.is_open() ? watch.opening_line() : 0;
}

TEST(QuoteWatch, OnlyQuotesThatBeginAFieldOpen) {
  for (const std::size_t piece : {1, 2, 3, 100}) {
    EXPECT_EQ(open_quote_line("a,b\n", piece), 0U);
    EXPECT_EQ(open_quote_line("\"a\",\"b\"", piece), 0U);
    EXPECT_EQ(open_quote_line("\"a\"\"b\",\"\",\"\"\"\"\n", piece), 0U);
    EXPECT_EQ(open_quote_line("5\" disk,3\" disk\n12\"", piece), 0U);
    EXPECT_EQ(open_quote_line("\"a\"b\",c", piece), 0U);
    EXPECT_EQ(open_quote_line("\"a", piece), 1U);
    EXPECT_EQ(open_quote_line("\"a\"\"", piece), 1U);
    EXPECT_EQ(open_quote_line("a\n\"b\n\n\",\"\"\n\n\"c", piece), 6U);
    EXPECT_EQ(open_quote_line("a\r\n\"b\nc\"\"\nd", piece), 2U);
  }
}

}  // namespace csv_filters_test
}  // namespace mehler
