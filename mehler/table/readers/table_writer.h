#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "mehler/table/readers/table_reader.h"
#include "mehler/table/table.h"

namespace mehler {

/// Writes a table to a file, some rows at a time. The file appears under its name when finish()
/// returns, and not at all otherwise.
class TableWriter {
 public:
  /// The format is taken from the name's ending (.csv, .tsv, .parquet, .arrow, .feather, .ipc; of
  /// images also .npz, .npy, .idx, "ubyte" and "ubyte.gz", and "/" for a folder of PNG files)
  /// unless given. Labels of IDX and .npy files go to a second file beside them. Throws
  /// Error(kFile) at once if the place cannot be written, Error(kInvalidArgument) for an ending it
  /// does not know. With a schema, CSV is written in its dialect, so that reading the file with
  /// that schema gives the same values.
  explicit TableWriter(const std::filesystem::path& path,
                       std::optional<TableFormat> format = std::nullopt,
                       const Schema* schema = nullptr);
  TableWriter(const std::filesystem::path& path, const Schema& schema)
      : TableWriter(path, std::nullopt, &schema) {}
  ~TableWriter();
  TableWriter(TableWriter&&) noexcept;

  /// Appends rows; every call has the same columns.
  void write(const Table& rows);

  /// Completes the file and gives it its name.
  void finish();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace mehler
