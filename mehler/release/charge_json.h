#pragma once

#include "mehler/accounting/charge.h"
#include "mehler/core/strict_json.h"

namespace mehler {

/// A charge as release files and reports have it (docs/format.md), and back. Throws
/// Error(kInvalidRelease) for what is no charge.
Json charge_json(const Charge& charge);
Charge read_charge(const Json& json);

}  // namespace mehler
