#pragma once

#include "mehler/table/schema.h"

namespace mehler {

/// The schema with made-up bounds and categories in place of those that are still to be bought: for
/// what must be known before (whether a table's types fit, what an epsilon is worth). Every value
/// of the right type fits them: numbers are moved to the bounds, texts go to "other". The columns
/// stay marked as bought.
Schema with_assumed_domains(const Schema& schema);

/// What a column whose categories are bought has for an "other": the declared one, else this.
inline constexpr const char* kBoughtOther = "other";

}  // namespace mehler
