#include "mehler/table/readers/arrow_input.h"

#include <arrow/buffer.h>
#include <arrow/io/compressed.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/util/compression.h>
#include <fmt/format.h>

#include "mehler/table/readers/arrow_errors.h"
#include "mehler/table/readers/peeked_source.h"

namespace mehler {
namespace {

class SourceInput : public arrow::io::InputStream {
 public:
  explicit SourceInput(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }

  arrow::Result<int64_t> Read(int64_t nbytes, void* out) override {
    try {
      const std::size_t count =
          source_->read_fully({static_cast<char*>(out), static_cast<std::size_t>(nbytes)});
      position_ += static_cast<int64_t>(count);
      return static_cast<int64_t>(count);
    } catch (const Error& error) {
      return status_of(error);
    } catch (const std::bad_alloc&) {
      return arrow::Status::OutOfMemory("reading");
    } catch (const std::exception&) {
      return arrow::Status::IOError("reading");
    }
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t nbytes) override {
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::ResizableBuffer> buffer,
                          arrow::AllocateResizableBuffer(nbytes));
    ARROW_ASSIGN_OR_RAISE(const int64_t count, Read(nbytes, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(count, /*shrink_to_fit=*/false));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 private:
  std::unique_ptr<ByteSource> source_;
  int64_t position_ = 0;
  bool closed_ = false;
};

class DecompressedSource : public ByteSource {
 public:
  DecompressedSource(std::unique_ptr<ByteSource> compressed, arrow::Compression::type kind,
                     const std::string& what)
      : message_(
            fmt::format("{} is compressed, and its compressed bytes are damaged or end too early; "
                        "copy or download the file again",
                        what)) {
    auto codec = arrow::util::Codec::Create(kind);
    require_ok(codec.status(), message_);
    codec_ = std::move(codec).ValueUnsafe();
    auto stream =
        arrow::io::CompressedInputStream::Make(codec_.get(), as_arrow_input(std::move(compressed)));
    require_ok(stream.status(), message_);
    stream_ = std::move(stream).ValueUnsafe();
  }

  std::size_t read(std::span<char> out) override {
    const arrow::Result<int64_t> count =
        stream_->Read(static_cast<int64_t>(out.size()), out.data());
    require_ok(count.status(), message_);
    return static_cast<std::size_t>(*count);
  }

 private:
  std::string message_;
  std::unique_ptr<arrow::util::Codec> codec_;
  std::shared_ptr<arrow::io::InputStream> stream_;
};

}  // namespace

std::shared_ptr<arrow::io::InputStream> as_arrow_input(std::unique_ptr<ByteSource> source) {
  return std::make_shared<SourceInput>(std::move(source));
}

std::unique_ptr<ByteSource> decompress(std::unique_ptr<ByteSource> source,
                                       const std::string& what) {
  auto peeked = std::make_unique<PeekedSource>(std::move(source));
  const std::string_view start = peeked->peek(4);
  if (start.starts_with("\x1f\x8b")) {
    return std::make_unique<DecompressedSource>(std::move(peeked), arrow::Compression::GZIP, what);
  }
  if (start == "\x28\xb5\x2f\xfd") {
    return std::make_unique<DecompressedSource>(std::move(peeked), arrow::Compression::ZSTD, what);
  }
  return peeked;
}

}  // namespace mehler
