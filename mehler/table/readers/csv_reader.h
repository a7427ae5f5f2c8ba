#pragma once

#include <memory>

#include "mehler/table/readers/byte_source.h"
#include "mehler/table/readers/column_selection.h"
#include "mehler/table/readers/stream_export.h"
#include "mehler/table/record_stream.h"

namespace mehler {

/// Reads a CSV text, compressed or not, as a stream of batches of about a megabyte of text each.
///
/// With a schema, numeric and integer columns come as float64 (a whole number may be written 3.0),
/// boolean as bool and all others as utf8; columns that the schema does not use are parsed but not
/// converted. Blank lines are skipped. A text with a header and no records gives an empty stream.
/// `default_delimiter` holds unless the options name another. Throws Error(kInvalidTable), also for
/// a column name of more than 200 bytes or with a line break, which it does not quote: where quotes
/// are broken it is a record. Later complaints come from the stream.
RecordStream open_csv(std::unique_ptr<ByteSource> source, char default_delimiter,
                      const PartContext& given);

/// The same as batches, without the columns that folders give.
std::unique_ptr<BatchSource> csv_batches(std::unique_ptr<ByteSource> source, char default_delimiter,
                                         const PartContext& given);

}  // namespace mehler
