#pragma once

#include <vector>

#include "mehler/table/arrow_c_interface.h"
#include "mehler/table/table.h"

namespace mehler {

/// An Arrow C stream over tables in memory, one batch per table. All have the same columns; at
/// least one table is needed, to say which. The caller owns the stream and releases it, or hands it
/// on.
ArrowArrayStream arrow_stream_of(std::vector<Table> batches);

}  // namespace mehler
