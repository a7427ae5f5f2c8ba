#include "mehler/report/page_text.h"

#include <gtest/gtest.h>

#include "mehler/report/page.h"

namespace mehler {
namespace page_text_test {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(JsonInHtml, CannotEndItsElement) {
  const Json json{{"</script><script>alert(1)</script>", "<!--<script>&amp;\u2028"}};
  const std::string text = json_in_html(json);
  EXPECT_EQ(text.find_first_of("<>&"), std::string::npos) << text;
  EXPECT_EQ(Json::parse(text), json);
}

TEST(JsonInHtml, IsAscii) {
  const Json json{{"name", "Stra\u00dfe \U0001F600"}};
  const std::string text = json_in_html(json);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c > 0; }));
  EXPECT_EQ(Json::parse(text), json);
}

TEST(JsonInHtml, TakesTextsThatAreNotUtf8) {
  EXPECT_EQ(json_in_html(Json("a\xff\xfe b")), "\"a b\"");
}

TEST(PageOf, HoldsItsFiguresOnce) {
  const std::string page = page_of(Json{{"title", "FIGURES</script>"}});
  EXPECT_EQ(count_of(page, "{\"title\":\"FIGURES\\u003c/script\\u003e\"}"), 1u);
  EXPECT_EQ(count_of(page, "</script>"), 2u);
}

TEST(PageOf, RunsItsOwnScriptAlone) {
  const std::string page(kPage);
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_EQ(page.find("unsafe"), std::string::npos);
  EXPECT_EQ(page.find("sha256-SCRIPT"), std::string::npos);
  EXPECT_EQ(page.find("innerHTML"), std::string::npos);
  EXPECT_EQ(page.find("://"), std::string::npos) << "the page refers to something outside";
}

TEST(Base64, IsThatOfRfc4648) {
  EXPECT_EQ(base64_of(""), "");
  EXPECT_EQ(base64_of("f"), "Zg==");
  EXPECT_EQ(base64_of("fo"), "Zm8=");
  EXPECT_EQ(base64_of("foo"), "Zm9v");
  EXPECT_EQ(base64_of("foob"), "Zm9vYg==");
  EXPECT_EQ(base64_of("\xff\xfe\xfd"), "//79");
}

}  // namespace page_text_test
}  // namespace mehler
