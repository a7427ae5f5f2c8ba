#include "mehler/table/readers/file_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "mehler/core/error.h"

namespace mehler {
namespace {

[[noreturn]] void fail(const std::string& path, int error_number) {
  throw Error(ErrorCode::kFile,
              fmt::format("{} cannot be read: {}; check the name and that you may read it",
                          describe_table(path), std::strerror(error_number)));
}

class FileSource : public ByteSource {
 public:
  FileSource(const std::string& path, std::shared_ptr<ReadProgress> progress)
      : path_(path), progress_(std::move(progress)) {
    if (path == "-") {
      return;
    }
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      fail(path_, errno);
    }
    struct stat facts {};
    if (::fstat(descriptor_, &facts) == 0 && S_ISDIR(facts.st_mode)) {
      ::close(descriptor_);
      fail(path_, EISDIR);
    }
  }

  ~FileSource() override {
    if (descriptor_ != STDIN_FILENO) {
      ::close(descriptor_);
    }
  }

  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(std::span<char> out) override {
    while (true) {
      const ssize_t count = ::read(descriptor_, out.data(), out.size());
      if (count >= 0) {
        if (progress_ != nullptr) {
          progress_->add_done(static_cast<std::uint64_t>(count));
        }
        return static_cast<std::size_t>(count);
      }
      if (errno != EINTR) {
        fail(path_, errno);
      }
    }
  }

 private:
  std::string path_;
  std::shared_ptr<ReadProgress> progress_;
  int descriptor_ = STDIN_FILENO;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path,
                                      std::shared_ptr<ReadProgress> progress) {
  return std::make_unique<FileSource>(path, std::move(progress));
}

std::string describe_table(const std::string& path) {
  return path == "-" ? "the table on standard input" : fmt::format("the table '{}'", path);
}

}  // namespace mehler
