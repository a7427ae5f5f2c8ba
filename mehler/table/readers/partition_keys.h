#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/table/readers/column_selection.h"
#include "mehler/table/readers/stream_export.h"
#include "mehler/table/readers/table_reader.h"

namespace mehler {

/// The key that a folder of a partitioned table is named after, "year=2020", with percent escapes
/// undone; nothing for another name. __HIVE_DEFAULT_PARTITION__ is a missing value.
std::optional<PartitionKey> partition_key_of(std::string_view folder_name);

/// Makes the keys of all parts alike: whole numbers where every part has one. Throws
/// Error(kInvalidTable) if parts have different keys.
void settle_partition_keys(std::vector<TablePart>& parts);

/// Hands a part's batches over, as export_stream() does, with its keys as columns behind the
/// others: as the schema declares them, else whole numbers or texts. Throws Error(kInvalidTable) if
/// the file has such a column itself, if the schema does not know it, or if it is declared a number
/// and is none.
RecordStream export_part(std::unique_ptr<BatchSource> source, const PartContext& part);

}  // namespace mehler
