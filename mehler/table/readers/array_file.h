#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/table/readers/byte_source.h"
#include "mehler/table/readers/column_selection.h"
#include "mehler/table/readers/stream_export.h"

namespace mehler {

/// What the elements of an array are.
struct ElementType {
  char kind = 'u';        ///< u, i, f, b (bytes 0 and 1) or U (texts of UTF-32), as NumPy has it
  std::size_t bytes = 1;  ///< of one element; of a text 4 for each character
  bool is_big_endian = false;
};

/// What stands before the elements of an array in a file. Shapes have at least one size.
struct ArrayHeader {
  ElementType type;
  std::vector<std::uint64_t> shape;
};

/// Reads the header of an IDX file, or of a .npy file, and leaves the source at the first element.
/// Throw Error(kInvalidTable) with messages that begin with `what`.
ArrayHeader read_idx_header(ByteSource& source, const std::string& what);
ArrayHeader read_npy_header(ByteSource& source, const std::string& what);

/// The text that a .npy file begins with: always kNpyHeaderBytes bytes, so that it can be written
/// again once the number of elements is known.
inline constexpr std::size_t kNpyHeaderBytes = 128;
std::string npy_header(std::string_view type, const std::vector<std::uint64_t>& shape);

/// One array of a file, from its first element on, and what its column is called.
struct NamedArray {
  std::string name;
  ArrayHeader header;
  std::unique_ptr<ByteSource> elements;
};

/// Whether an array has one size, or a second one of 1, as some libraries write labels.
bool has_one_entry_a_record(const ArrayHeader& header);

/// Arrays as the columns of a table: at most one of bytes with 3 or 4 sizes (images, rows, columns,
/// perhaps channels), the others with one entry a record, all of the same first size. Those that
/// the schema does not use are not read. Throws Error(kInvalidTable).
std::unique_ptr<BatchSource> array_batches(std::vector<NamedArray> arrays, const PartContext& part);

}  // namespace mehler
