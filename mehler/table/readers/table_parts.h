#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/table/readers/table_reader.h"

namespace mehler {

/// The files behind `paths`, folders unfolded, with their formats. Throws Error(kFile) for what is
/// not there or not readable, Error(kInvalidTable) for empty files and folders, and
/// Error(kInvalidArgument) for a mixture of formats, a file given twice, or standard input beside
/// files.
std::vector<TablePart> resolve_parts(const std::vector<std::string>& paths,
                                     std::optional<TableFormat> format);

/// The format that a name's ending tells (.gz and .zst are looked through); empty if it tells none.
std::optional<TableFormat> format_by_ending(std::string_view path);

/// The format that a file's first kMagicBytes bytes tell; empty for CSV, which has no mark.
std::optional<TableFormat> format_by_content(std::string_view first_bytes);

/// Whether the bytes begin Arrow's file format, which needs a file; else it is the stream format.
bool is_arrow_file(std::string_view first_bytes);

/// Bytes that format_by_content needs to see.
inline constexpr std::size_t kMagicBytes = 8;

/// Whether a file is a workbook that is read: .xlsx.
bool is_workbook(const std::string& path, std::string_view first_bytes);

/// Throws Error(kInvalidTable), which says how to save it as CSV, for a workbook of another format
/// or another zip archive.
void refuse_workbook(const std::string& path, std::string_view first_bytes);

/// The name's last ending in small letters, with the dot; ".gz" and ".zst" are looked through.
std::string table_ending(std::string_view path);

/// "CSV", "Parquet", "a folder of images" and so on.
std::string_view format_words(TableFormat format);

}  // namespace mehler
