#include "mehler/table/readers/image_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mehler/core/error.h"
#include "mehler/core/lower_case.h"

namespace mehler {
namespace {

namespace fs = std::filesystem;

bool is_png(const fs::path& path) { return lower_case(path.extension().string()) == ".png"; }

/// The entries of a folder that count, in the order of their names.
std::vector<fs::directory_entry> entries_of(const fs::path& folder, const std::string& what) {
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.') && !name.starts_with('_')) {
      entries.push_back(*entry);
    }
  }
  if (error) {
    throw Error(ErrorCode::kFile, fmt::format("{} has a folder that cannot be read: {}; check that "
                                              "you may read it",
                                              what, error.message()));
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_folder(const fs::directory_entry& entry) {
  std::error_code ignored;
  return entry.is_directory(ignored);
}

void add_label_folder(const fs::directory_entry& folder, std::size_t number,
                      const std::string& what, ImageFolder& found) {
  for (const fs::directory_entry& entry : entries_of(folder.path(), what)) {
    if (is_folder(entry) || !is_png(entry.path())) {
      throw Error(ErrorCode::kInvalidTable,
                  fmt::format("{} has, in its folder number {} in the order of names, something "
                              "that is no PNG image; take it out, or convert it",
                              what, number));
    }
    found.files.push_back(entry.path().string());
    found.labels.push_back(folder.path().filename().string());
  }
}

}  // namespace

bool is_image_folder(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') || name.starts_with('_')) {
      continue;
    }
    if (!is_folder(*entry)) {
      if (is_png(entry->path())) {
        return true;
      }
      continue;
    }
    std::error_code inner_error;
    const fs::directory_iterator inner(entry->path(), inner_error);
    if (name.find('=') == std::string::npos && !inner_error &&
        std::any_of(begin(inner), end, [](const fs::directory_entry& file) {
          return !is_folder(file) && is_png(file.path());
        })) {
      return true;
    }
  }
  return false;
}

ImageFolder list_image_folder(const std::string& folder, const std::string& what) {
  const auto refuse = [&](const std::string& complaint) {
    throw Error(ErrorCode::kInvalidTable, what + " " + complaint);
  };
  ImageFolder found;
  std::size_t folders = 0;
  std::size_t files = 0;
  for (const fs::directory_entry& entry : entries_of(folder, what)) {
    if (is_folder(entry)) {
      add_label_folder(entry, ++folders, what, found);
    } else if (is_png(entry.path())) {
      found.files.push_back(entry.path().string());
      ++files;
    } else if (entry.path().filename() == kFolderTable) {
      found.has_table = true;
    } else {
      refuse(
          fmt::format("is a folder of images with a file in it that is neither a PNG image nor "
                      "{}; take it out, or convert it",
                      kFolderTable));
    }
  }
  if (folders > 0 && (files > 0 || found.has_table)) {
    refuse(
        fmt::format("is a folder with both images, or {}, and folders of images; labels are "
                    "either the names of folders or in that file: choose one",
                    kFolderTable));
  }
  if (found.files.empty()) {
    refuse("holds no images: no file in it, or in a folder of it, ends in .png");
  }
  return found;
}

}  // namespace mehler
