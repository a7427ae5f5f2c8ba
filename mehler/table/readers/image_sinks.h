#pragma once

#include <filesystem>
#include <memory>

#include "mehler/table/readers/table_sink.h"

namespace mehler {

/// IDX files: the images under the name, and beside it their labels, whole numbers from 0 to 255
/// (label_file_names). Compressed if the name ends in .gz.
///
/// Each needs a table with a column of images. Where a schema is given, throws
/// Error(kInvalidArgument) at once if its tables cannot be written so; else with the first rows.
std::unique_ptr<TableSink> make_idx_sink(const std::filesystem::path& path, const Schema* schema);

/// A .npy file of images, and beside it one of their labels; or an .npz file with an array for each
/// column, under its name. Other columns than images are numbers, booleans (as such) and texts.
std::unique_ptr<TableSink> make_npy_sink(const std::filesystem::path& path, const Schema* schema);
std::unique_ptr<TableSink> make_npz_sink(const std::filesystem::path& path, const Schema* schema);

/// A new folder of PNG images with a table of the other columns (image_folder.h).
std::unique_ptr<TableSink> make_image_folder_sink(const std::filesystem::path& path,
                                                  const Schema* schema);

}  // namespace mehler
