#pragma once

#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"

namespace mehler {

/// The names that release_variant() knows.
std::vector<std::string> release_variants();

/// Measures the number of records, all columns and all pairs of a table of categories at once, as
/// method marginals does in a single round, with fixed shares of the budget: 3 % for the number of
/// records, 25 % for the columns. "as-specified": pairs have precisions proportional to
/// sqrt(d_i d_j); "equal-sigma": all pairs have the same; "raw-tables": what noisy tables of pairs,
/// instead of their contrasts, would tell, and 10 % for the columns. Throws Error(kInvalidSchema)
/// unless every column has two categories or more, and the relation is add-remove-one.
///
/// Privacy: as release_marginals(): one reading, charged to the accountant before noise is drawn.
Release release_variant(PrivateTable&& table, const std::string& name, Accountant& accountant,
                        const Context& context);

}  // namespace mehler
