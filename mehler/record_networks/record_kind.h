#pragma once

#include "mehler/table/schema.h"

namespace mehler {

/// What records are to the authors of the private GANs, who have settings for each: images, points
/// in the plane (two columns of kind numeric beside the target), or anything else.
enum class RecordKind { kTable, kPoint, kImage };
RecordKind record_kind(const Schema& schema);

}  // namespace mehler
