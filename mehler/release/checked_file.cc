#include "mehler/release/checked_file.h"

#include <fmt/format.h>

#include "mehler/core/error.h"
#include "mehler/core/sha256.h"

namespace mehler {
namespace {

// Begins with a byte that no text has, ends with a line feed that a text-mode transfer would
// change.
constexpr std::string_view kMagic = "\x89MEHLER\n";
constexpr std::size_t kPrefixBytes = 32;
constexpr std::size_t kChecksumBytes = 32;

std::size_t padding_after(std::uint64_t header_bytes) {
  return static_cast<std::size_t>((8 - header_bytes % 8) % 8);
}

struct KindWords {
  std::string_view name;
  std::string_view if_other;    ///< what to do with a file of another kind
  std::string_view if_damaged;  ///< what to do with a file that was cut or altered
};

KindWords words_of(CheckedFileKind kind) {
  constexpr std::string_view kCopyAgain = "copy it again from its source";
  switch (kind) {
    case CheckedFileKind::kRelease:
      return {"release", "give a file that a release was written to", kCopyAgain};
    case CheckedFileKind::kModel:
      return {"model", "give a file that a model was written to", kCopyAgain};
    case CheckedFileKind::kCheckpoint:
      // It has no source: a training writes it for itself.
      return {"checkpoint", "move it away and train again without option 'resume'",
              "delete it and train again without option 'resume'"};
  }
  return {"file", "give a file that mehler wrote", kCopyAgain};
}

}  // namespace

void append_little_endian(std::string& bytes, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) {
    bytes.push_back(static_cast<char>((value >> (8 * i)) & 0xFF));
  }
}

std::uint64_t read_little_endian(std::string_view bytes, std::size_t offset, int width) {
  std::uint64_t value = 0;
  for (int i = 0; i < width; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[offset + i])) << (8 * i);
  }
  return value;
}

std::string serialize_checked_file(CheckedFileKind kind, std::uint32_t version,
                                   const CheckedFile& content) {
  std::string bytes(kMagic);
  append_little_endian(bytes, static_cast<std::uint32_t>(kind), 4);
  append_little_endian(bytes, version, 4);
  append_little_endian(bytes, content.header.size(), 8);
  append_little_endian(bytes, content.payload.size(), 8);
  bytes += content.header;
  bytes.append(padding_after(content.header.size()), '\0');
  bytes += content.payload;
  bytes += sha256(bytes);
  return bytes;
}

CheckedFile parse_checked_file(std::string_view bytes, CheckedFileKind kind,
                               std::uint32_t newest_version, std::string_view shown_name) {
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::kInvalidRelease, fmt::format("'{}' {}", shown_name, what));
  };
  const KindWords words = words_of(kind);
  if (!bytes.starts_with(kMagic.substr(0, std::min(bytes.size(), kMagic.size()))) ||
      bytes.empty()) {
    fail(fmt::format("is not a mehler {}; {}", words.name,
                     bytes.empty() ? words.if_damaged : words.if_other));
  }
  if (bytes.size() < kPrefixBytes + kChecksumBytes) {
    fail(fmt::format("is cut short: a {} has more than {} bytes; {}", words.name, bytes.size(),
                     words.if_damaged));
  }
  if (read_little_endian(bytes, 8, 4) != static_cast<std::uint32_t>(kind)) {
    fail(fmt::format("is a file of this program, but not a {}; {}", words.name, words.if_other));
  }
  const std::uint64_t version = read_little_endian(bytes, 12, 4);
  if (version < 1 || version > newest_version) {
    fail(fmt::format(
        "has format version {}, but this program reads versions 1 to {}; use a newer mehler",
        version, newest_version));
  }
  const std::uint64_t header_bytes = read_little_endian(bytes, 16, 8);
  const std::uint64_t payload_bytes = read_little_endian(bytes, 24, 8);
  const std::uint64_t available = bytes.size() - kPrefixBytes - kChecksumBytes;
  if (header_bytes > available || payload_bytes > available ||
      header_bytes + padding_after(header_bytes) + payload_bytes != available) {
    fail(
        fmt::format("is cut short or has bytes too many: its lengths do not add up to its size; {}",
                    words.if_damaged));
  }
  const std::size_t padding = padding_after(header_bytes);
  if (bytes.substr(kPrefixBytes + static_cast<std::size_t>(header_bytes), padding) !=
      std::string(padding, '\0')) {
    fail(fmt::format("has bytes that are not zero between its parts; {}", words.if_damaged));
  }
  const std::size_t checked = bytes.size() - kChecksumBytes;
  if (sha256(bytes.substr(0, checked)) != bytes.substr(checked)) {
    fail(fmt::format("has been altered or damaged: its checksum does not match; {}",
                     words.if_damaged));
  }
  const std::size_t payload_start =
      kPrefixBytes + static_cast<std::size_t>(header_bytes) + padding_after(header_bytes);
  return {std::string(bytes.substr(kPrefixBytes, static_cast<std::size_t>(header_bytes))),
          std::string(bytes.substr(payload_start, static_cast<std::size_t>(payload_bytes))),
          static_cast<std::uint32_t>(version)};
}

}  // namespace mehler
