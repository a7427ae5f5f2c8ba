#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/strict_json.h"
#include "mehler/report/evaluation_report.h"
#include "mehler/report/sharing_words.h"
#include "mehler/report/text.h"

namespace mehler {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr const char* kHowToRead =
    "'noise': released sums less synthetic ones, in units of the released noise; about 1 and 95% "
    "when the synthetic table agrees as far as the noise lets one see. A table of drawn records "
    "cannot reach that where the noise is small beside the luck of the draw: 'draws' has both in "
    "its unit, and is about 1 and 95% when the records are draws of a distribution that agrees. "
    "Sums are brought to the released number of records first.";
constexpr const char* kHowToReadCounts =
    "Total variation: the share of the records that would have to change for the synthetic table's "
    "counts to be the released ones, on average over the tables; pairs given the counts of their "
    "columns. 'noise alone': the same between the private table's counts and the released ones, "
    "which follows from the release. At or below it is as close as the release lets anyone see; "
    "the private table's counts are expected within the sum of both.";
/// Columns, or pairs, that are shown.
constexpr std::size_t kShown = 10;

std::vector<std::string> row_of(const PartAgreement& part) {
  const NoiseAgreement& agreement = part.agreement;
  return {part.name,
          group_digits(agreement.sums),
          fmt::format("{:.2f}", agreement.root_mean_square),
          fmt::format("{:.1f}%", 100.0 * agreement.within_two),
          fmt::format("{:.2f}", agreement.root_mean_square_of_draws),
          fmt::format("{:.1f}%", 100.0 * agreement.within_two_of_draws)};
}

std::string table_of(const char* heading, const std::vector<PartAgreement>& parts) {
  Rows rows = {{heading, "sums", "noise: rms", "within 2", "draws: rms", "within 2"}};
  for (const PartAgreement& part : parts) {
    rows.push_back(row_of(part));
  }
  return align_columns(rows, 2);
}

/// The worst first, with a heading.
std::string worst_of(const char* heading, const char* first, std::vector<PartAgreement> parts) {
  if (parts.empty()) {
    return "";
  }
  std::stable_sort(parts.begin(), parts.end(), [](const PartAgreement& a, const PartAgreement& b) {
    return a.agreement.root_mean_square > b.agreement.root_mean_square;
  });
  const std::string all = group_digits(parts.size());
  const bool cut = parts.size() > kShown;
  parts.resize(std::min(parts.size(), kShown));
  return fmt::format("\n{}, the worst first{}\n{}", heading,
                     cut ? fmt::format(" ({} of {})", kShown, all) : "", table_of(first, parts));
}

std::string text_of_counts(const std::vector<CountAgreement>& counts) {
  if (counts.empty()) {
    return "";
  }
  constexpr const char* kTables[] = {"columns", "pairs of columns", "triples of columns"};
  Rows rows = {{"counts of", "tables", "from the released", "noise alone"}};
  for (const CountAgreement& entry : counts) {
    rows.push_back({kTables[entry.columns - 1], group_digits(entry.tables),
                    percent_words(entry.error), percent_words(entry.noise)});
  }
  return "\nMean total variation\n" + align_columns(rows, 2);
}

Json json_of_counts(const std::vector<CountAgreement>& counts) {
  Json json = Json::array();
  for (const CountAgreement& entry : counts) {
    json.push_back({{"columns", entry.columns},
                    {"tables", entry.tables},
                    {"mean_total_variation", entry.error},
                    {"mean_total_variation_of_noise", entry.noise}});
  }
  return json;
}

Json json_of_agreement(const NoiseAgreement& agreement) {
  return Json{{"sums", agreement.sums},
              {"root_mean_square", agreement.root_mean_square},
              {"within_two", agreement.within_two},
              {"root_mean_square_of_draws", agreement.root_mean_square_of_draws},
              {"within_two_of_draws", agreement.within_two_of_draws}};
}

Json json_of_parts(const char* key, const std::vector<PartAgreement>& parts) {
  Json json = Json::array();
  for (const PartAgreement& part : parts) {
    Json entry{{key, part.name}};
    entry.update(json_of_agreement(part.agreement));
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace

std::string text_of(const Release& release, const ReleaseAgreement& agreement) {
  std::vector<PartAgreement> parts = agreement.parts;
  parts.push_back({"all", agreement.all});
  return fmt::format("{} synthetic records against a release of {}\n\n{}{}\nParts\n{}{}{}\n{}{}",
                     group_digits(agreement.synthetic_rows), records_words(release),
                     wrap(kFiguresBesideRelease, 0), text_of_counts(agreement.counts),
                     table_of("part", parts), worst_of("Columns", "column", agreement.columns),
                     worst_of("Columns together", "columns", agreement.joint),
                     agreement.counts.empty() ? "" : wrap(kHowToReadCounts, 0),
                     wrap(kHowToRead, 0));
}

std::string json_of(const Release& release, const ReleaseAgreement& agreement) {
  const Json json{{"privacy", kFiguresBesideRelease},
                  {"may_be_shared_if", kMayBeSharedIf},
                  {"released_records", release.record_count()},
                  {"synthetic_records", agreement.synthetic_rows},
                  {"factor", agreement.factor},
                  {"all", json_of_agreement(agreement.all)},
                  {"counts", json_of_counts(agreement.counts)},
                  {"parts", json_of_parts("part", agreement.parts)},
                  {"columns", json_of_parts("column", agreement.columns)},
                  {"joint", json_of_parts("columns", agreement.joint)}};
  return json.dump(2) + "\n";
}

}  // namespace mehler
