#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mehler/table/readers/byte_source.h"

namespace mehler {

/// A worksheet of an Excel workbook (.xlsx) as a plain CSV text: commas, decimal points, ISO 8601.
///
/// The first row that is not empty gives the number of columns; shorter rows are filled up with
/// empty fields, and empty rows are left out. Cells that show a date are dates, by their number
/// format. A formula, an error value and merged cells are Errors(kInvalidTable) that name the
/// cell's address, never its value: what they stand for is not certain. `sheet`: its name; the
/// first one otherwise. The rows 1 to `skipped_rows` are left out, whatever stands in them.
std::unique_ptr<ByteSource> open_workbook(const std::string& path,
                                          const std::optional<std::string>& sheet,
                                          std::size_t skipped_rows, const std::string& what);

}  // namespace mehler
