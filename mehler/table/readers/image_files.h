#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/table/readers/column_selection.h"
#include "mehler/table/readers/table_reader.h"
#include "mehler/table/record_stream.h"

namespace mehler {

/// The column names of formats that have none.
inline constexpr const char* kImageName = "image";
inline constexpr const char* kLabelName = "label";

/// The names that a file of labels has beside a file of images, the usual one first:
/// "train-labels-idx1-ubyte.gz" of "train-images-idx3-ubyte.gz", "y_train.npy" of "x_train.npy",
/// "digits-labels.npy" of "digits.npy". The first is the one that is written.
std::vector<std::string> label_file_names(const std::string& images);

/// The file of labels that lies beside a file of images; nothing if there is none.
std::optional<std::string> find_label_file(const std::string& images);

/// IDX files, plain or compressed: images, and labels where part.labels names them.
RecordStream open_idx(const TablePart& files, const PartContext& part);

/// A .npy file of images, with labels where part.labels names them; or the arrays of an .npz file,
/// each a column of its own name.
RecordStream open_numpy(const TablePart& files, const PartContext& part);

/// A folder of PNG images (image_folder.h).
RecordStream open_image_folder(const TablePart& files, const PartContext& part);

/// Whether a file is an array with one entry a record: labels, given beside images. False for what
/// cannot be read as the format.
bool holds_labels(const std::string& path, TableFormat format);

}  // namespace mehler
