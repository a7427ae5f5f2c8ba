// The headers of IDX and .npy files.

#include "mehler/table/readers/array_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr std::size_t kMostSizes = 8;

[[noreturn]] void refuse_array(const std::string& what, const std::string& complaint) {
  throw Error(ErrorCode::kInvalidTable, what + " " + complaint);
}

std::uint32_t read_big_endian(ByteSource& source, const std::string& what) {
  char bytes[4];
  if (source.read_fully(bytes) != sizeof(bytes)) {
    refuse_array(what, "ends within its header; copy or download it again");
  }
  std::uint32_t value = 0;
  for (const char byte : bytes) {
    value = (value << 8) | static_cast<std::uint8_t>(byte);
  }
  return value;
}

std::optional<ElementType> idx_type(std::uint32_t code) {
  switch (code) {
    case 0x08:
      return ElementType{'u', 1, true};
    case 0x09:
      return ElementType{'i', 1, true};
    case 0x0B:
      return ElementType{'i', 2, true};
    case 0x0C:
      return ElementType{'i', 4, true};
    case 0x0D:
      return ElementType{'f', 4, true};
    case 0x0E:
      return ElementType{'f', 8, true};
    default:
      return std::nullopt;
  }
}

/// The value of a key in the header of a .npy file, a Python dictionary that NumPy writes:
/// "{'descr': '|u1', 'fortran_order': False, 'shape': (10, 28, 28), }".
std::string_view value_of(std::string_view header, std::string_view key, const std::string& what) {
  const std::string quoted = fmt::format("'{}':", key);
  const std::size_t place = header.find(quoted);
  if (place == std::string_view::npos) {
    refuse_array(what, fmt::format("has a NumPy header without '{}'; write the array again", key));
  }
  std::string_view value = header.substr(place + quoted.size());
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return value;
}

std::optional<ElementType> npy_type(std::string_view text) {
  // "'<i8'": order, kind, bytes (of texts: characters).
  const std::size_t end = text.find('\'', 1);
  if (text.size() < 4 || text[0] != '\'' || end == std::string_view::npos || end < 4) {
    return std::nullopt;
  }
  const std::string_view digits = text.substr(3, end - 3);
  ElementType type{text[2], 0, text[1] == '>'};
  const auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), type.bytes);
  if (error != std::errc() || stop != digits.data() + digits.size() ||
      std::string_view("<>|=").find(text[1]) == std::string_view::npos) {
    return std::nullopt;
  }
  constexpr std::size_t kLongestText = 1000;
  switch (type.kind) {
    case 'u':
    case 'i':
      return type.bytes == 1 || type.bytes == 2 || type.bytes == 4 || type.bytes == 8
                 ? std::optional(type)
                 : std::nullopt;
    case 'f':
      return type.bytes == 4 || type.bytes == 8 ? std::optional(type) : std::nullopt;
    case 'b':
      return type.bytes == 1 ? std::optional(type) : std::nullopt;
    case 'U':
      if (type.bytes < 1 || type.bytes > kLongestText) {
        return std::nullopt;
      }
      type.bytes *= 4;
      return type;
    default:
      return std::nullopt;
  }
}

std::vector<std::uint64_t> npy_shape(std::string_view text, const std::string& what) {
  std::vector<std::uint64_t> shape;
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) {
    refuse_array(what, "has a NumPy header without a shape; write the array again");
  }
  std::string_view left = text.substr(1, end - 1);
  while (left.find_first_not_of(" ,") != std::string_view::npos) {
    left.remove_prefix(left.find_first_not_of(" ,"));
    std::uint64_t size = 0;
    const auto [stop, error] = std::from_chars(left.data(), left.data() + left.size(), size);
    if (error != std::errc() || shape.size() == kMostSizes) {
      refuse_array(what, "has a NumPy header with a shape that is none; write the array again");
    }
    shape.push_back(size);
    left.remove_prefix(static_cast<std::size_t>(stop - left.data()));
  }
  return shape;
}

}  // namespace

ArrayHeader read_idx_header(ByteSource& source, const std::string& what) {
  const std::uint32_t magic = read_big_endian(source, what);
  const std::optional<ElementType> type = idx_type((magic >> 8) & 0xff);
  const std::uint32_t sizes = magic & 0xff;
  if ((magic >> 16) != 0 || !type || sizes == 0 || sizes > kMostSizes) {
    // Not the number that is there: of a file of another format it is its content.
    refuse_array(what,
                 "does not begin as IDX files do; images begin with 0x00000803 and labels with "
                 "0x00000801: check that it is one, or name its format");
  }
  ArrayHeader header{*type, {}};
  for (std::uint32_t i = 0; i < sizes; ++i) {
    header.shape.push_back(read_big_endian(source, what));
  }
  return header;
}

ArrayHeader read_npy_header(ByteSource& source, const std::string& what) {
  char start[8];
  if (source.read_fully(start) != sizeof(start) ||
      !std::string_view(start, sizeof(start)).starts_with("\x93NUMPY")) {
    refuse_array(what,
                 "does not begin as NumPy's arrays do; check that it is one, or name its format");
  }
  const bool is_first_version = start[6] == 1;
  unsigned char length_bytes[4] = {};
  const std::size_t length_size = is_first_version ? 2 : 4;
  std::size_t length = 0;
  if (source.read_fully({reinterpret_cast<char*>(length_bytes), length_size}) == length_size) {
    for (std::size_t i = 0; i < length_size; ++i) {
      length |= std::size_t{length_bytes[i]} << (8 * i);
    }
  }
  constexpr std::size_t kLongestHeader = 1 << 16;
  std::string header(std::min(length, kLongestHeader), '\0');
  if (length == 0 || length > kLongestHeader || source.read_fully(header) != length) {
    refuse_array(what, "ends within its NumPy header; copy or download it again");
  }
  const std::optional<ElementType> type = npy_type(value_of(header, "descr", what));
  if (!type) {
    refuse_array(
        what,
        "holds elements of a type that is not read; images are uint8, and other columns whole "
        "or floating-point numbers, booleans or texts of up to 1000 characters");
  }
  ArrayHeader result{*type, npy_shape(value_of(header, "shape", what), what)};
  if (result.shape.empty()) {
    refuse_array(what,
                 "holds a single number and no array; write an array with one entry a record");
  }
  if (result.shape.size() > 1 && !value_of(header, "fortran_order", what).starts_with("False")) {
    refuse_array(
        what,
        "holds an array in Fortran's order; write it with numpy.ascontiguousarray, record by "
        "record");
  }
  return result;
}

std::string npy_header(std::string_view type, const std::vector<std::uint64_t>& shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}",
                                 type, fmt::join(shape, ", "));
  constexpr std::size_t kStartBytes = 10;
  MEHLER_ASSERT(text.size() < kNpyHeaderBytes - kStartBytes);
  text.append(kNpyHeaderBytes - kStartBytes - 1 - text.size(), ' ');
  const auto length = static_cast<char>(kNpyHeaderBytes - kStartBytes);
  return std::string("\x93NUMPY\x01\x00", 8) + length + '\0' + text + '\n';
}

}  // namespace mehler
