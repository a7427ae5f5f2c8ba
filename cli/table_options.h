#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mehler/table/readers/table_reader.h"

namespace mehler {

/// The command-line options that say where a table is and how it is written down; shared by every
/// command that reads one.
class TableOptions {
 public:
  /// Adds the positional TABLE and the options. `required`: whether TABLE must be given.
  void add_to(CLI::App& command, bool required);
  /// Adds the options alone, for a command that names its tables itself.
  void add_reading_to(CLI::App& command);

  bool has_no_header() const { return no_header_; }
  const std::vector<std::string>& paths() const { return paths_; }
  bool given() const { return !paths_.empty(); }
  /// Opens the table. Throws mehler::Error.
  TableReader open(std::size_t threads, const Schema* schema) const {
    return open(paths_, threads, schema);
  }
  /// The same with a schema; the first column of a CSV that is not of its declared kind is noted.
  TableReader open_noting_misfit(std::size_t threads, const Schema& schema,
                                 std::shared_ptr<std::string> misfit) const;
  /// The options as the readers take them. Throws mehler::Error.
  TableReadOptions parse(std::size_t threads) const;
  /// Opens another table that is written down alike.
  TableReader open(const std::vector<std::string>& paths, std::size_t threads,
                   const Schema* schema) const;
  /// Opens tables that one command reads, each with what the options have to do with it. Throws
  /// mehler::Error for an option of CSV if none of them is CSV.
  std::vector<TableReader> open_several(
      const std::vector<std::pair<std::string, OptionsFor>>& tables, std::size_t threads,
      const Schema* schema) const;

 private:
  std::vector<std::string> paths_;
  std::string format_;
  std::string delimiter_;
  bool no_header_ = false;
  std::vector<std::string> column_names_;
  std::vector<std::string> null_spellings_;
  bool trim_spaces_ = false;
  std::string skip_lines_;
  std::string decimal_;
  std::string thousands_;
  std::string encoding_;
  std::string sheet_;
};

/// Throws mehler::Error if an output is one of the files that are read: it would be overwritten.
void require_other_file(const std::filesystem::path& output,
                        const std::vector<std::string>& inputs);

/// --threads: the number given, else what the machine has.
std::size_t threads_or_all(const std::string& given);

}  // namespace mehler
