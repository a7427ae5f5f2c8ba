#pragma once

#include "mehler/encoding/columns_to_learn.h"
#include "mehler/privacy/accountant.h"

namespace mehler {

/// Whether a method meets a schema as it was written, or what buying has left of it: what was
/// bought is the first that an accountant is charged for.
SchemaOrigin schema_origin(const Accountant& accountant);

}  // namespace mehler
