#pragma once

#include "mehler/core/strict_json.h"
#include "mehler/record_networks/network_design.h"

namespace mehler {

/// A design as files have it (docs/format.md): what is as it is by default is left out.
Json design_json(const NetworkDesign& design);

/// Reads the keys of a design; others are left to the caller. Throws Error(kInvalidRelease) for
/// sizes that cannot be, and for a network that cannot make the columns of the schema.
NetworkDesign read_design(JsonObjectReader& reader, const Schema& schema);

}  // namespace mehler
