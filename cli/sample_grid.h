#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mehler/core/atomic_file.h"
#include "mehler/generator/generator.h"

namespace mehler {

/// Adds the option --grid, the same to every command that draws records; `description` follows what
/// is said of it everywhere.
void add_grid_option(CLI::App& command, std::string& path, const std::string& description = "");

/// A picture (PNG) of images to look at: ten of each class of the label, or a hundred where there
/// is no label or a condition is on it.
class SampleGrid {
 public:
  /// Opens the file that --grid names: a place that cannot be written is found now. Nothing is done
  /// if `path` is empty. Throws mehler::Error, also if the schema has no column of images and if
  /// the file is one that the command reads or writes otherwise.
  SampleGrid(const std::string& path, const Schema& schema, const std::vector<std::string>& inputs,
             const std::vector<std::string>& outputs);

  /// Draws the images and finishes the file. Returns a line that says so; empty if none was named.
  std::string draw(const RecordSampler& sampler, const SampleOptions& options, std::size_t threads);

 private:
  std::string path_;
  std::optional<AtomicFile> file_;
};

}  // namespace mehler
