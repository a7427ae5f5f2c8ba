#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/table/readers/table_reader.h"

namespace mehler {

/// A folder of the running test's own, removed with it.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  /// The path of a name in the folder.
  std::string path(const std::string& name) const;
  /// Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view bytes) const;

 private:
  std::string folder_;
};

std::string file_bytes(const std::string& path);

/// A whole table as text: missing values are empty optionals, numbers are written as fmt writes
/// them.
struct ReadTable {
  std::vector<std::string> names;
  std::vector<std::string> formats;  ///< Arrow's type strings
  std::vector<std::vector<std::optional<std::string>>> columns;
  std::size_t batches = 0;
  std::size_t largest_batch = 0;

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
  /// The cells of the column of that name.
  const std::vector<std::optional<std::string>>& column(const std::string& name) const;
};

ReadTable read_table(const std::vector<std::string>& paths, const TableReadOptions& options = {},
                     const Schema* schema = nullptr);

/// Reads the parts of a reader one after the other.
ReadTable read_all(const TableReader& reader);

/// Runs `work`, which must throw an Error of that code, and returns its message.
std::string error_of(ErrorCode code, const std::function<void()>& work);

/// A message holds every one of the texts.
void expect_mentions(const std::string& message, const std::vector<std::string>& texts);
void expect_hides(std::string message, const std::vector<std::string>& texts);

/// A column without bounds or categories, enough for reading.
Column column_of(const std::string& name, ColumnKind kind);

using Cells = std::vector<std::optional<std::string>>;

}  // namespace mehler
