#pragma once

#include "mehler/table/schema.h"

namespace mehler {

/// Whether the rules of a schema with consistent columns can hold: columns exist and have fitting
/// kinds, nothing goes in a circle, bounds leave something. Throws Error(kInvalidSchema) naming the
/// column or the rule, and the remedy.
void check_rules(const Schema& schema);

}  // namespace mehler
