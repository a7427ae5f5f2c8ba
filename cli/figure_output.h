#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/atomic_file.h"

namespace mehler {

/// Where a kernel command puts its figures, and how they are written: text for people, JSON or CSV
/// for programs; on the screen or in a file.
class FigureOutput {
 public:
  enum class Style { kText, kJson, kCsv };

  /// Adds -o, and the options of the styles that the command has besides its first one.
  void add_to(CLI::App& command, bool has_json, bool has_csv);

  /// Opens the file, if there is one, before any work is done. `inputs` must not be overwritten.
  void open(const std::vector<std::string>& inputs = {});
  Style style() const { return json_ ? Style::kJson : csv_ ? Style::kCsv : Style::kText; }
  /// Whether the figures were asked for in a form or a place of their own.
  bool given() const { return json_ || csv_ || !path_.empty(); }
  const std::string& path() const { return path_; }
  /// The figures, whole.
  void write(std::string_view text);

 private:
  bool json_ = false;
  bool csv_ = false;
  std::string path_;
  std::unique_ptr<AtomicFile> file_;
};

/// Rows of cells as CSV, the first one the heading. Cells hold no comma, quote or line break.
std::string csv_text(const std::vector<std::vector<std::string>>& rows);

// The subcommands of 'mehler kernel' that have a file of their own.
void add_kernel_error_command(CLI::App& kernel);
void add_kernel_features_command(CLI::App& kernel);
void add_kernel_mmd_command(CLI::App& kernel);

}  // namespace mehler
