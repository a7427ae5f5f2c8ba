#pragma once

#include <vector>

#include "mehler/accounting/privacy_statement.h"
#include "mehler/core/options.h"
#include "mehler/features/embedding_options.h"
#include "mehler/table/schema.h"

namespace mehler {

/// What the method dp-hp measures, and how its noise is scaled.
struct DpHpOptions {
  /// By default a sum block, and products of two columns where the table has as many.
  EmbeddingOptions features = {.product = {.columns = ProductOptions::kTwoIfThereAre}};
  NoiseRules rules = {};
  /// With the published accounting: the share of epsilon and delta that product blocks get.
  double product_share = 0.2;

  /// The options that parse() reads.
  static std::vector<Option> list();
  /// Throws Error(kInvalidArgument) for a value that an option does not take, or options that do
  /// not go together.
  static DpHpOptions parse(const OptionValues& values);
};

}  // namespace mehler
