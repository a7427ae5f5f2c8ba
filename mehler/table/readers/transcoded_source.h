#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mehler/table/dialect.h"
#include "mehler/table/readers/byte_source.h"

namespace mehler {

/// Turns text of one encoding into another, in pieces of any size: iconv(3).
class Transcoder {
 public:
  /// Names as iconv knows them. Throws Error(kInvalidArgument) if this machine's iconv does not.
  Transcoder(const char* from, const char* to);
  ~Transcoder();
  Transcoder(const Transcoder&) = delete;
  Transcoder& operator=(const Transcoder&) = delete;

  /// Appends the next piece to `out`, up to the first bytes that the encoding does not have; false
  /// if there are such.
  bool convert(std::string_view piece, std::string& out);

  /// Whether the text may end here, that is, not within a character.
  bool may_end() const { return rest_.empty(); }

 private:
  void* descriptor_;
  std::string rest_;  ///< the first bytes of a character whose others are in the next piece
};

/// Whether a text is written in bytes other than UTF-8's.
bool needs_transcoding(TextEncoding encoding);

/// Makes text in UTF-8 what the encoding writes.
std::unique_ptr<Transcoder> transcoder_from_utf8(TextEncoding encoding);

/// The text in UTF-8, a byte order mark of UTF-16 dropped. Bytes that the encoding does not have
/// are an Error(kInvalidTable), which begins with `what` and names the line.
std::unique_ptr<ByteSource> transcode(std::unique_ptr<ByteSource> source, TextEncoding encoding,
                                      const std::string& what);

/// The beginning of a text in UTF-8, as far as it can be read.
std::string beginning_in_utf8(std::string_view bytes, TextEncoding encoding);

/// The encoding that a byte order mark tells; empty without a mark.
std::optional<TextEncoding> encoding_by_mark(std::string_view first_bytes);

}  // namespace mehler
