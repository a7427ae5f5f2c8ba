#include <fmt/format.h>

#include <algorithm>

#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/evaluation_figures.h"
#include "mehler/report/drawn_tables.h"
#include "mehler/report/html_report.h"
#include "mehler/report/page_parts.h"
#include "mehler/report/page_text.h"
#include "mehler/report/sharing_words.h"
#include "mehler/report/text.h"

namespace mehler {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// The share of a table's records that is worth a look where a column differs by it.
constexpr double kShareWorthALook = 0.1;

std::vector<DrawnTable> tables_of(const std::vector<BinnedShares>& shares) {
  std::vector<DrawnTable> tables;
  for (const BinnedShares& table : shares) {
    tables.push_back({table.axes, table.real, table.synthetic, 0.0, table.total_variation});
  }
  return tables;
}

Json columns_json(const DrawnShares& shares, std::size_t all) {
  DrawnColumns drawn = drawn_columns(tables_of(shares.columns));
  drawn.add_words([](double distance) { return percent_words(distance) + " apart"; },
                  kShareWorthALook);
  return Json{
      {"reference", "real"},
      {"words",
       "Shares of the real and of the synthetic records. Those that differ most come first: "
       "'5% apart' says that 5% of the records would have to change for the two to be "
       "equal. Two samples of one distribution are not at 0 either." +
           cut_words(drawn.cards.size(), all - drawn.cards.size())},
      {"cards", std::move(drawn.cards)}};
}

Json pairs_json(const DrawnShares& shares, std::size_t all) {
  std::vector<DrawnTable> tables = tables_of(shares.pairs);
  double most = 1e-9;
  for (DrawnTable& table : tables) {
    table.distance *= 100.0;
    most = std::max(most, table.distance);
  }
  DrawnPairs drawn = drawn_pairs(std::move(tables));
  return Json{{"reference", "Real"},
              {"reading",
               "Shares of the records in each cell; of the difference, more of the synthetic ones "
               "in red, fewer in blue."},
              {"unit", "% of the records"},
              {"least", 0.0},
              {"most", most},
              {"words",
               "How many of the records would have to change for a pair to be distributed alike in "
               "both tables. Choose a pair to see both of its tables, in coarse cells." +
                   cut_words(drawn.names.size(), all - shares.paired.size())},
              {"names", std::move(drawn.names)},
              {"values", std::move(drawn.values)},
              {"tables", std::move(drawn.tables)}};
}

void add_quality_tiles(const TableEvaluation& evaluation, Json& tiles) {
  for (const MarginalDistances& marginals : evaluation.marginals) {
    if (marginals.ways == std::min<std::size_t>(3, evaluation.columns.size())) {
      tiles.push_back(page_tile(
          "NIST score", fmt::format("{:.0f} of 1000", marginals.nist_score()),
          fmt::format("How alike both tables are in {} column{} at a time: 1000 is the same, and "
                      "{} of the records would have to change on average.",
                      marginals.ways, marginals.ways == 1 ? "" : "s",
                      percent_words(marginals.mean))));
    }
  }
  if (evaluation.quality.overall) {
    tiles.push_back(page_tile("Quality",
                              fmt::format("{:.1f}%", 100.0 * *evaluation.quality.overall),
                              "Shapes of columns and trends of pairs by the scores of SDMetrics; "
                              "100% is the same."));
  }
  if (const std::optional<double> ratio = evaluation.propensity.ratio()) {
    tiles.push_back(page_tile(
        "Told apart", fmt::format("{:.2f} \u00d7 chance", *ratio),
        fmt::format("is how well a regression tells synthetic records from real ones (pMSE {:.2g}, "
                    "chance alone {:.2g}). About 1: not at all.",
                    evaluation.propensity.pmse, evaluation.propensity.expected_pmse)));
  }
}

void add_record_tiles(const TableEvaluation& evaluation, Json& tiles) {
  tiles.push_back(
      page_tile("Repeated records", percent_words(evaluation.matches_real),
                "of the synthetic records occur, value for value, among the real ones."));
  if (evaluation.training) {
    const ClosestRecords& closest = evaluation.training->closest;
    tiles.push_back(page_tile(
        "Closest records", fmt::format("{:.1f}%", 100.0 * closest.share_nearer_to_training),
        fmt::format("of the synthetic records lie nearer to a training record than to any held-out "
                    "one (+- {:.1f}%). About 50%: nothing was learnt by heart.",
                    100.0 * closest.standard_error)));
  }
}

void add_prediction_tiles(const Encoder& encoder, const EvaluationFigures& figures, Json& tiles) {
  const auto add = [&](const std::string& label, double synthetic, std::optional<double> real,
                       const std::string& words) {
    tiles.push_back(
        page_tile(label, fmt::format("{:.3f}", synthetic),
                  words + (real ? fmt::format(" Trained on real records: {:.3f}.", *real) : "")));
  };
  const auto accuracy = [](const auto& score) {
    return score ? std::optional(score->accuracy) : std::nullopt;
  };
  if (figures.images) {
    for (const auto& [name, found] : {std::pair{"a network", figures.images->network},
                                      std::pair{"a softmax regression", figures.images->linear}}) {
      if (found) {
        add("Accuracy on real images", found->synthetic.accuracy, accuracy(found->training),
            fmt::format("of {} that learnt '{}' from the synthetic images; 1 is best.", name,
                        figures.images->target));
      }
    }
  }
  if (figures.classification) {
    const auto& [target, synthetic, training] = *figures.classification;
    const auto figure = [](const ClassificationScore& score) {
      return score.weighted_f1 ? *score.weighted_f1 : *score.roc_auc;
    };
    add("Prediction", figure(synthetic), training ? std::optional(figure(*training)) : std::nullopt,
        fmt::format("is the {} on real records of a regression that learnt '{}' from the synthetic "
                    "ones; 1 is best.",
                    target.is_binary() ? "ROC-AUC" : "weighted F1",
                    encoder.columns()[target.column].name));
  }
}

/// Missing and invalid values of both tables, where there are any.
void add_validity(const Encoder& encoder, const EvaluationFigures& figures, Json& page) {
  const TableEvaluation& evaluation = figures.evaluation;
  const auto share = [](std::size_t part, std::size_t all) {
    return percent_words(static_cast<double>(part) / static_cast<double>(all));
  };
  Rows rows;
  for (std::size_t i = 0; i < figures.validity.size(); ++i) {
    const EvaluationFigures::Validity& found = figures.validity[i];
    if (found.real_missing + found.synthetic_missing + found.real_invalid +
            found.synthetic_invalid >
        0) {
      rows.push_back({encoder.columns()[i].name, share(found.real_missing, evaluation.real_rows),
                      share(found.synthetic_missing, evaluation.synthetic_rows),
                      share(found.real_invalid, evaluation.real_rows),
                      share(found.synthetic_invalid, evaluation.synthetic_rows)});
    }
  }
  if (!rows.empty()) {
    page["tables"].push_back(page_table(
        "Missing and invalid values",
        "Invalid: beyond the bounds, an unknown category, missing where nothing may be. Columns "
        "with neither are left out.",
        {"column", "missing, real", "missing, synthetic", "invalid, real", "invalid, synthetic"},
        rows));
  }
}

void add_classes(const ImageFigures& images, Json& page) {
  Rows rows;
  const auto words = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.3f}", *value) : std::string("-");
  };
  for (std::size_t c = 0; c < images.labels.size(); ++c) {
    rows.push_back({images.labels[c], group_digits(images.real_counts[c]),
                    group_digits(images.synthetic_counts[c]),
                    images.network ? words(images.network->synthetic.by_class[c]) : "-"});
  }
  if (!rows.empty()) {
    page["tables"].push_back(
        page_table("Classes of images", "Accuracy: of the network, on the real images.",
                   {"class", "real images", "synthetic images", "accuracy"}, rows));
  }
}

}  // namespace

std::string html_of(const Schema& schema, const Evaluation& measured, const PageOrigin& origin) {
  const Encoder& encoder = measured.encoder();
  const EvaluationFigures& figures = measured.figures();
  const TableEvaluation& evaluation = figures.evaluation;
  Json page = page_frame(
      origin, "For the owner of the data only: must not be published.", kFiguresOfRealRecords,
      schema.columns(),
      {{"records", fmt::format("{} real, {} synthetic", group_digits(evaluation.real_rows),
                               group_digits(evaluation.synthetic_rows))},
       {"bins of numbers", fmt::format("{}, over their declared bounds", figures.bins)},
       {"seed of samples", fmt::format("{}", figures.seed)}});
  page["mode"] = "owner";
  Json& tiles = page["tiles"];
  add_prediction_tiles(encoder, figures, tiles);
  // Beside images the label alone says nothing of how good they are.
  if (evaluation.columns.size() > (figures.images ? 1 : 0)) {
    add_quality_tiles(evaluation, tiles);
  }
  if (!figures.images) {  // whole records include their images
    add_record_tiles(evaluation, tiles);
  }
  tiles.push_back(page_tile(
      "Records", group_digits(evaluation.synthetic_rows),
      fmt::format("synthetic ones, beside {} real ones.", group_digits(evaluation.real_rows))));
  if (figures.images) {
    add_classes(*figures.images, page);
  }
  add_validity(encoder, figures, page);
  if (figures.drawn) {
    page["columns"] = columns_json(*figures.drawn, encoder.columns().size());
    page["pairs"] = pairs_json(*figures.drawn, encoder.columns().size());
  }
  return page_of(page);
}

}  // namespace mehler
