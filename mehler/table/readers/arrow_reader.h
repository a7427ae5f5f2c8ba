#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mehler/table/readers/byte_source.h"
#include "mehler/table/readers/column_selection.h"
#include "mehler/table/record_stream.h"

namespace mehler {

/// Reads Arrow's file format (Feather version 2) or its stream format, a record batch at a time,
/// only the columns that the schema uses; batches of more than kBatchRows rows are cut. Every batch
/// is checked, so that a damaged file cannot lead outside its buffers. A stream that was cut
/// between two batches cannot be told from a whole one.
///
/// Both throw Error(kInvalidTable) for what is no Arrow table or does not fit the schema.
RecordStream open_arrow_file(const std::string& path, std::uint64_t bytes, const PartContext& part);
RecordStream open_arrow_stream(std::unique_ptr<ByteSource> source, const PartContext& part);

}  // namespace mehler
