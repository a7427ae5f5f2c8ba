#pragma once

#include <functional>
#include <string>

#include "mehler/core/context.h"
#include "mehler/features/embedding_options.h"
#include "mehler/privacy/gaussian_mechanism.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"

namespace mehler {

/// The noise of a method's published accounting, paid for.
using PublishedNoise =
    std::function<SumMechanism(const FeatureSet& features, const Schema& schema)>;

/// The release of every method that measures a mean embedding: reads the records once, sums their
/// features exactly, adds noise once. `published_noise` is asked where the rules want the published
/// accounting.
///
/// Privacy: charges the accountant before the records are read; by the exact accounting all that is
/// left of its budget.
Release release_mean_embedding(const std::string& method, PrivateTable&& table,
                               const EmbeddingOptions& options, const NoiseRules& rules,
                               const PublishedNoise& published_noise, Accountant& accountant,
                               const Context& context);

}  // namespace mehler
