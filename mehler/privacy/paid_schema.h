#pragma once

#include <string_view>

#include "mehler/table/schema.h"

namespace mehler {

/// Throws Error(kInvalidArgument) if what was paid for under one schema ("the noise") is used on
/// records of another: their sensitivity may be another one.
void require_paid_schema(const Schema& paid, const Schema& records, std::string_view what);

}  // namespace mehler
