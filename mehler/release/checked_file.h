#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "mehler/core/atomic_file.h"

namespace mehler {

/// What a checked file holds.
enum class CheckedFileKind : std::uint32_t { kRelease = 1, kModel = 2, kCheckpoint = 3 };

/// The container of the project's own files: magic, kind, version, a JSON header, a binary payload
/// and a SHA-256 checksum over all of it. Layout: docs/format.md.
struct CheckedFile {
  std::string header;         ///< JSON text
  std::string payload;        ///< bytes
  std::uint32_t version = 0;  ///< of a file that was read
};

/// Appends the low `width` bytes of an integer, lowest first.
void append_little_endian(std::string& bytes, std::uint64_t value, int width);
/// Reads them back; offset + width must lie within the bytes.
std::uint64_t read_little_endian(std::string_view bytes, std::size_t offset, int width);

/// The bytes of a file.
std::string serialize_checked_file(CheckedFileKind kind, std::uint32_t version,
                                   const CheckedFile& content);

/// Takes a file's bytes apart. Every length is checked before it is used.
/// Throws Error(kInvalidRelease), naming `shown_name`, if the bytes are of another kind, of a
/// version above `newest_version`, cut short, too long, or altered.
CheckedFile parse_checked_file(std::string_view bytes, CheckedFileKind kind,
                               std::uint32_t newest_version, std::string_view shown_name);

}  // namespace mehler
