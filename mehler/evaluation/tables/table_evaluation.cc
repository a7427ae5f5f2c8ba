#include "mehler/evaluation/tables/table_evaluation.h"

#include <algorithm>

namespace mehler {

std::vector<std::size_t> EvaluationOptions::ways_of(const Encoder& encoder) const {
  const std::size_t columns = encoder.columns().size();
  if (!ways.empty()) {
    for (const std::size_t k : ways) {
      require_valid(MarginalDistanceOptions{k, max_subsets, seed}, columns);
    }
    return ways;
  }
  std::vector<std::size_t> result;
  for (std::size_t k = 1; k <= std::min<std::size_t>(3, columns); ++k) {
    result.push_back(k);
  }
  return result;
}

TableEvaluation evaluate_tables(const Encoder& encoder, const CodedTable& real,
                                const CodedTable& synthetic, const CodedTable* training,
                                const EvaluationOptions& options, const Context& context) {
  const std::vector<std::size_t> ways = options.ways_of(encoder);
  TableEvaluation result;
  result.real_rows = real.rows;
  result.synthetic_rows = synthetic.rows;
  result.columns = score_columns(encoder, real, synthetic, context);
  result.pairs = score_pairs(encoder, real, synthetic, context);
  result.quality = quality_score(result.columns, result.pairs);
  for (const std::size_t k : ways) {
    result.marginals.push_back(
        compare_marginals(real, synthetic, {k, options.max_subsets, options.seed}, context));
  }
  PropensityOptions propensity;
  propensity.seed = options.seed;
  result.propensity = propensity_score(real, synthetic, propensity, context);
  result.matches_real = exact_match_rate(synthetic, real);
  if (training != nullptr) {
    ClosestRecordOptions closest;
    closest.seed = options.seed;
    result.training = {
        training->rows,
        compare_closest_records(encoder, synthetic, *training, real, closest, context),
        exact_match_rate(synthetic, *training), exact_match_rate(real, *training)};
  }
  return result;
}

}  // namespace mehler
