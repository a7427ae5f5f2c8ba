#include <fmt/format.h>

#include <cmath>

#include "mehler/report/budget_shares.h"
#include "mehler/report/drawn_tables.h"
#include "mehler/report/html_report.h"
#include "mehler/report/page_parts.h"
#include "mehler/report/page_text.h"
#include "mehler/report/release_lines.h"
#include "mehler/report/sharing_words.h"
#include "mehler/report/text.h"

namespace mehler {
namespace {

/// From here on a difference is worth a look: noise alone is at 1, and seldom at 2 on average.
constexpr double kNoiseWorthALook = 2.0;
/// Up to here all numbers together are as far away as noise alone makes them.
constexpr double kNoiseAgreement = 1.1;
/// Where the colour of a pair is full.
constexpr double kFarApart = 4.0;

/// Differences in units of the noise, their root mean square.
double noise_distance(const ComparedCounts& table) {
  double sum = 0.0;
  for (std::size_t i = 0; i < table.released.size(); ++i) {
    const double residual = (table.released[i] - table.synthetic[i]) / table.sigma;
    sum += residual * residual;
  }
  return std::sqrt(sum / static_cast<double>(table.released.size()));
}

/// The tables of so many columns.
std::vector<DrawnTable> tables_of(const std::vector<ComparedCounts>& tables, std::size_t columns) {
  std::vector<DrawnTable> result;
  for (const ComparedCounts& table : tables) {
    if (table.axes.size() == columns && !table.synthetic.empty() && table.sigma > 0.0) {
      result.push_back(
          {table.axes, table.released, table.synthetic, table.sigma, noise_distance(table)});
    }
  }
  return result;
}

Json columns_json(const std::vector<ComparedCounts>& tables) {
  DrawnColumns drawn = drawn_columns(tables_of(tables, 1));
  drawn.add_words([](double distance) { return fmt::format("{:.2f} \u00d7 noise", distance); },
                  kNoiseWorthALook);
  return Json{
      {"reference", "released"},
      {"words",
       "The released counts, with the noise that protects them, and the synthetic table's "
       "in the same cells, brought to the released number of records. Those that differ "
       "most come first: '1 \u00d7 noise' is the distance that the noise alone would make." +
           cut_words(drawn.cards.size(), drawn.left_out)},
      {"cards", std::move(drawn.cards)}};
}

Json pairs_json(const std::vector<ComparedCounts>& tables) {
  DrawnPairs drawn = drawn_pairs(tables_of(tables, 2));
  const std::size_t all = drawn.names.size() * (drawn.names.size() - 1) / 2;
  const char* not_counted =
      drawn.values.size() < all ? " Pairs without a square were not counted together." : "";
  return Json{
      {"reference", "Released"},
      {"reading",
       "How many records a cell has beyond what the counts of its row and of its column "
       "tell: more in red, fewer in blue. The difference is in standard deviations of the "
       "noise, with full colour at 4."},
      {"unit", "\u00d7 noise"},
      {"least", 1.0},
      {"most", kFarApart},
      {"words",
       "How far the synthetic table is from each released pair, in units of the noise. "
       "About 1 or below, and pale: as close as the release lets anyone see. Choose a pair "
       "to see both of its tables." +
           std::string(not_counted) + cut_words(drawn.names.size(), drawn.columns_left_out)},
      {"names", std::move(drawn.names)},
      {"values", std::move(drawn.values)},
      {"tables", std::move(drawn.tables)}};
}

Json count_tile(const CountAgreement& entry) {
  constexpr const char* kLabels[] = {"Single columns", "Pairs of columns", "Triples of columns"};
  const bool is_within = entry.error <= entry.noise;
  return page_tile(
      kLabels[entry.columns - 1], percent_words(entry.error),
      fmt::format("of the records would have to change, on average, to match the released counts. "
                  "The release's own noise: {}. {}",
                  percent_words(entry.noise),
                  is_within ? "As close as the release lets anyone see."
                            : "The synthetic table is further away than the noise alone."),
      is_within ? Mood::kGood : Mood::kLook);
}

Json tiles_json(const Release& release, const ReleaseAgreement* agreement) {
  const PrivacyBudget& budget = release.statement().budget;
  Json tiles = Json::array();
  tiles.push_back(page_tile(
      "Privacy", fmt::format("epsilon {}", budget.epsilon),
      fmt::format("at delta {}. How far {} can move what was released: the smaller, "
                  "the better protected. The exact promise stands below.",
                  budget.delta,
                  release.schema().privacy_unit() ? "one person's records" : "one record")));
  if (agreement == nullptr) {
    tiles.push_back(page_tile("Records", record_count_words(release), "in the release."));
    tiles.push_back(page_tile("Closeness", "not compared",
                              "This release measured images alone: it has no counts that a "
                              "synthetic set could be compared with. Look at its images below; "
                              "its owner can compare it with real ones."));
    return tiles;
  }
  for (const CountAgreement& entry : agreement->counts) {
    tiles.push_back(count_tile(entry));
  }
  const NoiseAgreement& all = agreement->all;
  tiles.push_back(page_tile(
      "All released numbers", fmt::format("{:.2f} \u00d7 noise", all.root_mean_square),
      fmt::format("is the typical distance of the synthetic table; {:.0f}% lie within two standard "
                  "deviations. Agreement as far as the noise lets one see: about 1, and 95%.",
                  100.0 * all.within_two),
      all.root_mean_square > kNoiseWorthALook  ? Mood::kLook
      : all.root_mean_square > kNoiseAgreement ? Mood::kPlain
                                               : Mood::kGood));
  tiles.push_back(page_tile(
      "Records", group_digits(agreement->synthetic_rows),
      fmt::format("synthetic ones, beside {} in the release.", record_count_words(release))));
  return tiles;
}

Json guarantee_json(const Release& release) {
  const BudgetShares shares = budget_shares(release);
  Json parts = Json::array();
  for (const BudgetShares::Part& part : shares.parts) {
    parts.push_back(Json{{"name", part.name}, {"share", part.share}});
  }
  return Json{{"words", release.in_words()},
              {"parts", std::move(parts)},
              {"parts_words", shares.words},
              {"besides", shares.besides}};
}

Json parts_json(const char* title, const std::vector<PartAgreement>& parts) {
  std::vector<std::vector<std::string>> rows;
  for (const PartAgreement& part : parts) {
    rows.push_back({part.name, group_digits(part.agreement.sums),
                    fmt::format("{:.2f}", part.agreement.root_mean_square),
                    fmt::format("{:.1f}%", 100.0 * part.agreement.within_two)});
  }
  return page_table(title,
                    "Differences in units of the noise: root mean square, and share within 2.",
                    {"of", "released numbers", "\u00d7 noise", "within 2"}, rows);
}

std::vector<std::pair<std::string, std::string>> facts_of(const Release& release) {
  const PrivacyStatement& statement = release.statement();
  const Schema& schema = release.schema();
  std::vector<std::pair<std::string, std::string>> facts = {
      {"method", release.method()},
      {"records", record_count_words(release) +
                      (statement.public_rows ? " (public)"
                                             : fmt::format(" (noisy; standard error {:.3g})",
                                                           release.record_count_error()))},
      {"released numbers", group_digits(release.dimension())},
      {"neighbouring tables", std::string(relation_name(schema.relation()))},
      {"epsilon, derived again",
       fmt::format("{} at delta {}", rounded_up(statement.epsilon_spent(), 10),
                   statement.budget.delta)}};
  if (const auto& unit = schema.privacy_unit()) {
    facts.emplace_back("privacy unit",
                       fmt::format("column '{}', at most {} record{} each", unit->column,
                                   unit->max_rows, unit->max_rows == 1 ? "" : "s"));
  }
  if (const Column* label = only_link_of_images(release)) {
    facts.emplace_back("images", fmt::format("go with '{}' alone", label->name));
  }
  return facts;
}

}  // namespace

std::string html_of(const Release& release, const ReleaseAgreement* agreement,
                    const std::vector<ComparedCounts>& tables, const PageOrigin& origin) {
  Json page = page_frame(origin, fmt::format("May be shared if {}.", kMayBeSharedIf),
                         kFiguresBesideRelease, described_columns(release), facts_of(release));
  page["mode"] = "release";
  page["tiles"] = tiles_json(release, agreement);
  page["guarantee"] = guarantee_json(release);
  page["columns"] = columns_json(tables);
  page["pairs"] = pairs_json(tables);
  if (agreement != nullptr) {
    page["tables"].push_back(parts_json("Parts of the release", agreement->parts));
  }
  if (agreement != nullptr && page["columns"]["cards"].empty()) {  // no counts to be drawn
    page["tables"].push_back(parts_json("Columns", agreement->columns));
  }
  return page_of(page);
}

}  // namespace mehler
