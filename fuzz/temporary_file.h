#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace mehler {

/// A file of this process with an ending, which goes when the object goes.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view ending)
      : path_((std::filesystem::temp_directory_path() /
               ("mehler-fuzz-" + std::to_string(getpid()) + std::string(ending)))
                  .string()) {}
  ~TemporaryFile() { std::filesystem::remove(path_); }

  const std::string& path() const { return path_; }
  void write(std::string_view bytes) const {
    std::ofstream(path_, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::string path_;
};

}  // namespace mehler
