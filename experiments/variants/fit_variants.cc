#include "experiments/variants/fit_variants.h"

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/generator/fitted_table/model_rows.h"

namespace mehler {
namespace {

void keep(MarginalEstimate& /*table*/) {}

/// Toward independence, cell by cell: the posterior mean if deviations have the variance
/// tau * expected. What the weights of the method do within the fit, but toward independence
/// instead of what the other pairs imply.
void shrink_cells(MarginalEstimate& table) { table.target = table.posterior_mean(); }

/// Toward independence, all cells of a pair alike: the positive-part James-Stein factor.
void shrink_together(MarginalEstimate& table) {
  double length = 0.0;
  for (std::size_t i = 0; i < table.target.size(); ++i) {
    const double deviation = table.target[i] - table.expected[i];
    length += deviation * deviation;
  }
  const double noise = static_cast<double>(table.target.size()) * table.cell_variance;
  const double kept = length > noise ? 1.0 - noise / length : 0.0;
  for (std::size_t i = 0; i < table.target.size(); ++i) {
    table.target[i] = table.expected[i] + kept * (table.target[i] - table.expected[i]);
  }
}

/// Which rows a fit gives.
enum class Rows {
  kPolished,  ///< the fitted table
  kChain,     ///< the chain's state, whose counts are not moved to the averages
  kModel,     ///< independent rows of the model of pairs, not moved to the averages
};

constexpr double kEqualWeights = 0.0;

struct FitVariant {
  std::string name;
  void (*change)(MarginalEstimate& table);
  /// Of the weights tau / sigma^2 of pairs; kEqualWeights: every pair has weight 1, as columns do.
  double weight_factor;
  Rows rows;
};

const std::vector<FitVariant>& all_variants() {
  static const std::vector<FitVariant> variants = {
      {"as-specified", keep, 1.0, Rows::kPolished},
      {"chain", keep, 1.0, Rows::kChain},
      {"model-rows", keep, 1.0, Rows::kModel},
      {"cells-shrunk", shrink_cells, kEqualWeights, Rows::kPolished},
      {"pairs-shrunk", shrink_together, kEqualWeights, Rows::kPolished},
      {"raw-targets", keep, kEqualWeights, Rows::kPolished},
      {"half-weights", keep, 0.5, Rows::kPolished},
      {"double-weights", keep, 2.0, Rows::kPolished},
      {"fourfold-weights", keep, 4.0, Rows::kPolished},
  };
  return variants;
}

CodedRows choose_rows(Rows wanted, const CliqueTargets& targets, TableFit&& fit,
                      const Context& context) {
  switch (wanted) {
    case Rows::kPolished:
      return std::move(fit.polished);
    case Rows::kChain:
      return std::move(fit.chain);
    case Rows::kModel: {
      const PairwiseModel model = PairwiseModel::fit(targets, fit, {}, context);
      DrawOptions options;
      options.polish_sweeps = 0;
      return draw_rows(model, fit, 0, fit.chain.rows, options, context);
    }
  }
  throw Error(ErrorCode::kInternal, "there are no other rows");
}

}  // namespace

std::vector<std::string> fit_variants() {
  std::vector<std::string> names;
  for (const FitVariant& variant : all_variants()) {
    names.push_back(variant.name);
  }
  return names;
}

VariantRows fit_variant(const Release& release, const std::string& name, const Context& context) {
  const auto variant = std::find_if(all_variants().begin(), all_variants().end(),
                                    [&](const FitVariant& known) { return known.name == name; });
  MEHLER_ASSERT(variant != all_variants().end());
  const MarginalMeasurements measurements(release);
  VariantRows result;
  result.columns = estimate_columns(measurements);
  result.cells = joint_cells(measurements, result.columns);
  std::vector<MarginalEstimate> tables = estimate_tables(measurements, result.columns, context);
  std::for_each(tables.begin(), tables.end(), variant->change);
  CliqueTargets targets = make_clique_targets(measurements, result.columns, std::move(tables));
  for (CliqueTarget& clique : targets.cliques) {
    if (clique.columns.size() > 1) {
      clique.weight =
          variant->weight_factor == kEqualWeights ? 1.0 : variant->weight_factor * clique.weight;
    }
  }
  result.rows = choose_rows(variant->rows, targets, fit_table(targets, {}, context), context);
  return result;
}

}  // namespace mehler
