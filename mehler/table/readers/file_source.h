#pragma once

#include <memory>
#include <string>

#include "mehler/table/readers/byte_source.h"
#include "mehler/table/readers/table_reader.h"

namespace mehler {

/// Opens a file, or standard input for "-". Bytes are added to `progress` as they are read, unless
/// it is null. Throws Error(kFile) with the system's reason.
std::unique_ptr<ByteSource> open_file(const std::string& path,
                                      std::shared_ptr<ReadProgress> progress);

/// "the table 'a.csv'" or "the table on standard input": how messages begin.
std::string describe_table(const std::string& path);

}  // namespace mehler
