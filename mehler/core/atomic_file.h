#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace mehler {

/// A file that appears whole or not at all: bytes go to a temporary name beside the target, and
/// commit() renames it. A destroyed AtomicFile that was not committed leaves nothing behind. What a
/// killed process left behind is removed by the next AtomicFile of the same target: the temporary
/// file is locked as long as its process lives.
///
/// Where the target exists and is not a regular file (a pipe, a device), bytes go straight to it.
/// Every failure throws Error(kFile) naming the target.
class AtomicFile {
 public:
  /// Opens the temporary file at once, so that an unwritable place is found before any work is
  /// done.
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);

  /// Writes over bytes that were written before, `place` bytes behind the first. Throws where the
  /// target is not a regular file: it has them already.
  void write_over(std::uint64_t place, std::string_view bytes);

  /// Flushes to the disk and gives the file its name.
  void commit();

  /// Removes the temporary files of all AtomicFiles that are not committed, for a program that must
  /// end at once without running destructors. Thread-safe; nothing can be committed afterwards.
  static void discard_all();

 private:
  void open_temporary();
  [[noreturn]] void fail(const std::string& what, int error_number) const;

  std::filesystem::path target_;
  std::filesystem::path temporary_path_;
  bool direct_ = false;
  int descriptor_ = -1;
};

/// The bytes of a file. Throws Error(kFile) if it cannot be read or is larger than `limit` bytes;
/// `what` names it in the message ("the schema").
std::string read_whole_file(const std::filesystem::path& path, std::string_view what,
                            std::size_t limit);

}  // namespace mehler
