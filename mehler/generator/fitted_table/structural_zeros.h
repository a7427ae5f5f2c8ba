#pragma once

#include <memory>
#include <span>

#include "mehler/counts/column_partition.h"
#include "mehler/encoding/encoder.h"
#include "mehler/encoding/never_rules.h"
#include "mehler/estimation/clique_targets.h"

namespace mehler {

/// Forbids the cells that lie wholly in a combination of "never": their targets are 0, what they
/// held goes to the others in proportion, and no row moves there. A pair or triple that is not
/// among the targets is added, without a weight.
///
/// Rules of more than three columns, of columns that are not modelled as they are, and cells that a
/// rule holds in part are left to whoever decodes records (rule_guard.h).
void forbid_never_cells(const Encoder& encoder, const NeverRules& never,
                        std::span<const std::shared_ptr<const ColumnPartition>> cells,
                        CliqueTargets& targets);

/// Forbids cells that no record is encoded to because a value is missing: of a column that is at
/// least another, a difference without the other value; of a datetime, a time of day without its
/// day. So a decoded value is missing exactly where the difference, or the time of day, is.
void forbid_half_missing(const Encoder& encoder, CliqueTargets& targets);

}  // namespace mehler
