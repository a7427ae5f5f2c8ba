#pragma once

#include "mehler/core/context.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"
#include "mehler/synthesis/dp_hp/embedding_options.h"

namespace mehler {

/// What a mean embedding measures, and how its noise is scaled.
struct DpHpOptions {
  EmbeddingOptions features;
  NoiseRules rules;
  /// With the published accounting: the share of epsilon and delta that product blocks get.
  double product_share = 0.2;
};

/// Turns a private table into a release of noisy feature sums: reads the records once, sums their
/// features exactly, adds noise once.
///
/// Privacy: charges the accountant all that is left of its budget, before the records are read.
Release release_dp_hp(PrivateTable&& table, const DpHpOptions& options, Accountant& accountant,
                      const Context& context);

}  // namespace mehler
