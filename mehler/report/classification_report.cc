#include "mehler/report/classification_report.h"

#include <fmt/format.h>

#include "mehler/report/text.h"

namespace mehler {
namespace {

std::vector<std::string> heading(const ClassificationTarget& target) {
  return target.is_binary()
             ? std::vector<std::string>{"trained on", "records", "ROC-AUC", "average precision",
                                        "accuracy"}
             : std::vector<std::string>{"trained on", "records", "weighted F1", "accuracy"};
}

std::vector<std::string> row_of(const std::string& name, const ClassificationScore& score) {
  std::vector<std::string> row = {name, group_digits(score.training_rows)};
  for (const std::optional<double>& figure :
       {score.roc_auc, score.average_precision, score.weighted_f1, std::optional(score.accuracy)}) {
    if (figure) {
      row.push_back(fmt::format("{:.4f}", *figure));
    }
  }
  return row;
}

Json json_of(const ClassificationScore& score) {
  Json json{{"trained_on", score.training_rows}, {"tested_on", score.test_rows}};
  if (score.weighted_f1) {
    json["f1_weighted"] = *score.weighted_f1;
  } else {
    json["roc_auc"] = *score.roc_auc;
    json["average_precision"] = *score.average_precision;
  }
  json["accuracy"] = score.accuracy;
  return json;
}

}  // namespace

std::string classification_text(const Encoder& encoder, const EvaluationFigures& figures) {
  if (!figures.classification) {
    return "";
  }
  const auto& [target, synthetic, training] = *figures.classification;
  std::vector<std::vector<std::string>> rows = {heading(target), row_of("synthetic", synthetic)};
  if (training) {
    rows.push_back(row_of("real (training)", *training));
  }
  return fmt::format(
      "\nPrediction of '{}'{} by a logistic regression, on the {} real records (1 is best)\n{}",
      encoder.columns()[target.column].name,
      target.positive ? fmt::format(" (looked for: '{}')", target.labels[*target.positive]) : "",
      group_digits(synthetic.test_rows), align_columns(rows, 2));
}

Json classification_json(const Encoder& encoder, const EvaluationFigures& figures) {
  const auto& [target, synthetic, training] = *figures.classification;
  Json json{{"target", encoder.columns()[target.column].name},
            {"positive", target.positive ? Json(target.labels[*target.positive]) : Json()},
            {"synthetic", json_of(synthetic)}};
  if (training) {
    json["training"] = json_of(*training);
  }
  return json;
}

}  // namespace mehler
