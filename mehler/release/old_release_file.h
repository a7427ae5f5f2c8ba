#pragma once

#include "mehler/core/strict_json.h"

namespace mehler {

/// The header of a release file of format version 1, rewritten as version 2 has it; the binary
/// payloads are the same. Throws Error(kInvalidRelease) for what version 1 never had.
Json header_of_version_1(const Json& header);

}  // namespace mehler
