#pragma once

#include <string>
#include <vector>

namespace mehler {

/// The table of a folder of images: a column "file" with the name of an image, and further ones.
inline constexpr const char* kFolderTable = "labels.csv";
inline constexpr const char* kFileColumn = "file";

/// A folder of PNG images.
struct ImageFolder {
  std::vector<std::string> files;   ///< paths of the images, in the order of their names
  std::vector<std::string> labels;  ///< the names of their folders, one an image; else empty
  bool has_table = false;           ///< whether kFolderTable is there, and says what an image is
};

/// Whether a folder has PNG files, directly or in folders of it that are not named "key=value".
bool is_image_folder(const std::string& folder);

/// What lies in such a folder. Files whose names begin with '.' or '_' do not count. Throws
/// Error(kInvalidTable) if it holds anything else, both images and folders, or no image.
///
/// Privacy: names of files and folders are values of records; messages tell them by number.
ImageFolder list_image_folder(const std::string& folder, const std::string& what);

}  // namespace mehler
