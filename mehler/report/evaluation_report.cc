#include "mehler/report/evaluation_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "mehler/core/strict_json.h"
#include "mehler/report/classification_report.h"
#include "mehler/report/image_evaluation_report.h"
#include "mehler/report/sharing_words.h"
#include "mehler/report/text.h"

namespace mehler {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kWorstShown = 5;

std::string score_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "not defined";
}

std::string share_text(std::size_t part, std::size_t all) {
  return fmt::format("{:.2f}%", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::vector<std::string> names_of(const Encoder& encoder, const std::vector<std::size_t>& columns) {
  std::vector<std::string> names;
  for (const std::size_t column : columns) {
    names.push_back(encoder.columns()[column].name);
  }
  return names;
}

const SubsetDistance& worst_subset(const MarginalDistances& marginals) {
  return *std::max_element(marginals.subsets.begin(), marginals.subsets.end(),
                           [](const SubsetDistance& a, const SubsetDistance& b) {
                             return a.total_variation < b.total_variation;
                           });
}

std::string quality_text(const QualityScore& quality) {
  return fmt::format(
      "Quality (SDMetrics; 1 is best; strong pairs: those that its report counts by default)\n{}\n",
      align_columns({{"", "overall", "column shapes", "column pair trends"},
                     {"all pairs", score_text(quality.overall), score_text(quality.column_shapes),
                      score_text(quality.column_pair_trends)},
                     {"strong pairs", score_text(quality.strong_overall),
                      score_text(quality.column_shapes), score_text(quality.strong_pair_trends)}},
                    2));
}

std::string marginals_text(const Encoder& encoder, const EvaluationFigures& figures) {
  Rows rows = {{"columns", "subsets", "mean total variation", "NIST score", "worst subset"}};
  bool is_sample = false;
  for (const MarginalDistances& marginals : figures.evaluation.marginals) {
    is_sample = is_sample || marginals.is_sample();
    const SubsetDistance& worst = worst_subset(marginals);
    rows.push_back(
        {std::to_string(marginals.ways),
         marginals.is_sample()
             ? fmt::format("{} of {}, drawn at random", group_digits(marginals.subsets.size()),
                           group_digits(marginals.all_subsets))
             : fmt::format("all {}", group_digits(marginals.all_subsets)),
         marginals.is_sample()
             ? fmt::format("{:.5f} +- {:.5f}", marginals.mean, marginals.standard_error)
             : fmt::format("{:.5f}", marginals.mean),
         fmt::format("{:.1f}", marginals.nist_score()),
         fmt::format("{:.4f}  {}", worst.total_variation,
                     fmt::join(names_of(encoder, worst.columns), " x "))});
  }
  return fmt::format(
      "Marginals (0 is best, 1 is worst; numbers on {} bins of their declared bounds)\n{}{}\n",
      figures.bins, align_columns(rows, 2),
      is_sample ? fmt::format("  Drawn with seed {}; +- is one standard error of the draw.\n",
                              figures.seed)
                : "");
}

std::string columns_text(const Encoder& encoder, const EvaluationFigures& figures) {
  const TableEvaluation& evaluation = figures.evaluation;
  Rows rows = {{"column", "metric", "score", "Wasserstein", "of bounds", "missing", "synthetic",
                "invalid", "synthetic"}};
  for (const ColumnScore& score : evaluation.columns) {
    const EvaluationFigures::Validity& validity = figures.validity[score.column];
    rows.push_back(
        {encoder.columns()[score.column].name, std::string(metric_name(score.metric)),
         score_text(score.score),
         score.wasserstein ? fmt::format("{:.4g}", *score.wasserstein) : "",
         score.relative_wasserstein ? fmt::format("{:.4f}", *score.relative_wasserstein) : "",
         share_text(validity.real_missing, evaluation.real_rows),
         share_text(validity.synthetic_missing, evaluation.synthetic_rows),
         share_text(validity.real_invalid, evaluation.real_rows),
         share_text(validity.synthetic_invalid, evaluation.synthetic_rows)});
  }
  return fmt::format(
      "Columns (scores: 1 is best; Wasserstein in the column's units, days or microseconds;\n"
      "invalid: beyond the bounds, an unknown category, missing where nothing may be)\n{}\n",
      align_columns(rows, 2));
}

std::string pairs_text(const Encoder& encoder, const TableEvaluation& evaluation) {
  std::vector<PairScore> pairs;
  std::copy_if(evaluation.pairs.begin(), evaluation.pairs.end(), std::back_inserter(pairs),
               [](const PairScore& pair) { return pair.score.has_value(); });
  if (pairs.empty()) {
    return "";
  }
  const std::size_t shown = std::min(kWorstShown, pairs.size());
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const PairScore& a, const PairScore& b) { return *a.score < *b.score; });
  Rows rows = {{"columns", "metric", "score"}};
  for (std::size_t i = 0; i < shown; ++i) {
    rows.push_back({fmt::format("{} x {}", encoder.columns()[pairs[i].first].name,
                                encoder.columns()[pairs[i].second].name),
                    std::string(metric_name(pairs[i].metric)), score_text(pairs[i].score)});
  }
  return fmt::format("Column pairs, the lowest {} of {} (all of them with option 'json')\n{}\n",
                     shown, evaluation.pairs.size(), align_columns(rows, 2));
}

std::string propensity_text(const PropensityScore& propensity) {
  return fmt::format(
      "Telling synthetic records from real ones\n"
      "  pMSE of a logistic regression {:.6f}; two samples of one distribution: {:.6f}{}\n"
      "  ({} parameters, {} real and {} synthetic records)\n",
      propensity.pmse, propensity.expected_pmse,
      propensity.ratio() ? fmt::format(" (ratio {:.2f})", *propensity.ratio()) : "",
      propensity.parameters, group_digits(propensity.real_rows),
      group_digits(propensity.synthetic_rows));
}

std::string records_text(const TableEvaluation& evaluation) {
  std::string text = fmt::format(
      "\nRecords\n  {:.3f}% of synthetic records occur among the real ones, value for value\n",
      100.0 * evaluation.matches_real);
  if (evaluation.training) {
    const TableEvaluation::Training& training = *evaluation.training;
    text += fmt::format(
        "  {:.3f}% occur among the training records; of the held-out records {:.3f}% do\n"
        "  {:.1f}% +- {:.1f}% lie nearer to a training record than to any held-out one (50%: "
        "nothing "
        "learnt by heart)\n"
        "  median Gower distance to the nearest: training {:.4f}, held out {:.4f}\n"
        "  ({} synthetic records against {} of each)\n",
        100.0 * training.synthetic_matches, 100.0 * training.held_out_matches,
        100.0 * training.closest.share_nearer_to_training, 100.0 * training.closest.standard_error,
        training.closest.median_to_training, training.closest.median_to_held_out,
        group_digits(training.closest.synthetic_rows), group_digits(training.closest.other_rows));
  }
  return text;
}

std::string mixture_text(const EvaluationFigures& figures) {
  if (!figures.synthetic_mixture) {
    return "";
  }
  const auto row = [](const char* name, const MixtureScore& score) {
    return std::vector<std::string>{name, fmt::format("{:.4f}", score.negative_log_likelihood),
                                    fmt::format("{:.4f}", score.without_class),
                                    fmt::format("{} of 25", score.covered_modes),
                                    fmt::format("{:.2f}%", 100.0 * score.near_a_mode)};
  };
  return fmt::format(
      "\nThe built-in mixture: mean negative log-likelihood under the truth\n{}",
      align_columns({{"table", "with class", "without", "modes covered", "near a mode"},
                     row("real", *figures.real_mixture),
                     row("synthetic", *figures.synthetic_mixture)},
                    2));
}

Json marginals_json(const Encoder& encoder, const MarginalDistances& marginals) {
  Json json{{"columns", marginals.ways},
            {"mean_total_variation", marginals.mean},
            {"nist_score", marginals.nist_score()},
            {"subsets", marginals.subsets.size()},
            {"all_subsets", marginals.all_subsets},
            {"is_sample", marginals.is_sample()},
            {"standard_error", marginals.standard_error}};
  const SubsetDistance& worst = worst_subset(marginals);
  json["worst"] = Json{{"columns", names_of(encoder, worst.columns)},
                       {"total_variation", worst.total_variation}};
  return json;
}

Json columns_json(const Encoder& encoder, const EvaluationFigures& figures) {
  Json json = Json::array();
  for (const ColumnScore& score : figures.evaluation.columns) {
    const EvaluationFigures::Validity& validity = figures.validity[score.column];
    json.push_back(Json{{"column", encoder.columns()[score.column].name},
                        {"metric", metric_name(score.metric)},
                        {"score", number_or_null(score.score)},
                        {"wasserstein", number_or_null(score.wasserstein)},
                        {"relative_wasserstein", number_or_null(score.relative_wasserstein)},
                        {"real_missing", validity.real_missing},
                        {"synthetic_missing", validity.synthetic_missing},
                        {"real_invalid", validity.real_invalid},
                        {"synthetic_invalid", validity.synthetic_invalid}});
  }
  return json;
}

Json records_json(const TableEvaluation& evaluation) {
  Json json{{"synthetic_among_real", evaluation.matches_real}};
  if (evaluation.training) {
    const TableEvaluation::Training& training = *evaluation.training;
    json["training_records"] = training.rows;
    json["synthetic_among_training"] = training.synthetic_matches;
    json["held_out_among_training"] = training.held_out_matches;
    json["share_nearer_to_training"] = training.closest.share_nearer_to_training;
    json["standard_error"] = training.closest.standard_error;
    json["median_distance_to_training"] = training.closest.median_to_training;
    json["median_distance_to_held_out"] = training.closest.median_to_held_out;
    json["measured"] = {{"synthetic", training.closest.synthetic_rows},
                        {"of_each", training.closest.other_rows}};
  }
  return json;
}

Json propensity_json(const PropensityScore& propensity) {
  return Json{{"pmse", propensity.pmse},
              {"expected_pmse", propensity.expected_pmse},
              {"ratio", number_or_null(propensity.ratio())},
              {"parameters", propensity.parameters},
              {"real_records", propensity.real_rows},
              {"synthetic_records", propensity.synthetic_rows}};
}

Json mixture_json(const MixtureScore& score) {
  return Json{{"negative_log_likelihood", score.negative_log_likelihood},
              {"without_class", score.without_class},
              {"covered_modes", score.covered_modes},
              {"near_a_mode", score.near_a_mode}};
}

}  // namespace

std::string text_of(const Evaluation& measured) {
  const Encoder& encoder = measured.encoder();
  const EvaluationFigures& figures = measured.figures();
  const TableEvaluation& evaluation = figures.evaluation;
  std::string text = fmt::format(
      "Evaluation of {} synthetic records against {} real ones, {}\n\n{}",
      group_digits(evaluation.synthetic_rows), group_digits(evaluation.real_rows),
      evaluation.columns.empty() ? "images alone"
                                 : fmt::format("{} column{}{}", encoder.columns().size(),
                                               encoder.columns().size() == 1 ? "" : "s",
                                               figures.images ? " and images" : ""),
      wrap(kFiguresOfRealRecords, 0));
  if (figures.images) {
    text += images_text(*figures.images);
  }
  if (!evaluation.columns.empty()) {
    text += "\n" + quality_text(evaluation.quality) + marginals_text(encoder, figures) +
            columns_text(encoder, figures) + pairs_text(encoder, evaluation) +
            propensity_text(evaluation.propensity);
  }
  if (!figures.images) {  // whole records include their images, which have a line of their own
    text += records_text(evaluation);
  }
  return text + classification_text(encoder, figures) + mixture_text(figures);
}

std::string json_of(const Evaluation& measured) {
  const Encoder& encoder = measured.encoder();
  const EvaluationFigures& figures = measured.figures();
  const TableEvaluation& evaluation = figures.evaluation;
  Json json{{"privacy", kFiguresOfRealRecords},
            {"safe_to_share", false},
            {"real_records", evaluation.real_rows},
            {"synthetic_records", evaluation.synthetic_rows},
            {"bins", figures.bins},
            {"seed", figures.seed},
            {"quality",
             {{"overall", number_or_null(evaluation.quality.overall)},
              {"column_shapes", number_or_null(evaluation.quality.column_shapes)},
              {"column_pair_trends", number_or_null(evaluation.quality.column_pair_trends)},
              {"strong_overall", number_or_null(evaluation.quality.strong_overall)},
              {"strong_pair_trends", number_or_null(evaluation.quality.strong_pair_trends)}}},
            {"marginals", Json::array()},
            {"columns", columns_json(encoder, figures)},
            {"pairs", Json::array()}};
  for (const MarginalDistances& marginals : evaluation.marginals) {
    json["marginals"].push_back(marginals_json(encoder, marginals));
  }
  for (const PairScore& pair : evaluation.pairs) {
    json["pairs"].push_back(Json{{"columns", names_of(encoder, {pair.first, pair.second})},
                                 {"metric", metric_name(pair.metric)},
                                 {"score", number_or_null(pair.score)},
                                 {"real_association", number_or_null(pair.real_association)},
                                 {"is_strong", pair.is_strong()}});
  }
  if (!evaluation.columns.empty()) {
    json["propensity"] = propensity_json(evaluation.propensity);
  }
  if (figures.images) {
    json["images"] = images_json(*figures.images);
  } else {
    json["records"] = records_json(evaluation);
  }
  if (figures.classification) {
    json["classification"] = classification_json(encoder, figures);
  }
  if (figures.synthetic_mixture) {
    json["mixture"] = Json{{"real", mixture_json(*figures.real_mixture)},
                           {"synthetic", mixture_json(*figures.synthetic_mixture)}};
  }
  return json.dump(2) + "\n";
}

}  // namespace mehler
