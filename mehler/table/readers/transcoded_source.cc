#include "mehler/table/readers/transcoded_source.h"

#include <fmt/format.h>
#include <iconv.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "mehler/core/error.h"
#include "mehler/table/readers/peeked_source.h"

namespace mehler {
namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";
constexpr std::string_view kLowFirstMark = "\xff\xfe";
constexpr std::string_view kHighFirstMark = "\xfe\xff";

const char* iconv_name(TextEncoding encoding) {
  switch (encoding) {
    case TextEncoding::kLatin1:
      return "ISO-8859-1";
    case TextEncoding::kWindows1252:
      return "WINDOWS-1252";
    case TextEncoding::kUtf16:
      return "UTF-16LE";
    case TextEncoding::kUtf8:
    case TextEncoding::kUtf8Bom:
      break;
  }
  return "UTF-8";
}

/// Takes the mark of UTF-16 into account: without one the low byte comes first.
const char* source_name(TextEncoding encoding, std::string_view first_bytes) {
  return encoding == TextEncoding::kUtf16 && first_bytes.starts_with(kHighFirstMark)
             ? "UTF-16BE"
             : iconv_name(encoding);
}

std::size_t mark_bytes(TextEncoding encoding, std::string_view first_bytes) {
  return encoding == TextEncoding::kUtf16 &&
                 (first_bytes.starts_with(kLowFirstMark) || first_bytes.starts_with(kHighFirstMark))
             ? 2
             : 0;
}

class TranscodedSource : public ByteSource {
 public:
  TranscodedSource(std::unique_ptr<PeekedSource> inner, TextEncoding encoding, std::string what)
      : inner_(std::move(inner)),
        encoding_(encoding),
        what_(std::move(what)),
        transcoder_(source_name(encoding, inner_->peek(2)), "UTF-8") {
    inner_->skip(mark_bytes(encoding, inner_->peek(2)));
  }

  std::size_t read(std::span<char> out) override {
    constexpr std::size_t kPieceBytes = 1 << 18;
    while (place_ == text_.size()) {
      piece_.resize(kPieceBytes);
      const std::size_t count = inner_->read(piece_);
      if (count == 0) {
        if (!transcoder_.may_end()) {
          refuse();
        }
        return 0;
      }
      line_ += static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '\n'));
      text_.clear();
      place_ = 0;
      if (!transcoder_.convert(std::string_view(piece_).substr(0, count), text_)) {
        refuse();
      }
    }
    const std::size_t count = std::min(out.size(), text_.size() - place_);
    std::memcpy(out.data(), text_.data() + place_, count);
    place_ += count;
    return count;
  }

 private:
  [[noreturn]] void refuse() const {
    const std::size_t line =
        line_ + static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '\n'));
    throw Error(ErrorCode::kInvalidTable,
                fmt::format("{} has bytes in line {} that the encoding {} does not have; name the "
                            "file's own encoding, in the schema's dialect or with option "
                            "'encoding', or convert the file to UTF-8",
                            what_, line, encoding_name(encoding_)));
  }

  std::unique_ptr<PeekedSource> inner_;
  TextEncoding encoding_;
  std::string what_;
  Transcoder transcoder_;
  std::string piece_;
  std::string text_;
  std::size_t place_ = 0;  ///< text_[place_ ..) has not been read
  std::size_t line_ = 1;   ///< of the text's first byte
};

}  // namespace

Transcoder::Transcoder(const char* from, const char* to) : descriptor_(iconv_open(to, from)) {
  // What iconv_open gives back for an error is no pointer that could be compared by name.
  if (reinterpret_cast<std::intptr_t>(descriptor_) == -1) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("this machine's C library does not know the encoding {}; convert the "
                            "file to UTF-8",
                            std::string_view(from) == "UTF-8" ? to : from));
  }
}

Transcoder::~Transcoder() { iconv_close(descriptor_); }

bool Transcoder::convert(std::string_view piece, std::string& out) {
  std::string whole;
  if (!rest_.empty()) {
    whole = rest_ + std::string(piece);
    piece = whole;
    rest_.clear();
  }
  const std::size_t before = out.size();
  out.resize(before + piece.size() * 4 + 16);  // no encoding here needs more
  char* in = const_cast<char*>(piece.data());  // iconv does not write there
  std::size_t in_left = piece.size();
  char* end = out.data() + before;
  std::size_t out_left = out.size() - before;
  const std::size_t result = iconv(descriptor_, &in, &in_left, &end, &out_left);
  const int error = result == static_cast<std::size_t>(-1) ? errno : 0;
  out.resize(out.size() - out_left);
  if (error == EINVAL) {
    rest_.assign(in, in_left);
    return true;
  }
  return error == 0;
}

bool needs_transcoding(TextEncoding encoding) {
  return encoding != TextEncoding::kUtf8 && encoding != TextEncoding::kUtf8Bom;
}

std::unique_ptr<Transcoder> transcoder_from_utf8(TextEncoding encoding) {
  return std::make_unique<Transcoder>("UTF-8", iconv_name(encoding));
}

std::unique_ptr<ByteSource> transcode(std::unique_ptr<ByteSource> source, TextEncoding encoding,
                                      const std::string& what) {
  return std::make_unique<TranscodedSource>(std::make_unique<PeekedSource>(std::move(source)),
                                            encoding, what);
}

std::string beginning_in_utf8(std::string_view bytes, TextEncoding encoding) {
  std::string text;
  if (needs_transcoding(encoding)) {
    Transcoder transcoder(source_name(encoding, bytes), "UTF-8");
    transcoder.convert(bytes.substr(mark_bytes(encoding, bytes)), text);
  } else {
    text = bytes.substr(bytes.starts_with(kUtf8Mark) ? kUtf8Mark.size() : 0);
  }
  return text;
}

std::optional<TextEncoding> encoding_by_mark(std::string_view first_bytes) {
  if (first_bytes.starts_with(kUtf8Mark)) {
    return TextEncoding::kUtf8Bom;
  }
  return first_bytes.starts_with(kLowFirstMark) || first_bytes.starts_with(kHighFirstMark)
             ? std::optional(TextEncoding::kUtf16)
             : std::nullopt;
}

}  // namespace mehler
