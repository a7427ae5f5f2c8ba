#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "mehler/core/atomic_file.h"
#include "mehler/evaluation/images/image_samples.h"
#include "mehler/report/html_report.h"

namespace mehler {

/// --html FILE: the figures as a page to look at, in the place of those on the screen.
class HtmlOutput {
 public:
  void add_to(CLI::App& command);

  bool given() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  /// Opens the file, if there is one, before any work is done. `others` must not be overwritten.
  void open(const std::vector<std::string>& others);
  /// The page, whole. `who` says who may see it; nothing is printed if it is empty.
  void write(const std::string& page, const std::string& who);

 private:
  std::string path_;
  std::unique_ptr<AtomicFile> file_;
};

/// A command as it could be typed again: its options in their order, quoted where a shell needs it.
std::string command_words(const CLI::App& command);

/// Puts a picture of synthetic images onto a page; nothing where there are none.
void add_picture(const std::vector<ImageSamples>& samples, PageOrigin& origin);

}  // namespace mehler
