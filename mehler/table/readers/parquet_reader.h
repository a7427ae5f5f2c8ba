#pragma once

#include <cstdint>
#include <string>

#include "mehler/table/readers/column_selection.h"
#include "mehler/table/record_stream.h"

namespace mehler {

/// Reads a Parquet file of `bytes` bytes in batches of at most kBatchRows rows, only the columns
/// that the schema uses, and holds no more than about a megabyte of each column's compressed pages.
/// Every batch is checked, so that a damaged file cannot lead outside its buffers. Throws
/// Error(kFile) if it cannot be opened, Error(kInvalidTable) if it is no Parquet file.
RecordStream open_parquet(const std::string& path, std::uint64_t bytes, const PartContext& part);

}  // namespace mehler
