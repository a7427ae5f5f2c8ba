#include "mehler/core/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// What a user can do about a failed system call.
std::string remedy(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space or choose another place";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a place you may write to";
    case ENOENT:
    case ENOTDIR:
      return "make the folder first or choose another place";
    case EISDIR:
      return "give the name of a file, not of a folder";
    default:
      return "choose another place";
  }
}

/// The temporary files that exist now.
class OpenFiles {
 public:
  static OpenFiles& instance() {
    static OpenFiles files;
    return files;
  }

  void add(const std::string& path) {
    const std::lock_guard lock(mutex_);
    paths_.insert(path);
  }

  void remove(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (paths_.erase(path) > 0) {
      ::unlink(path.c_str());
    }
  }

  /// False, with errno set, if it failed.
  bool rename(const std::string& from, const std::string& to) {
    const std::lock_guard lock(mutex_);
    if (::rename(from.c_str(), to.c_str()) != 0) {
      return false;
    }
    paths_.erase(from);
    return true;
  }

  void remove_all() {
    const std::lock_guard lock(mutex_);
    for (const std::string& path : paths_) {
      ::unlink(path.c_str());
    }
    paths_.clear();
  }

 private:
  std::mutex mutex_;
  std::set<std::string> paths_;
};

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) {
      ::close(value_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }

 private:
  int value_;
};

/// How the names of a target's temporary files begin.
std::string temporary_prefix(const std::filesystem::path& target) {
  return fmt::format(".{}.partial-", target.filename().string());
}

/// Removes the temporary files of a target whose processes have ended without doing so.
void remove_abandoned(const std::filesystem::path& target) {
  constexpr std::size_t kRandomLetters = 6;
  const std::string prefix = temporary_prefix(target);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix) || name.size() != prefix.size() + kRandomLetters) {
      continue;
    }
    const Descriptor file(
        ::open(entry->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat facts {};
    if (file.value() >= 0 && ::fstat(file.value(), &facts) == 0 && S_ISREG(facts.st_mode) &&
        ::flock(file.value(), LOCK_EX | LOCK_NB) == 0) {
      ::unlink(entry->path().c_str());
    }
  }
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& target) : target_(target) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(target, ignored);
  if (std::filesystem::is_directory(status)) {
    fail("cannot be written", EISDIR);
  }
  direct_ = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  if (direct_) {
    temporary_path_ = target_;
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      fail("cannot be opened for writing", errno);
    }
    return;
  }
  // A symbolic link keeps pointing where it did: the file behind it is replaced, not the link.
  constexpr int kMostLinks = 40;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(target_, ignored); ++i) {
    target_ = target_.parent_path() / std::filesystem::read_symlink(target_, ignored);
  }
  if (std::filesystem::exists(status) && ::access(target_.c_str(), W_OK) != 0) {
    fail("cannot be overwritten", errno);
  }
  remove_abandoned(target_);
  open_temporary();
}

void AtomicFile::open_temporary() {
  std::string pattern;
  struct stat facts {};
  do {  // again if another process took the file for an abandoned one before it was locked
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
    pattern = (target_.parent_path() / (temporary_prefix(target_) + "XXXXXX")).string();
    descriptor_ = ::mkostemp(pattern.data(), O_CLOEXEC);
    if (descriptor_ < 0) {
      fail("cannot be written", errno);
    }
    ::flock(descriptor_, LOCK_EX);  // where it fails, nobody can lock the file, nor remove it
  } while (::fstat(descriptor_, &facts) == 0 && facts.st_nlink == 0);
  temporary_path_ = pattern;
  OpenFiles::instance().add(pattern);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
  if (!direct_ && !temporary_path_.empty()) {
    OpenFiles::instance().remove(temporary_path_);
  }
}

void AtomicFile::discard_all() { OpenFiles::instance().remove_all(); }

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      fail("could not be written completely, so nothing was kept", errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::write_over(std::uint64_t place, std::string_view bytes) {
  if (direct_) {
    fail("cannot be written in this format, whose beginning is known at the end", ESPIPE);
  }
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (written < 0 && errno != EINTR) {
      fail("could not be written completely, so nothing was kept", errno);
    }
    const auto count = static_cast<std::size_t>(std::max<ssize_t>(written, 0));
    bytes.remove_prefix(count);
    place += count;
  }
}

void AtomicFile::commit() {
  if (!direct_) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(descriptor_, 0666 & ~mask) != 0 || ::fsync(descriptor_) != 0) {
      fail("could not be written completely, so nothing was kept", errno);
    }
  }
  // The lock holds until the file has its name: it belongs to what both descriptors share.
  const Descriptor lock(direct_ ? -1 : ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0));
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) {
    fail("could not be written completely, so nothing was kept", errno);
  }
  if (!direct_) {
    if (!OpenFiles::instance().rename(temporary_path_, target_)) {
      fail("cannot be written", errno);
    }
    temporary_path_.clear();
  }
}

void AtomicFile::fail(const std::string& what, int error_number) const {
  throw Error(ErrorCode::kFile, fmt::format("the output '{}' {}: {}; {}", target_.string(), what,
                                            std::strerror(error_number), remedy(error_number)));
}

std::string read_whole_file(const std::filesystem::path& path, std::string_view what,
                            std::size_t limit) {
  const auto fail = [&](const std::string& reason) {
    throw Error(ErrorCode::kFile, fmt::format("{} '{}' cannot be read: {}; check the name and "
                                              "that you may read it",
                                              what, path.string(), reason));
  };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (file.value() < 0 || ::fstat(file.value(), &facts) != 0) {
    fail(std::strerror(errno));
  }
  if (S_ISDIR(facts.st_mode)) {
    fail("it is a folder");
  }
  std::string bytes;
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(file.value(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      fail(std::strerror(errno));
    }
    if (count == 0) {
      return bytes;
    }
    bytes.append(buffer, static_cast<std::size_t>(count));
    if (bytes.size() > limit) {
      throw Error(ErrorCode::kFile, fmt::format("{} '{}' is larger than {} bytes, the most that is "
                                                "accepted; check that it is the right file",
                                                what, path.string(), limit));
    }
  }
}

}  // namespace mehler
