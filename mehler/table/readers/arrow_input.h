#pragma once

#include <memory>
#include <string>

#include "mehler/table/readers/byte_source.h"

namespace arrow::io {
class InputStream;
}

namespace mehler {

/// A source as Arrow reads it. Errors of the source go through Arrow as statuses that carry them.
std::shared_ptr<arrow::io::InputStream> as_arrow_input(std::unique_ptr<ByteSource> source);

/// The source itself, or, if its first bytes are those of gzip or Zstandard, what it holds
/// uncompressed. A compressed source that ends too early throws Error(kInvalidTable) that begins
/// with `what`.
std::unique_ptr<ByteSource> decompress(std::unique_ptr<ByteSource> source, const std::string& what);

}  // namespace mehler
