#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/estimation/network_growth.h"
#include "mehler/generator/fitted_table/cell_decoder.h"
#include "mehler/generator/generator.h"
#include "mehler/generator/model_file.h"
#include "mehler/generator/rule_guard.h"
#include "mehler/generator/sample_conditions.h"

namespace mehler {

/// Draws records from a Bayesian network, column after column. A condition on the network's first
/// column is met exactly; others by selection among drawn records.
class BayesNetworkGenerator final : public Generator {
 public:
  static constexpr std::string_view kKind = "bayes-network";

  /// Throws Error(kInvalidRelease) for a release that holds no network.
  explicit BayesNetworkGenerator(Release release);

  /// The model follows from the release; a file holds nothing else.
  static std::unique_ptr<Generator> read(ModelParts parts);

  const Release& release() const override { return release_; }
  void draw(const SampleOptions& options, const Context& context,
            const RecordSink& sink) const override;
  void check_conditions(const std::vector<SampleCondition>& where) const override;
  std::string to_bytes() const override;

  /// The columns, each after its parents.
  const std::vector<NetworkColumn>& columns() const { return columns_; }

 private:
  std::vector<ColumnCondition> resolve(const std::vector<SampleCondition>& where) const;

  Release release_;
  std::vector<ColumnEstimate> estimates_;
  std::vector<NetworkColumn> columns_;
  CellDecoder decoder_;
  RuleGuard guard_;
};

}  // namespace mehler
