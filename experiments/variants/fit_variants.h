#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/estimation/coded_rows.h"
#include "mehler/estimation/marginal_estimates.h"
#include "mehler/release/release.h"

namespace mehler {

/// The names that fit_variant() knows.
std::vector<std::string> fit_variants();

/// Rows of codes, and what they mean.
struct VariantRows {
  std::vector<ColumnEstimate> columns;
  std::vector<std::shared_ptr<const ColumnPartition>> cells;
  CodedRows rows;
};

/// Fits a table to the counts of a release as method marginals does, with one part of the fit
/// replaced; "as-specified" replaces none. Seed 1.
///
/// Privacy: reads a release alone, so every variant is post-processing.
VariantRows fit_variant(const Release& release, const std::string& name, const Context& context);

}  // namespace mehler
