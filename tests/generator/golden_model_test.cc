// Model files of every version that was ever shipped stay readable. The files under tests/golden
// are never rewritten.

#include <gtest/gtest.h>

#include "mehler/core/atomic_file.h"
#include "mehler/generator/generator.h"
#include "mehler/release/checked_file.h"

namespace mehler {
namespace {

TEST(GoldenModel, Version1WithoutAKindIsANetwork) {
  // Of the golden release; two hidden layers of 4 and 3, two noise inputs.
  const std::string path = std::string(MEHLER_GOLDEN) + "/people-1.mehler";
  const CheckedFile old = parse_checked_file(read_whole_file(path, "the model", 1 << 20),
                                             CheckedFileKind::kModel, 1, path);
  ASSERT_EQ(old.header.find("\"model\""), std::string::npos);
  const std::unique_ptr<Generator> generator = Generator::from_file(path);
  EXPECT_EQ(generator->release().statement().budget.epsilon, 1.0);
  EXPECT_EQ(generator->release().schema().target(), "diagnosis");
  std::size_t rows = 0;
  generator->sample({.rows = 100, .seed = 1, .where = {{"diagnosis", "treat"}}}, Context{},
                    [&](const Table& table) { rows += table.rows(); });
  EXPECT_EQ(rows, 100u);
  // Every number of the network is kept; what is written now says its kind.
  constexpr std::size_t kReleaseBytes = 4112;
  const CheckedFile now =
      parse_checked_file(generator->to_bytes(), CheckedFileKind::kModel, Generator::kVersion, "m");
  EXPECT_EQ(now.payload.substr(generator->release().to_bytes().size()),
            old.payload.substr(kReleaseBytes));
  EXPECT_NE(now.header.find("\"model\":\"network\""), std::string::npos);
}

}  // namespace
}  // namespace mehler
