#include "mehler/core/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/errors.h"

namespace mehler {
namespace atomic_file_test {

namespace fs = std::filesystem;

class AtomicFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("atomic_file_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(AtomicFileTest, AppearsOnlyWhenCommitted) {
  AtomicFile file(folder_ / "out");
  file.write("hello");
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  file.commit();
  EXPECT_EQ(read_whole_file(folder_ / "out", "the output", 100), "hello");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, LeavesNothingBehindWhenAbandoned) {
  {
    AtomicFile file(folder_ / "out");
    file.write("half");
    EXPECT_EQ(files(), 1u);
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFileTest, KeepsTheOldContentWhenAbandoned) {
  {
    AtomicFile file(folder_ / "out");
    file.write("old");
    file.commit();
  }
  {
    AtomicFile file(folder_ / "out");
    file.write("new");
  }
  EXPECT_EQ(read_whole_file(folder_ / "out", "the output", 100), "old");
}

TEST_F(AtomicFileTest, WritesThroughASymbolicLink) {
  fs::create_symlink(folder_ / "real", folder_ / "link");
  AtomicFile file(folder_ / "link");
  file.write("text");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_whole_file(folder_ / "real", "the output", 100), "text");
}

TEST_F(AtomicFileTest, RefusesAMissingFolderAtOnce) {
  const std::string message =
      message_of(ErrorCode::kFile, [&] { AtomicFile file(folder_ / "no" / "out"); });
  expect_mentions(message, {"no/out", "make the folder"});
}

TEST_F(AtomicFileTest, RefusesAFolderAsATarget) {
  expect_mentions(message_of(ErrorCode::kFile, [&] { AtomicFile file(folder_); }),
                  {"not of a folder"});
}

TEST_F(AtomicFileTest, ReportsAFullDiskAndKeepsTheDevice) {
  const std::string message = message_of(ErrorCode::kFile, [] {
    AtomicFile file("/dev/full");
    file.write("text");
    file.commit();
  });
  expect_mentions(message, {"/dev/full", "free some space"});
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(AtomicFileTest, ReadingRefusesWhatIsTooLargeAbsentOrAFolder) {
  AtomicFile file(folder_ / "out");
  file.write("hello");
  file.commit();
  expect_mentions(
      message_of(ErrorCode::kFile, [&] { read_whole_file(folder_ / "out", "the schema", 4); }),
      {"the schema", "larger than 4 bytes"});
  message_of(ErrorCode::kFile, [&] { read_whole_file(folder_ / "none", "the schema", 4); });
  message_of(ErrorCode::kFile, [&] { read_whole_file(folder_, "the schema", 4); });
}

TEST_F(AtomicFileTest, RemovesWhatAKilledProcessLeftBehind) {
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(folder_ / "out");
    file.write("half");
    ::_exit(0);  // without destructors, as a kill ends it
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(files(), 1u);
  const AtomicFile other(folder_ / "another");
  EXPECT_EQ(files(), 2u);  // only files of the same output
  AtomicFile file(folder_ / "out");
  EXPECT_EQ(files(), 2u);
  file.commit();
  EXPECT_TRUE(fs::exists(folder_ / "out"));
}

TEST_F(AtomicFileTest, WritesOverWhatWasWrittenAndGoesOnAtTheEnd) {
  AtomicFile file(folder_ / "out");
  file.write("....hello");
  file.write_over(1, "ab");
  file.write(", you");
  file.commit();
  EXPECT_EQ(read_whole_file(folder_ / "out", "the output", 100), ".ab.hello, you");
}

TEST_F(AtomicFileTest, CannotWriteOverWhatADeviceHasAlready) {
  AtomicFile file("/dev/null");
  file.write("hello");
  expect_mentions(message_of(ErrorCode::kFile, [&] { file.write_over(0, "H"); }),
                  {"/dev/null", "beginning"});
}

TEST_F(AtomicFileTest, KeepsTheFilesOfLivingProcessesAndOfOthersNames) {
  AtomicFile first(folder_ / "out");
  first.write("first");
  for (const char* name : {".out.partial-x", ".out.partial-abcdefg", "out.partial-abcdef"}) {
    AtomicFile file(folder_ / name);
    file.commit();
  }
  AtomicFile second(folder_ / "out");
  second.write("second");
  EXPECT_EQ(files(), 5u);
  first.commit();
  EXPECT_EQ(read_whole_file(folder_ / "out", "the output", 100), "first");
  second.commit();
  EXPECT_EQ(read_whole_file(folder_ / "out", "the output", 100), "second");
}

}  // namespace atomic_file_test
}  // namespace mehler
