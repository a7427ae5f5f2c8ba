#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "mehler/table/schema.h"
#include "mehler/table/table.h"

namespace mehler {

/// Throws Error(kInvalidArgument): the output, and the complaint.
[[noreturn]] void refuse_output(const std::filesystem::path& path, const std::string& complaint);

/// Appends the bytes of a number, as the formats have them: the lowest first.
template <typename Number>
void append_number(Number number, std::string& out) {
  static_assert(std::endian::native == std::endian::little);
  out.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

/// Throws Error(kInvalidArgument) unless the tables of a schema can be arrays: they have images,
/// and other columns are numbers, booleans and texts of which none is missing.
void require_arrays(const std::filesystem::path& path, const Schema& schema);

/// The columns of a table that has images.
struct ImageTable {
  const ImageValues* images = nullptr;
  std::string name;  ///< of their column
  std::vector<const TableColumn*> others;
};

/// Throws Error(kInvalidArgument) if the table has no images.
ImageTable image_table(const std::filesystem::path& path, const Table& rows);

/// The sizes of an array of so many images.
std::vector<std::uint64_t> array_shape(const ImageShape& shape, std::uint64_t images);

/// The values of a column that is not of images as they come, until the number of rows is known.
class GrowingArray {
 public:
  void add(const TableColumn& column);

  /// The whole .npy file.
  std::string file(std::uint64_t rows) const;

 private:
  std::string type_;
  std::string elements_;
  std::vector<std::string> texts_;
};

}  // namespace mehler
